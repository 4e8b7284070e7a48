//! Looking for drivers: every way in which one may be missing has its reason, in order, and none of
//! them makes a context.

use std::ffi::OsStr;

use laptime_fakes::{Fake, built};
use laptime_recorder::device::cuda::Cuda;
use laptime_recorder::device::found::{Device, Found, other_kinds};
use laptime_recorder::device::reason::Absent;
use laptime_recorder::device::table::Table;

fn examined(fake: &Fake) -> Absent {
    Cuda::examine(fake.path().as_os_str()).unwrap_err()
}

#[test]
fn a_library_that_is_not_installed_is_the_first_reason() {
    let absent = Cuda::examine(OsStr::new("libcuda-of-nobody.so.1")).unwrap_err();
    let library = "libcuda-of-nobody.so.1".to_owned();
    assert_eq!(absent, Absent::NoLibrary { library });
    assert_eq!(
        absent.to_string(),
        "no NVIDIA driver: libcuda-of-nobody.so.1 is not installed"
    );
}

#[test]
fn a_library_of_another_architecture_or_no_library_at_all_does_not_load() {
    let foreign = examined(&Fake::of_another_architecture());
    assert!(
        matches!(&foreign, Absent::NotLoadable { why } if why.contains("ELF class")),
        "{foreign:?}"
    );
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "a text").unwrap();
    let text = Cuda::examine(file.path().as_os_str()).unwrap_err();
    assert!(matches!(text, Absent::NotLoadable { .. }), "{text:?}");
}

#[test]
fn each_function_that_a_driver_may_lack_is_named() {
    for symbol in Table::SYMBOLS {
        let fake = Fake::without(symbol);
        match examined(&fake) {
            Absent::TooOld {
                symbol: missing, ..
            } => assert_eq!(&missing, symbol),
            other => panic!("{symbol}: {other:?}"),
        }
    }
}

#[test]
fn a_driver_that_does_not_start_says_its_error_by_name_and_number() {
    let fake = Fake::new();
    fake.fail_once(1, 804);
    let refused = examined(&fake);
    assert_eq!(
        refused.to_string(),
        "the NVIDIA driver does not start: cuInit failed with \
         CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE (804)"
    );
    fake.fail_once(1, 99_999);
    let nameless = examined(&fake);
    assert!(
        nameless
            .to_string()
            .ends_with("an error without a name (99999)"),
        "{nameless}"
    );
}

#[test]
fn a_driver_without_a_device_says_so() {
    let fake = Fake::new();
    fake.set_devices(0);
    assert_eq!(examined(&fake), Absent::NoDevice);
}

#[test]
fn the_measured_program_is_joined_only_when_it_has_loaded_started_and_used_the_driver() {
    let loaded = Fake::new();
    let join = |fake: &Fake| Cuda::join(fake.path().as_os_str());
    let not_loaded = Fake::without("cuInit");
    assert_eq!(join(&not_loaded).unwrap_err(), Absent::NotLoaded);
    assert_eq!(join(&loaded).unwrap_err(), Absent::NotInitialized);
    loaded.initialize();
    assert_eq!(join(&loaded).unwrap_err(), Absent::NoContext);
    assert!(join(&loaded).unwrap_err().may_change());
    loaded.use_device(1);
    join(&loaded).unwrap();
    let log = loaded.take_log();
    let allowed = [
        "cuDeviceGetCount",
        "cuDeviceGet",
        "cuDevicePrimaryCtxGetState",
    ];
    assert!(!log.is_empty());
    assert!(log.iter().all(|call| allowed.contains(&&**call)), "{log:?}");
}

#[test]
fn every_call_of_the_search_may_fail_and_is_told() {
    let fake = Fake::new();
    fake.use_device(0);
    let mut told = 0;
    for n in 1..=3 {
        fake.fail_once(n, 719);
        let refused = Cuda::join(fake.path().as_os_str()).unwrap_err();
        assert!(
            matches!(&refused, Absent::Refused(fault) if fault.code == 719),
            "{refused:?}"
        );
        told += 1;
    }
    assert_eq!(told, 3);
    Cuda::join(fake.path().as_os_str()).unwrap();
}

#[test]
fn the_machines_devices_are_found_with_what_they_are() {
    let fake = Fake::new();
    let managed = built("laptime_fake_nvml").as_os_str();
    let found = Found::look_into(fake.path().as_os_str(), managed);
    let cuda = found.cuda.unwrap();
    assert_eq!(cuda.cuda, (12, 8));
    let second = Device {
        name: "Fake GPU 1".to_owned(),
        uuid: "GPU-fafafafa-fafa-fafa-fafa-fafafafafa01".to_owned(),
        memory_bytes: 2 << 34,
        processors: 132,
        capability: (9, 0),
    };
    assert_eq!(cuda.devices.len(), 2);
    assert_eq!(cuda.devices[1], Ok(second.clone()));
    let managed = found.managed.unwrap();
    assert_eq!(managed.driver, "580.95.05");
    // Numbered the other way round: the UUID maps one to the other.
    assert_eq!(managed.devices[0], (second.uuid, second.name));
    let log = fake.take_log();
    assert!(
        !log.iter().any(|call| call.contains("Retain")),
        "a context was made: {log:?}"
    );
}

#[test]
fn a_device_that_fails_to_say_what_it_is_leaves_the_others_alone() {
    let fake = Fake::new();
    // cuInit, two counts and the version come first.
    fake.fail_once(7, 719);
    let found = Found::look_into(fake.path().as_os_str(), OsStr::new("libnvml-of-nobody.so"));
    let devices = found.cuda.unwrap().devices;
    assert_eq!(devices[0].as_ref().unwrap_err().code, 719);
    assert!(devices[1].is_ok());
    assert!(matches!(found.managed, Err(Absent::NoManagement { .. })));
}

#[test]
fn other_kinds_of_devices_have_a_reason_and_no_driver() {
    for (kind, reason) in other_kinds() {
        assert!(!reason.may_change(), "{kind}");
        assert!(reason.to_string().contains("through PyTorch"), "{reason}");
    }
}
