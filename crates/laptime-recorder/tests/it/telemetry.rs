//! What devices say of themselves, from a fake management library to the recording: every number, what is
//! absent and why, which device it is, and when the thread ends.
//!
//! A process has one recorder and finds its libraries when it starts: what each test does is in a process of
//! its own, which is told where the libraries are.

use std::path::Path;

use laptime_core::{DeviceReading as Reading, Throttle};
use laptime_fakes::{Fake, FakeNvml, LoadedNvml, built};
use laptime_recorder::{RecordOptions, Recording, record};

use crate::own_process::{self, name_of};
use crate::telemetry_records::{Told, told};
use crate::threads::threads;

/// Codes of the management library.
const NOT_SUPPORTED: i32 = 3;
const UNKNOWN: i32 = 999;

/// Runs one of these tests' inner parts in a process that finds these libraries.
fn run(part: impl Fn(), nvml: &FakeNvml, environment: &[(&str, &str)]) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(
        built("laptime_fake_cuda"),
        folder.path().join("libcuda.so.1"),
    )
    .unwrap();
    let found = format!("{}:{}", folder.path().display(), nvml.folder().display());
    let mut process = own_process::command(name_of(&part));
    process.env("LD_LIBRARY_PATH", found);
    process.envs(environment.iter().copied());
    own_process::check(process);
}

fn begin(folder: &Path) -> Recording {
    record(&folder.join("a.lap"), &RecordOptions::default()).unwrap()
}

/// Goes on once something is so. Nothing is timed: the sampler has all the time it takes.
fn until(mut is_so: impl FnMut() -> bool) {
    while !is_so() {
        std::thread::yield_now();
    }
}

/// What was recorded while a device was asked so often for a number.
fn sampled(
    cuda: &Fake,
    nvml: &LoadedNvml,
    device: i32,
    (number, reading): (u32, Reading),
    times: usize,
) -> Told {
    let folder = tempfile::tempdir().unwrap();
    let recording = begin(folder.path());
    cuda.use_device(device);
    until(|| nvml.made(number, reading as u32) >= times);
    let path = recording.finish().unwrap();
    told(&path)
}

#[test]
fn every_number_of_a_device_in_use_is_recorded() {
    run(inner_every_number, &FakeNvml::new(), &[]);
}

#[test]
#[ignore = "in a process of its own"]
fn inner_every_number() {
    let (cuda, nvml) = (Fake::loaded(), LoadedNvml::open());
    nvml.series(0, Reading::Utilization as u32, &[10, 95, 97]);
    nvml.series(0, Reading::Power as u32, &[100_000, 700_000]);
    nvml.series(
        0,
        Reading::ClockLimits as u32,
        &[0, Throttle::PowerLimit.bit()],
    );
    let told = sampled(&cuda, &nvml, 0, (0, Reading::ClockLimits), 3);
    let uuid = "GPU-fafafafa-fafa-fafa-fafa-fafafafafa00";
    assert_eq!(
        told.devices,
        [(0, uuid.to_owned(), "Fake GPU 0".to_owned())]
    );
    let of = |reading| told.of(0, reading);
    assert_eq!(of(Reading::Utilization)[..3], [10, 95, 97]);
    assert_eq!(of(Reading::MemoryUtilization)[0], 40);
    assert_eq!(of(Reading::Memory)[0], 8 << 30);
    assert_eq!(of(Reading::Power)[..3], [100_000, 700_000, 700_000]);
    // 100 ms at 100 W, then at 700 W.
    assert_eq!(of(Reading::Energy)[..3], [1_000_000, 1_010_000, 1_080_000]);
    assert_eq!(of(Reading::Clock)[0], 1_700);
    assert_eq!(of(Reading::MemoryClock)[0], 2_600);
    assert_eq!(of(Reading::Temperature)[0], 60);
    assert_eq!(of(Reading::ClockLimits)[..3], [0, 4, 4]);
    // What changes slowly, and the list of processes, are asked for at each tenth reading only.
    assert_eq!(of(Reading::ProcessMemory).len(), 1);
    assert!(told.lacks.is_empty() && told.notes.is_empty(), "{told:?}");
    assert_eq!(nvml.started(), 0, "it was shut down with the recording");
}

