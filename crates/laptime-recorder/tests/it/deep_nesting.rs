//! Laps nested far deeper than anybody reads: in a process of its own, since it fills the tables.

use laptime_core::PathId;
use laptime_core::format::record::Record;
use laptime_recorder::{RecordOptions, Site, enter, exit, record};

use crate::own_process;
use crate::windows::each_window;

const LEVELS: usize = 20_000;
const SPANS: usize = 2_000;

#[test]
fn spans_at_the_bottom_of_a_deep_nesting_take_no_more_disk_than_others() {
    own_process::run(|| {
        let folder = tempfile::tempdir().unwrap();
        let recording = record(&folder.path().join("a.lap"), &RecordOptions::default()).unwrap();
        let levels: Vec<_> = (0..LEVELS)
            .map(|level| enter(Site::intern(&format!("level {level}"))).unwrap())
            .collect();
        for _ in 0..SPANS {
            exit(enter(Site::intern("work")).unwrap());
        }
        for open in levels.into_iter().rev() {
            exit(open);
        }
        let recording = recording.finish().unwrap();
        let (mut spans, mut overflowed) = (0, 0);
        each_window(&recording, |_, window| {
            let each = window.for_each(|record| {
                if let Record::Span(span) = record {
                    spans += 1;
                    overflowed += usize::from(span.path == PathId::OVERFLOW);
                }
            });
            each.unwrap();
        });
        let files = std::fs::read_dir(recording).unwrap();
        let bytes: u64 = files
            .map(|file| file.unwrap().metadata().unwrap().len())
            .sum();
        assert_eq!(spans, LEVELS + SPANS);
        assert!(overflowed >= LEVELS + SPANS - 1_000, "{overflowed}");
        assert!(bytes < 2_000_000, "{bytes} bytes");
    });
}
