//! Laps that wait for their device, where that was asked for: what they call, and what recordings say.

use laptime_fakes::{Fake, GLOBAL};
use laptime_recorder::device::wishes::{Wish, hold, release};
use laptime_recorder::device::{Stream, here, here::Place};
use laptime_recorder::{
    LazySite, RecordOptions, enter, exit, record, suspend, time_on_devices_with,
};

use crate::own_process;

const MS: u64 = 1_000_000;

static STEP: LazySite = LazySite::new("step");

#[test]
fn laps_wait_at_both_ends_while_that_is_asked_for_and_captures_stay_whole() {
    own_process::run(|| {
        let fake = Fake::new();
        fake.use_device(0);
        let stream = fake.stream();
        let place = Place {
            device: 0,
            stream: Stream(stream),
        };
        let folder = tempfile::tempdir().unwrap();
        let recorded = |name: &str, laps: &dyn Fn()| -> bool {
            let path = folder.path().join(name);
            let recording = record(&path, &RecordOptions::default()).unwrap();
            laps();
            says_so(&recording.finish().unwrap())
        };
        time_on_devices_with(fake.path().as_os_str());
        // SAFETY: a stream of the fake, which never ends.
        let _on = unsafe { here::on(place) };

        let plain = || {
            lap(&fake, stream);
            assert!(!waited(&fake), "nobody asked for it");
        };
        assert!(!recorded("plain.lap", &plain));

        hold(Wish::Sync);
        let synchronized = || {
            fake.work(stream, 30 * MS);
            let before = fake.now();
            let open = enter(STEP.get()).unwrap();
            assert!(
                fake.now() >= before + 30 * MS,
                "the lap began when the device was done"
            );
            fake.work(stream, 5 * MS);
            let before = fake.now();
            exit(open).unwrap();
            assert_eq!(fake.now(), before + 5 * MS, "and ended when it was");

            let open = enter(STEP.get()).unwrap();
            fake.work(stream, 5 * MS);
            let before = fake.now();
            suspend(open).unwrap();
            assert_eq!(fake.now(), before + 5 * MS, "a piece does as well");

            fake.take_log();
            fake.begin_capture(stream, GLOBAL);
            lap(&fake, stream);
            assert!(!waited(&fake));
            assert!(fake.end_capture(stream));
            // A capture of another stream forbids waiting to those who don't step aside.
            let other = fake.stream();
            fake.begin_capture(other, GLOBAL);
            lap(&fake, stream);
            assert!(waited(&fake));
            assert!(fake.end_capture(other));
        };
        assert!(recorded("synchronized.lap", &synchronized));
        release(Wish::Sync);
        assert!(
            !recorded("after.lap", &plain),
            "it holds for that recording alone"
        );
        hold(Wish::Sync);
        assert!(recorded("again.lap", &|| lap(&fake, stream)));
    });
}

fn lap(fake: &Fake, stream: usize) {
    let open = enter(STEP.get()).unwrap();
    fake.work(stream, MS);
    exit(open).unwrap();
}

fn waited(fake: &Fake) -> bool {
    let log = fake.take_log();
    log.iter().any(|call| call == "cuStreamSynchronize")
}

/// Whether a recording says that laps waited: the code of the note stands in its file.
fn says_so(recording: &std::path::Path) -> bool {
    let files = std::fs::read_dir(recording).unwrap();
    let mut bytes = files.map(|file| std::fs::read(file.unwrap().path()).unwrap());
    bytes.any(|bytes| {
        let code = b"device.synchronized";
        bytes.windows(code.len()).any(|found| found == code)
    })
}