#[test]
fn cuda_visible_devices_may_be_an_index_a_uuid_its_beginning_or_an_instance() {
    let one = "GPU-fafafafa-fafa-fafa-fafa-fafafafafa01";
    for said in [
        "1",
        "1,0",
        one,
        "GPU-fafafafa-fafa-fafa-fafa-fafafafafa01,7",
    ] {
        run(
            inner_second_device,
            &FakeNvml::new(),
            &[("CUDA_VISIBLE_DEVICES", said)],
        );
    }
    let instance = "MIG-abababab-abab-abab-abab-ababababab01";
    for (said, number) in [(instance, "01"), ("MIG-abab", "00")] {
        let which = [("CUDA_VISIBLE_DEVICES", said), ("EXPECTED", number)];
        run(inner_instance, &FakeNvml::new(), &which);
    }
    let beginning = [("CUDA_VISIBLE_DEVICES", "GPU-fafa")];
    run(inner_first_device, &FakeNvml::new(), &beginning);
}

#[test]
#[ignore = "in a process of its own"]
fn inner_second_device() {
    let (cuda, nvml) = (Fake::loaded(), LoadedNvml::open());
    nvml.series(1, Reading::Utilization as u32, &[55]);
    let told = sampled(&cuda, &nvml, 0, (1, Reading::ClockLimits), 1);
    assert_eq!(told.devices[0].2, "Fake GPU 1");
    assert_eq!(told.of(0, Reading::Utilization)[0], 55);
    assert_eq!(
        nvml.made(0, Reading::Power as u32),
        0,
        "the other one is not touched"
    );
}

#[test]
#[ignore = "in a process of its own"]
fn inner_first_device() {
    let (cuda, nvml) = (Fake::loaded(), LoadedNvml::open());
    let told = sampled(&cuda, &nvml, 0, (0, Reading::ClockLimits), 1);
    assert_eq!(told.devices[0].2, "Fake GPU 0");
    assert_eq!(nvml.made(1, Reading::Power as u32), 0);
}

#[test]
#[ignore = "in a process of its own"]
fn inner_instance() {
    let (cuda, nvml) = (Fake::loaded(), LoadedNvml::open());
    nvml.split(0);
    nvml.split(1);
    let number = std::env::var("EXPECTED").unwrap();
    let device = number.parse().unwrap();
    let told = sampled(&cuda, &nvml, 0, (device, Reading::ClockLimits), 2);
    let (_, uuid, name) = &told.devices[0];
    assert_eq!(
        *uuid,
        format!("MIG-abababab-abab-abab-abab-ababababab{number}")
    );
    assert!(name.ends_with("MIG 1g.10gb"), "{name}");
    assert!(told.of(0, Reading::Utilization).is_empty());
    let why = told.lack(0, Reading::Utilization).unwrap();
    assert!(why.contains("MIG"), "{why}");
    assert_eq!(
        told.of(0, Reading::Power).len(),
        told.samples.len(),
        "that of the GPU"
    );
    assert_eq!(
        told.of(0, Reading::Memory)[0],
        8 << 30,
        "that of the instance"
    );
}

#[test]
fn devices_that_come_into_use_later_are_sampled_from_then_on() {
    run(inner_later, &FakeNvml::new(), &[]);
}

#[test]
#[ignore = "in a process of its own"]
fn inner_later() {
    let (cuda, nvml) = (Fake::loaded(), LoadedNvml::open());
    let folder = tempfile::tempdir().unwrap();
    let recording = begin(folder.path());
    cuda.use_device(0);
    until(|| nvml.made(0, Reading::ClockLimits as u32) >= 1);
    cuda.use_device(1);
    until(|| nvml.made(1, Reading::ClockLimits as u32) >= 1);
    let told = told(&recording.finish().unwrap());
    let names: Vec<_> = told.devices.iter().map(|(index, ..)| *index).collect();
    assert_eq!(names, [0, 1]);
    assert!(told.of(0, Reading::Power).len() > told.of(1, Reading::Power).len());
    let log = cuda.take_log();
    assert!(
        !log.iter()
            .any(|call| call.contains("Retain") || call == "cuInit"),
        "{log:?}"
    );
}

#[test]
fn a_number_that_the_gpu_or_the_driver_lacks_is_absent_with_its_reason() {
    let functions = [
        "nvmlDeviceGetTotalEnergyConsumption",
        "nvmlDeviceGetMemoryInfo_v2",
    ];
    run(inner_lacks, &FakeNvml::without(&functions), &[]);
}

