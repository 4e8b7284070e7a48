//! Recordings of every format version ever released must open. Each was written by the release
//! itself, from the same small program, and is never made again.

use std::path::Path;

use laptime::Recorded;
use laptime_analysis::Summary;

fn summary(name: &str) -> Summary {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    Recorded::new(&file.join(name)).summary().unwrap()
}

#[test]
fn a_recording_of_version_1_opens_with_every_span_mark_and_metric() {
    let summary = summary("version-1.lap");
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

/// Its program stands beside it.
#[test]
fn a_recording_of_version_1_with_stacks_opens_with_every_sample() {
    let functions = summary("version-1-stacks.lap").functions.unwrap();
    assert_eq!(functions.sample_count, 284);
    let laps: Vec<(&str, u64)> = functions
        .laps
        .iter()
        .map(|lap| (lap.path.as_str(), lap.sample_count))
        .collect();
    assert_eq!(
        laps,
        [
            ("waits", 140),
            ("step/data", 112),
            ("step/forward", 28),
            ("exit", 4)
        ]
    );
    let data = functions.laps[1].functions.iter();
    let data: Vec<(&str, u64, u64)> = data
        .map(|one| (one.name.as_str(), one.self_count, one.self_ns))
        .collect();
    assert_eq!(
        data,
        [
            ("decode", 83, 887_682_843),
            ("augment", 29, 312_834_580),
            ("<module>", 0, 0)
        ]
    );
    assert_eq!(functions.laps[0].waiting_ns, functions.laps[0].total_ns);
}

/// Its program stands beside it.
#[test]
fn a_recording_of_version_1_whose_stacks_say_who_ran_has_them_in_the_laps_of_their_tasks() {
    let functions = summary("version-1-tasks.lap").functions.unwrap();
    let of = |path: &str| {
        let mut laps = functions.laps.iter();
        let lap = laps.find(|lap| lap.path == path).unwrap();
        let own = lap.functions.iter().filter(|one| one.self_count > 0);
        own.map(|one| (one.name.as_str(), one.self_count))
            .collect::<Vec<_>>()
    };
    assert_eq!(of("request"), [("answer", 39), ("parse", 26)]);
    assert_eq!(of("other"), [("log", 26)]);
    assert_eq!(functions.sample_count, 91);
    assert!(functions.laps.iter().all(|lap| lap.shared_count == 0));
}
