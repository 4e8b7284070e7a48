//! Programs without laps whose memory grows, and such whose memory only seems to.

use laptime_core::ProcessMemory;
use laptime_core::format::record::Record;
use proptest::prelude::*;

use crate::Finding;
use crate::findings::tests::found;
use crate::testing::scripted::{EPOCH_NS, MS, Script, anchor};

const KIB: i64 = 1_024;
const MIB: i64 = 1_024 * KIB;

/// A program that is read ten times per second, of a level by the reading.
fn program(readings: u64, level: impl Fn(i64) -> i64) -> Script {
    let mut script = Script::new(7, 0);
    for index in 0..readings {
        script.observed(Record::Memory {
            ticks: EPOCH_NS + index * 100 * MS,
            memory: ProcessMemory {
                bytes: level(index as i64),
                peak_bytes: 1 << 30,
            },
        });
    }
    script.header.closed = Some(anchor(readings * 100 * MS));
    script
}

#[test]
fn memory_that_grows_all_the_time_is_found() {
    let all = found(&program(70, |index| 20 * MIB + index * MIB));
    let [
        Finding::MemoryRise {
            per_second_bytes,
            uncertainty_bytes,
            during_ns,
            ..
        },
    ] = &all[..]
    else {
        panic!("{all:?}");
    };
    assert_eq!(*per_second_bytes, 10 * MIB as u64);
    assert!(*uncertainty_bytes <= MIB as u64 / 100);
    assert!((6_000 * MS..7_000 * MS).contains(during_ns), "{during_ns}");
}

#[test]
fn what_grows_before_the_first_lap_is_no_growth() {
    let grows = |index: i64| 20 * MIB + index * MIB;
    for (first_ms, is_told) in [(500, true), (6_000, false)] {
        let mut script = program(70, grows);
        script.span(&["load"], first_ms * MS, 500 * MS);
        let mut all = found(&script).into_iter();
        let rises = all.any(|one| matches!(one, Finding::MemoryRise { .. }));
        assert_eq!(rises, is_told, "{first_ms} ms");
    }
}

#[test]
fn what_is_freed_when_the_interpreter_ends_does_not_hide_it() {
    let mut script = program(80, |index| if index < 70 { index * MIB } else { MIB });
    let exits = script.ticks(6_950 * MS).to_string();
    script.note("interpreter.exits", &exits);
    assert!(matches!(found(&script)[..], [Finding::MemoryRise { .. }]));
}

#[test]
fn what_is_freed_as_the_main_function_returns_does_not_hide_it() {
    // The process ended without closing its recording.
    let mut script = program(80, |index| match index {
        0..70 => index * MIB,
        70..75 => 70 * MIB,
        _ => MIB,
    });
    script.header.closed = None;
    assert!(matches!(found(&script)[..], [Finding::MemoryRise { .. }]));
}

#[test]
fn what_fills_and_stays_is_no_growth() {
    for full in [5, 20, 40, 60, 75, 80] {
        let filling = |index: i64| index.min(full) * MIB;
        assert_eq!(
            found(&program(100, filling)),
            [],
            "full after {full} of 100"
        );
    }
    assert_eq!(found(&program(100, |_| 300 * MIB)), []);
    let doubling = |index: i64| MIB << (index / 15);
    assert_eq!(
        found(&program(100, doubling)),
        [],
        "a list that doubles once a while"
    );
}

#[test]
fn what_is_short_or_little_is_not_told() {
    assert_eq!(
        found(&program(15, |index| index * MIB)),
        [],
        "too few levels"
    );
    assert_eq!(
        found(&program(100, |index| index * 10 * KIB)),
        [],
        "less than a MiB"
    );
}

#[test]
fn where_there_are_steps_they_tell_it() {
    let mut script = program(100, |index| index * MIB);
    for step in 0..100 {
        script.span(&["step"], step * 100 * MS, 90 * MS);
    }
    let all = found(&script);
    assert!(matches!(all[..], [Finding::MemoryGrowth { .. }]), "{all:?}");
}

proptest! {
    #[test]
    fn levels_that_come_and_go_are_no_growth(
        levels in prop::collection::vec(0_i64..100, 30..120), period in 1_i64..40
    ) {
        // A saw: filled and emptied again and again, with noise of a tenth.
        let saw = |index: i64| {
            (index % period) * MIB + levels[index as usize % levels.len()] * MIB / 10 + 500 * MIB
        };
        prop_assert_eq!(found(&program(120, saw)), []);
    }

    #[test]
    fn a_rise_scales_with_its_bytes(mib in 1_i64..50, noise in prop::collection::vec(0_i64..MIB / 4, 100)) {
        let rise = |index: i64| (index + 100) * mib * MIB + noise[index as usize];
        let all = found(&program(100, rise));
        let [Finding::MemoryRise { per_second_bytes, uncertainty_bytes, .. }] = &all[..] else {
            panic!("{all:?}");
        };
        let off = per_second_bytes.abs_diff(10 * (mib * MIB) as u64);
        prop_assert!(off <= *uncertainty_bytes * 3 + MIB as u64 / 10, "{} off", off);
    }
}