#[test]
#[ignore = "in a process of its own"]
fn inner_lacks() {
    let (cuda, nvml) = (Fake::loaded(), LoadedNvml::open());
    nvml.fail(0, Reading::Utilization as u32, NOT_SUPPORTED);
    nvml.contain();
    let told = sampled(&cuda, &nvml, 0, (0, Reading::ClockLimits), 3);
    let lack = |reading| told.lack(0, reading);
    let old = "the driver is too old to tell it";
    assert_eq!(lack(Reading::Energy), Some(old));
    assert_eq!(lack(Reading::Memory), Some(old));
    assert_eq!(lack(Reading::Utilization), Some("the GPU does not tell it"));
    assert!(lack(Reading::ProcessMemory).unwrap().contains("containers"));
    for reading in [
        Reading::Energy,
        Reading::Memory,
        Reading::Utilization,
        Reading::ProcessMemory,
    ] {
        assert!(told.of(0, reading).is_empty(), "{reading:?}");
    }
    assert!(told.of(0, Reading::Power).len() >= 3);
    assert_eq!(told.lacks.len(), 5, "each reason once: {:?}", told.lacks);
}

#[test]
fn calls_that_fail_now_and_then_cost_their_numbers_only() {
    run(inner_fail_every, &FakeNvml::new(), &[]);
}

#[test]
#[ignore = "in a process of its own"]
fn inner_fail_every() {
    let (cuda, nvml) = (Fake::loaded(), LoadedNvml::open());
    let folder = tempfile::tempdir().unwrap();
    let recording = begin(folder.path());
    cuda.use_device(0);
    until(|| nvml.made(0, Reading::ClockLimits as u32) >= 1);
    // No divisor of the calls of a reading: each of them fails in turn.
    nvml.fail_every(5, UNKNOWN);
    until(|| nvml.made(0, Reading::ClockLimits as u32) >= 6);
    let told = told(&recording.finish().unwrap());
    let power = told.of(0, Reading::Power);
    assert!(
        power.len() < told.samples.len() || told.of(0, Reading::Clock).len() < told.samples.len()
    );
    assert!(
        power.iter().all(|milliwatts| *milliwatts == 300_000),
        "never 0: {power:?}"
    );
    assert!(
        told.lacks
            .iter()
            .any(|(_, _, why)| why.starts_with("reading it failed: "))
    );
}

#[test]
fn a_gpu_that_is_lost_is_said_once_and_asked_no_more() {
    run(inner_lost, &FakeNvml::new(), &[]);
}

#[test]
#[ignore = "in a process of its own"]
fn inner_lost() {
    let (cuda, nvml) = (Fake::loaded(), LoadedNvml::open());
    let folder = tempfile::tempdir().unwrap();
    let recording = begin(folder.path());
    cuda.use_device(0);
    cuda.use_device(1);
    until(|| nvml.made(0, Reading::ClockLimits as u32) >= 1);
    until(|| nvml.made(1, Reading::ClockLimits as u32) >= 1);
    nvml.lose(1);
    let made = nvml.made(0, Reading::ClockLimits as u32);
    until(|| nvml.made(0, Reading::ClockLimits as u32) >= made + 3);
    let told = told(&recording.finish().unwrap());
    let lost: Vec<_> = told
        .notes
        .iter()
        .filter(|(code, _)| code == "telemetry.lost")
        .collect();
    assert_eq!(lost.len(), 1);
    assert_eq!(
        lost[0].1,
        "device 1 was not sampled to the end: the GPU is lost: it fell off the bus"
    );
    assert!(
        told.of(0, Reading::Power).len() >= made + 3,
        "the other one goes on"
    );
}

#[test]
fn a_driver_that_never_answers_holds_up_neither_the_recording_nor_the_exit() {
    run(inner_stuck, &FakeNvml::new(), &[]);
}

#[test]
#[ignore = "in a process of its own"]
fn inner_stuck() {
    let (cuda, nvml) = (Fake::loaded(), LoadedNvml::open());
    let folder = tempfile::tempdir().unwrap();
    let recording = begin(folder.path());
    cuda.use_device(0);
    until(|| nvml.made(0, Reading::ClockLimits as u32) >= 2);
    nvml.get_stuck();
    let calls = nvml.calls();
    until(|| nvml.calls() > calls);
    let told = told(&recording.finish().unwrap());
    assert!(told.samples.len() >= 2, "what was read before is kept");
    assert_eq!(threads("laptime-devices"), 1, "left behind");
}

#[test]
fn a_library_without_its_end_is_left_running() {
    run(inner_endless, &FakeNvml::without(&["nvmlShutdown"]), &[]);
}

#[test]
#[ignore = "in a process of its own"]
fn inner_endless() {
    let (cuda, nvml) = (Fake::loaded(), LoadedNvml::open());
    let told = sampled(&cuda, &nvml, 0, (0, Reading::ClockLimits), 1);
    assert!(!told.samples.is_empty());
    assert_eq!(nvml.started(), 1);
}

