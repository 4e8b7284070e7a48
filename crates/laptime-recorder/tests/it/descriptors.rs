//! Numbers of the program's files: in a process of its own, where nobody else opens any.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use laptime_recorder::{RecordOptions, record};

use crate::own_process;

#[test]
fn a_file_that_is_opened_while_a_recording_starts_has_the_number_it_would_have() {
    own_process::run(|| {
        let folder = tempfile::tempdir().unwrap();
        let number = || File::open("/dev/null").unwrap().as_raw_fd();
        let expected = number();
        for start in 0..200 {
            let path = folder.path().join(format!("{start}.lap"));
            let recording = record(&path, &RecordOptions::default()).unwrap();
            let started = Instant::now();
            while started.elapsed() < Duration::from_millis(1) {
                assert_eq!(number(), expected, "at start {start}");
            }
            recording.finish().unwrap();
        }
    });
}
