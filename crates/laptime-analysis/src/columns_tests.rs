use super::*;
use crate::scripted::{EPOCH_NS, MS, Script};
use laptime_core::format::process::window_offset;
use laptime_core::{ClockKind, SpanFlags};

#[test]
fn every_span_comes_out_once_with_its_path_and_time() {
    let mut script = Script::new(7, 100 * MS);
    script.per_window = 2;
    script.span(&["step", "data"], 10 * MS, 5 * MS);
    script.span_on(9, &["load"], 11 * MS, 30 * MS, SpanFlags::DETACHED);
    script.span(&["step"], 10 * MS, 20 * MS);
    let mut reader = SpanReader::new(&script.prefix(), "7.proc").unwrap();
    let mut spans = Vec::new();
    for (index, window) in script.windows().iter().enumerate() {
        let columns = reader.decode(window, window_offset(index as u64)).unwrap();
        for at in 0..columns.len() {
            spans.push((
                reader.paths().names(PathId(columns.path[at])).join("/"),
                columns.start_ns[at] - EPOCH_NS,
                columns.duration_ns[at],
                columns.track[at],
                columns.flags[at],
            ));
        }
    }
    assert_eq!(
        spans,
        [
            ("step/data".to_owned(), 10 * MS, 5 * MS, 1, 0),
            ("step".to_owned(), 10 * MS, 20 * MS, 1, 0),
            (
                "load".to_owned(),
                11 * MS,
                30 * MS,
                9,
                SpanFlags::DETACHED.0
            ),
        ]
    );
}

#[test]
fn ticks_become_nanoseconds_by_the_measured_rate() {
    let mut script = Script::new(7, 0);
    script.header.clock = ClockKind::Tsc;
    script.header.nominal_ns_per_tick = 3.0;
    let mut closed = script.header.anchor;
    closed.ticks += 1_000_000_000;
    closed.monotonic_ns += 500_000_000;
    script.header.closed = Some(closed);
    script.span(&["a"], 200_000_000, 100_000_000);
    let mut reader = SpanReader::new(&script.prefix(), "7.proc").unwrap();
    let columns = reader
        .decode(&script.windows()[0], window_offset(0))
        .unwrap();
    assert_eq!(columns.duration_ns, [50_000_000]);
    assert_eq!(columns.start_ns, [EPOCH_NS + 100_000_000]);
}

#[test]
fn an_unused_slot_holds_no_span_and_a_damaged_one_names_file_and_offset() {
    let mut script = Script::new(7, 100 * MS);
    script.span(&["a"], 0, MS);
    let mut reader = SpanReader::new(&script.prefix(), "7.proc").unwrap();
    assert!(reader.decode(&vec![0; 65_536], 32_768).unwrap().is_empty());
    let mut damaged = script.windows().remove(0);
    damaged[133] ^= 1;
    let error = reader.decode(&damaged, 32_768).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("7.proc: damaged window at offset 32768"),
        "{error}"
    );
}
