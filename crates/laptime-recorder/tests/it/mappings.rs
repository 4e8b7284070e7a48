//! Memory that recordings map: it is given back as they end, but for what a thread still works in.

use std::path::Path;
use std::sync::mpsc;

use laptime_recorder::{LazySite, RecordOptions, enter, exit, record};

use crate::own_process;

static WORK: LazySite = LazySite::new("work");

fn lap() {
    exit(enter(WORK.get()).unwrap()).unwrap();
}

fn recorded(path: &Path, work: impl FnOnce()) {
    let recording = record(path, &RecordOptions::default()).unwrap();
    work();
    recording.finish().unwrap();
}

/// How many pieces of files of recordings are mapped.
fn mapped() -> usize {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    maps.lines().filter(|line| line.contains(".lap/")).count()
}

#[test]
fn a_recording_that_ended_leaves_nothing_mapped_but_where_another_thread_works() {
    own_process::run(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(format!("{name}.lap"));
        for number in 0..20 {
            recorded(&path(&number.to_string()), lap);
        }
        assert_eq!(mapped(), 0);

        let (go_on, orders) = mpsc::channel::<()>();
        let (report, reports) = mpsc::channel();
        let other = std::thread::spawn(move || {
            for () in orders {
                lap();
                report.send(()).unwrap();
            }
        });
        let lap_there = || {
            go_on.send(()).unwrap();
            reports.recv().unwrap();
        };
        recorded(&path("first"), lap_there);
        assert!(mapped() > 0, "the thread has its stack there");
        let kept = mapped();
        lap_there();
        for number in 20..40 {
            recorded(&path(&number.to_string()), lap_there);
            lap_there();
        }
        assert!(mapped() <= kept, "and only there");
        drop(go_on);
        other.join().unwrap();
    });
}
