//! Recordings of every format version ever released must open. Each was written by the release
//! itself, from the same small program, and is never made again.

use std::path::Path;

use laptime::Recorded;

#[test]
fn a_recording_of_version_1_opens_with_every_span_mark_and_metric() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/version-1.lap");
    let summary = Recorded::new(&file).summary().unwrap();
    let counts: Vec<(&str, u64)> = summary
        .rows
        .iter()
        .filter_map(|row| Some((row.path.as_str(), row.count?)))
        .collect();
    assert_eq!(
        counts,
        [
            ("epoch", 3),
            ("epoch/step", 600),
            ("epoch/step/forward", 600),
            ("epoch/step/backward", 600),
            ("worker", 1),
            ("a\\/b|c\n", 1),
        ]
    );
    let marked: Vec<u64> = summary.marks.iter().map(|mark| mark.count).collect();
    assert_eq!(marked, [3]);
    let measured: Vec<u64> = summary.metrics.iter().map(|metric| metric.count).collect();
    assert_eq!(measured, [600]);
    assert_eq!(summary.run.unwrap().end.unwrap().code, Some(0));
}