#[test]
fn where_the_library_does_not_start_the_recording_says_why_there_is_nothing() {
    run(inner_no_library, &FakeNvml::without(&["nvmlInit_v2"]), &[]);
}

#[test]
#[ignore = "in a process of its own"]
fn inner_no_library() {
    let cuda = Fake::loaded();
    let folder = tempfile::tempdir().unwrap();
    let recording = begin(folder.path());
    cuda.use_device(0);
    let mut seen = Vec::new();
    until(|| {
        seen.extend(cuda.take_log());
        seen.iter().any(|call| call == "cuDeviceGetUuid_v2")
    });
    until(|| threads("laptime-devices") == 0);
    let told = told(&recording.finish().unwrap());
    assert!(told.samples.is_empty());
    let (_, why) = &told.notes[0];
    let begins = "devices were not sampled: NVIDIA's management library does not start: ";
    assert!(why.starts_with(begins), "{why}");
}

#[test]
fn the_thread_lives_from_the_first_driver_to_the_end_of_the_recording() {
    run(inner_thread, &FakeNvml::new(), &[]);
    run(
        inner_switched_off,
        &FakeNvml::new(),
        &[("LAPTIME_DEVICE", "off")],
    );
}

#[test]
#[ignore = "in a process of its own"]
fn inner_thread() {
    let folder = tempfile::tempdir().unwrap();
    let recording = begin(folder.path());
    until(|| threads("laptime") == 1);
    assert_eq!(threads("laptime-devices"), 0, "no driver is loaded");
    let (cuda, nvml) = (Fake::loaded(), LoadedNvml::open());
    until(|| threads("laptime-devices") == 1);
    assert_eq!(nvml.calls(), 0, "no device is used");
    cuda.use_device(0);
    until(|| nvml.made(0, Reading::Power as u32) >= 1);
    recording.finish().unwrap();
    assert_eq!(threads("laptime-devices"), 0);
    let calls = nvml.calls();
    let second = begin(folder.path());
    until(|| nvml.calls() > calls);
    assert!(
        !told(&second.finish().unwrap()).samples.is_empty(),
        "the next one samples again"
    );
}

#[test]
#[ignore = "in a process of its own"]
fn inner_switched_off() {
    let (cuda, nvml) = (Fake::loaded(), LoadedNvml::open());
    cuda.use_device(0);
    let folder = tempfile::tempdir().unwrap();
    let recording = begin(folder.path());
    until(|| threads("laptime") == 1);
    let path = recording.finish().unwrap();
    assert_eq!(nvml.calls(), 0);
    assert!(
        told(&path)
            .notes
            .iter()
            .all(|(code, _)| !code.starts_with("telemetry"))
    );
}

#[test]
fn a_forked_child_never_calls_the_library_of_its_parent() {
    run(inner_fork, &FakeNvml::new(), &[]);
}

#[test]
#[ignore = "in a process of its own"]
fn inner_fork() {
    let (cuda, nvml) = (Fake::loaded(), LoadedNvml::open());
    let folder = tempfile::tempdir().unwrap();
    let recording = begin(folder.path());
    cuda.use_device(0);
    until(|| nvml.made(0, Reading::ClockLimits as u32) >= 1);
    // SAFETY: the child runs what follows and leaves at once.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let open = laptime_recorder::enter(laptime_recorder::Site::intern("child"));
        laptime_recorder::exit(open.unwrap());
        until(|| threads("laptime") == 1);
        laptime_recorder::close();
        // SAFETY: leaves without handlers, which are the parent's.
        unsafe { libc::_exit(i32::from(threads("laptime-devices") > 0)) };
    }
    let mut status = 0;
    // SAFETY: a place to write to.
    let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
    assert_eq!((waited, status), (child, 0));
    let path = recording.finish().unwrap();
    let told = told(&path);
    let pid = std::process::id();
    assert!(
        told.samples.iter().all(|(of, _)| *of == pid),
        "none is the child's"
    );
}

#[test]
fn at_exit_the_library_is_shut_down_and_what_was_read_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().display().to_string();
    run(inner_exit, &FakeNvml::new(), &[("KEPT", &kept)]);
    let told = told(&folder.path().join("a.lap"));
    assert!(told.samples.len() >= 2, "{told:?}");
}

#[test]
#[ignore = "in a process of its own"]
fn inner_exit() {
    let (cuda, nvml) = (Fake::loaded(), LoadedNvml::open());
    let folder = std::env::var("KEPT").unwrap();
    // Left to the exit.
    std::mem::forget(begin(folder.as_ref()));
    cuda.use_device(0);
    until(|| nvml.made(0, Reading::ClockLimits as u32) >= 2);
}
