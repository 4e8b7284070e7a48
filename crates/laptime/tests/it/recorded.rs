//! Recordings on disk, read through every door of this crate.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use laptime::Recorded;
use laptime_analysis::{RowKind, Until};
use laptime_core::format::process::{END_ANCHOR_OFFSET, START_CHECK_OFFSET, window_offset};
use laptime_core::format::window::WINDOW_LEN;
use laptime_core::{Anchor, ClockKind, SpanFlags};
use laptime_reader::ReadError;
use laptime_report::View;
use proptest::prelude::*;

#[allow(dead_code)]
#[path = "../../../laptime-analysis/src/testing/scripted.rs"]
mod scripted;

use scripted::{EPOCH_NS, MS, Script, anchor, training};

/// Writes a scripted process as a file of its own.
fn written(script: &Script, folder: &Path) -> PathBuf {
    let mut bytes = script.prefix();
    for (index, window) in (0..).zip(script.windows()) {
        bytes.resize(window_offset(index) as usize, 0);
        bytes.extend(window);
    }
    let path = folder.join(format!("{}-ab.proc", script.header.pid));
    fs::write(&path, bytes).unwrap();
    path
}

/// How long each path's spans ran together: by the summary, and summed up one by one.
fn both_ways(path: &Path) -> (BTreeMap<String, u64>, BTreeMap<String, u64>) {
    let recorded = Recorded::new(path);
    let summary = recorded.summary().unwrap();
    let rows = summary.rows.iter().filter(|row| row.kind == RowKind::Span);
    let totals = rows
        .map(|row| (row.path.clone(), row.total_ns))
        .filter(|(_, total_ns)| *total_ns > 0);
    let mut summed = BTreeMap::new();
    for rows in recorded.spans().unwrap() {
        let mut rows = rows.unwrap();
        while let Some(spans) = rows.next_window().unwrap() {
            for (path, duration_ns) in spans.path.iter().zip(spans.duration_ns) {
                let path = laptime_core::path::join(rows.paths().names(*path));
                *summed.entry(path).or_default() += duration_ns;
            }
        }
    }
    summed.retain(|_, total_ns| *total_ns > 0);
    (totals.collect(), summed)
}

/// Spans: track, path, start, duration and flags.
fn spans() -> impl Strategy<Value = Vec<(u32, u8, u64, u64, u64)>> {
    let flags = prop_oneof![
        Just(0_u64),
        Just(0),
        Just(SpanFlags::CONTINUES.0),
        Just(SpanFlags::DETACHED.0),
        Just(SpanFlags::ASIDE.0),
        Just(SpanFlags::UNFINISHED.0),
    ];
    let span = (1_u32..4, 0_u8..6, 0..9_000 * MS, 1..50_000_000_u64, flags);
    proptest::collection::vec(span, 0..200)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_spans_of_a_path_sum_to_its_total_to_the_nanosecond(
        spans in spans(),
        rate in 0.2_f64..3.0,
        drift in -0.001_f64..0.001,
        is_closed: bool,
        per_window in 3_usize..40,
    ) {
        let mut script = Script::new(7, 10_000 * MS);
        script.header.clock = ClockKind::Tsc;
        script.header.nominal_ns_per_tick = rate;
        script.per_window = per_window;
        let end = Anchor {
            monotonic_ns: EPOCH_NS + (10_000.0 * MS as f64 * rate * (1.0 + drift)) as u64,
            ..anchor(10_000 * MS)
        };
        script.header.closed = Some(end);
        if !is_closed {
            script.killed();
        }
        for (track, path, start, duration, flags) in spans {
            let names: &[&str] = [&["a"][..], &["a", "b"], &["a", "b", "c"], &["d"], &["step"], &["e", "f"]]
                [usize::from(path)];
            script.span_on(track, names, start, duration, SpanFlags(flags));
        }
        let folder = tempfile::tempdir().unwrap();
        let (totals, summed) = both_ways(&written(&script, folder.path()));
        prop_assert_eq!(totals, summed);
    }
}

/// What is said of a recording, by everything that reads its windows.
fn said_by_each(path: &Path) -> Vec<Result<(), ReadError>> {
    let recorded = Recorded::new(path);
    let question: Until = "loss < 1".parse().unwrap();
    let summary = recorded.summary();
    let empty = Recorded {
        salvage: true,
        ..recorded.clone()
    };
    let all_spans = || -> Result<(), ReadError> {
        for rows in recorded.spans()? {
            let mut rows = rows?;
            while rows.next_window()?.is_some() {}
        }
        Ok(())
    };
    let page = empty
        .summary()
        .and_then(|summary| recorded.page(&summary, &View::default()));
    vec![
        summary.map(drop),
        laptime::open(path).map(drop),
        page.map(drop),
        recorded.until(&question).map(drop),
        all_spans(),
    ]
}

/// Spoils the bytes of a file.
type Damage<'d> = &'d dyn Fn(&mut Vec<u8>);

#[test]
fn damage_is_the_same_error_whichever_way_a_recording_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let mut script = training(400, 0);
    script.per_window = 300;
    let path = written(&script, folder.path());
    let whole = fs::read(&path).unwrap();
    let window = window_offset(1) as usize;
    let damages: [(&str, Damage<'_>); 8] = [
        ("damaged window at offset 98304", &|bytes| {
            bytes[window + 300] ^= 4;
        }),
        ("belongs to process", &|bytes| {
            let other = bytes[window..window + WINDOW_LEN].to_vec();
            let mut header = other.clone();
            header[16] ^= 1;
            header[80..84].fill(0);
            header[6..8].fill(0);
            let length: [u8; 4] = header[12..16].try_into().unwrap();
            header[8..12].copy_from_slice(&length);
            bytes[window..window + WINDOW_LEN].copy_from_slice(&header);
        }),
        ("has boot id", &|bytes| {
            bytes[24] ^= 1;
            bytes[START_CHECK_OFFSET..][..8].fill(0);
        }),
        ("damaged header at offset 2120", &|bytes| {
            bytes[24] ^= 1;
        }),
        ("damaged header at offset 2128", &|bytes| {
            bytes[END_ANCHOR_OFFSET] ^= 1;
        }),
        ("a window starts with", &|bytes| {
            bytes[window] ^= 1;
        }),
        ("not a Laptime recording", &|bytes| {
            bytes[0] ^= 1;
        }),
        ("format version", &|bytes| {
            bytes[8] = 9;
        }),
    ];
    for (said, damage) in damages {
        let mut bytes = whole.clone();
        damage(&mut bytes);
        fs::write(&path, bytes).unwrap();
        let errors: Vec<String> = said_by_each(&path)
            .into_iter()
            .map(|outcome| outcome.expect_err(said).to_string())
            .collect();
        for error in &errors {
            assert_eq!(error, &errors[0]);
            assert!(error.contains(said), "{error}");
            assert!(error.starts_with(&path.display().to_string()), "{error}");
        }
    }
    fs::write(&path, whole).unwrap();
    assert!(said_by_each(&path).iter().all(Result::is_ok));
}
