//! Why there are no stacks, however early that is known.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use laptime_core::format::record::Record;
use laptime_recorder::stacks::sample_stacks;
use laptime_recorder::{RecordOptions, Site, delay_ns, enable, enter, exit, record};

use crate::own_process;
use crate::recording::read;
use crate::threads::threads;
use crate::windows::each_window;

/// How often the source was asked for.
static ASKED: AtomicUsize = AtomicUsize::new(0);

fn until(is_so: impl Fn() -> bool) {
    while !is_so() {
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// What the notes of a recording say about stacks.
fn reasons(folder: &Path) -> Vec<String> {
    let mut reasons = Vec::new();
    each_window(folder, |_, window| {
        let read = window.for_each(|record| {
            if let Record::Note { code, message } = record
                && code == "stacks-unavailable"
            {
                reasons.push(message.to_owned());
            }
        });
        read.unwrap();
    });
    reasons
}

#[test]
fn a_reason_that_is_known_while_the_recording_still_starts_is_kept() {
    own_process::run(|| {
        // Names that the start has to write down first, which takes a while.
        enable();
        for number in 0..60_000 {
            exit(enter(Site::intern(&format!("name {number}"))).unwrap());
        }
        sample_stacks(|| {
            ASKED.fetch_add(1, Ordering::SeqCst);
            Err("there is no interpreter".to_owned())
        });
        let folder = tempfile::tempdir().unwrap();
        for number in 0..5 {
            let path = folder.path().join(format!("{number}.lap"));
            let recording = record(&path, &RecordOptions::default()).unwrap();
            // A recording that ends before it is known has none.
            until(|| ASKED.load(Ordering::SeqCst) > number && threads("laptime-stacks") == 0);
            // The collector comes by, and takes it.
            if delay_ns().is_some() {
                let visits = || read(recording.path()).delays.len();
                let before = visits();
                until(|| visits() >= before + 2);
            }
            recording.finish().unwrap();
            assert_eq!(reasons(&path), ["there is no interpreter"], "{number}");
        }
    });
}
