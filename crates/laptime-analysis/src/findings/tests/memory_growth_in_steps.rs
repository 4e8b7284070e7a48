//! Memory that is left, inside of steps and between them, and what only looks like it.

use laptime_core::format::record::Record;
use laptime_core::{ProcessMemory, Span, SpanMemory};

use crate::findings::tests::{STEPS, found};
use crate::testing::scripted::{EPOCH_NS, MAIN, MS, Script};
use crate::{Finding, Keeper};

/// Steps that leave so many bytes, nearly all in a lap inside.
fn leaking(left: impl Fn(u64) -> i64) -> Script {
    let mut script = Script::new(7, (100 + STEPS * 30) * MS);
    let [step, forward, stats] = [
        &["step"][..],
        &["step", "forward"],
        &["step", "forward", "stats"],
    ]
    .map(|names| script.path(names));
    for index in 0..STEPS {
        let start = EPOCH_NS + (100 + index * 30) * MS;
        let bytes = left(index);
        for (path, ms, net_bytes) in [
            (stats, 5, bytes),
            (forward, 10, bytes),
            (step, 30, bytes + 8),
        ] {
            let memory = Some(SpanMemory {
                net_bytes,
                peak_bytes: 1 << 20,
            });
            script.push(Span::plain(path, start, ms * MS, MAIN).with_memory(memory));
        }
    }
    script
}

#[test]
fn memory_that_every_step_leaves_is_found_with_the_lap_that_leaves_it() {
    let all = found(&leaking(|index| 10_000 + (index % 3) as i64));
    let [
        Finding::MemoryGrowth {
            path,
            per_step_bytes,
            uncertainty_bytes,
            keepers,
            ..
        },
    ] = &all[..]
    else {
        panic!("{all:?}");
    };
    assert_eq!((path.as_str(), *per_step_bytes), ("step", 10_009));
    assert!(*uncertainty_bytes <= 1);
    let expected = Keeper {
        path: "step/forward/stats".to_owned(),
        per_step_bytes: 10_000,
    };
    let [keeper] = &keepers[..] else {
        panic!("{all:?}");
    };
    assert_eq!(keeper.path, expected.path);
    assert!(keeper.per_step_bytes.abs_diff(expected.per_step_bytes) <= 1);
}

/// Adds a lap between the steps that leaves 40,000 bytes each time.
fn leaking_between(script: &mut Script) {
    let log = script.path(&["log"]);
    for index in 0..STEPS {
        let start = EPOCH_NS + (100 + index * 30) * MS;
        let memory = Some(SpanMemory {
            net_bytes: 40_000,
            peak_bytes: 1 << 20,
        });
        let span = Span::plain(log, start + 28 * MS, MS, MAIN);
        script.push(span.with_memory(memory));
    }
}

/// Returns where memory grows: whether between steps, thousands of bytes each, and the first lap that is named.
fn growths(all: &[Finding]) -> Vec<(bool, u64, &str)> {
    let told = all.iter().filter_map(|one| match one {
        Finding::MemoryGrowth {
            between,
            per_step_bytes,
            keepers,
            ..
        } => Some((
            *between,
            (per_step_bytes + 500) / 1_000,
            keepers[0].path.as_str(),
        )),
        _ => None,
    });
    told.collect()
}

#[test]
fn a_lap_between_the_steps_that_leaves_memory_is_found_without_a_level() {
    let mut script = leaking(|_| 10_000);
    leaking_between(&mut script);
    assert_eq!(
        growths(&found(&script)),
        [(true, 40, "log"), (false, 10, "step/forward/stats")]
    );
    // What the steps free again is no growth.
    let mut script = leaking(|_| -40_000);
    leaking_between(&mut script);
    assert_eq!(growths(&found(&script)), []);
}

/// The first step makes the state of the optimizer, and its operations are counted; so are those of some more,
/// which fills tables.
#[test]
fn steps_whose_operations_are_counted_leave_nothing_that_grows() {
    for (name, is_alone) in [
        ("counted step", false),
        ("profiled step", false),
        ("counted step", true),
    ] {
        let mut script = if is_alone {
            Script::new(7, 3_100 * MS)
        } else {
            leaking(|_| -8)
        };
        let counted = script.path(&[name]);
        let count = if is_alone { STEPS } else { 12 };
        for index in 0..count {
            let memory = Some(SpanMemory {
                net_bytes: if index == 0 { 400_000 } else { 60_000 },
                peak_bytes: 1 << 20,
            });
            let start = EPOCH_NS + (100 + index * 30) * MS;
            let span = Span::plain(counted, start, 20 * MS, MAIN);
            script.push(span.with_memory(memory));
        }
        assert_eq!(growths(&found(&script)), [], "{name}, alone: {is_alone}");
    }
}

#[test]
fn what_leaks_inside_of_steps_does_not_hide_what_leaks_between_them() {
    let mut script = leaking(|_| 10_000);
    leaking_between(&mut script);
    for tick in 0..6 * STEPS {
        script.observed(Record::Memory {
            ticks: EPOCH_NS + (100 + tick * 5) * MS,
            memory: ProcessMemory {
                bytes: tick as i64 / 6 * 50_008,
                peak_bytes: 1 << 30,
            },
        });
    }
    let all = found(&script);
    // The larger one first.
    assert_eq!(
        growths(&all),
        [(true, 40, "log"), (false, 10, "step/forward/stats")]
    );
}

/// Steps of these laps: each with its path, where it begins, how long it takes, in milliseconds, and
/// the bytes that it leaves.
pub fn steps_of(laps: &[(&[&str], u64, u64, i64)]) -> Script {
    let mut script = Script::new(7, 3_100 * MS);
    for index in 0..STEPS {
        let start = EPOCH_NS + (100 + index * 30) * MS;
        for (names, from, ms, net_bytes) in laps {
            let memory = Some(SpanMemory {
                net_bytes: *net_bytes,
                peak_bytes: 1 << 20,
            });
            let path = script.path(names);
            let span = Span::plain(path, start + from * MS, ms * MS, MAIN);
            script.push(span.with_memory(memory));
        }
    }
    script
}

#[test]
fn a_phase_that_holds_what_another_frees_keeps_nothing() {
    let script = steps_of(&[
        (&["step", "backward"], 0, 10, 200_000),
        (&["step", "optimizer"], 10, 10, -190_000),
        (&["step"], 0, 30, 10_000),
    ]);
    let all = found(&script);
    assert!(
        matches!(
            &all[..],
            [Finding::MemoryGrowth { keepers, per_step_bytes: 10_000, .. }] if keepers.is_empty()
        ),
        "{all:?}"
    );
}

#[test]
fn of_laps_that_leave_as_much_where_one_is_freed_again_both_are_named() {
    let script = steps_of(&[
        (&["step", "forward", "debug"], 0, 5, 10_000),
        (&["step", "forward"], 0, 10, 19_000),
        (&["step", "backward"], 10, 10, -9_000),
        (&["step"], 0, 30, 10_000),
    ]);
    let all = found(&script);
    let [Finding::MemoryGrowth { keepers, .. }] = &all[..] else {
        panic!("{all:?}");
    };
    let named: Vec<&str> = keepers.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(named, ["step/forward/debug", "step/forward"]);
}

#[test]
fn what_is_freed_between_the_steps_is_no_growth() {
    let mut script = leaking(|_| 50_000);
    for tick in 0..300 {
        script.observed(Record::Memory {
            ticks: EPOCH_NS + tick * 10 * MS,
            memory: ProcessMemory {
                bytes: (tick as i64 % 2) * 50_000,
                peak_bytes: 60_000,
            },
        });
    }
    assert_eq!(found(&script), []);
}

/// Beside something large that was allocated before: what all that is outside of laps left and freed is
/// more than nothing then.
#[test]
fn what_is_freed_between_the_steps_of_a_short_run_is_no_growth() {
    let mut script = leaking(|_| 50_000);
    for tick in 0..6 {
        script.observed(Record::Memory {
            ticks: EPOCH_NS + (100 + tick * STEPS * 5) * MS,
            memory: ProcessMemory {
                bytes: 60_000_000,
                peak_bytes: 60_050_000,
            },
        });
    }
    assert_eq!(found(&script), []);
}

#[test]
fn a_cache_that_fills_once_is_no_growth() {
    assert_eq!(
        found(&leaking(|index| if index == 40 { 100 << 20 } else { 0 })),
        []
    );
    let breathing = |index: u64| {
        if index.is_multiple_of(2) {
            1 << 20
        } else {
            -(1 << 20)
        }
    };
    assert_eq!(found(&leaking(breathing)), []);
}

/// Adds levels, one every 5 ms: how much there is after so many steps.
fn with_levels(script: &mut Script, level: impl Fn(u64) -> i64) {
    for tick in 0..6 * STEPS {
        script.observed(Record::Memory {
            ticks: EPOCH_NS + (100 + tick * 5) * MS,
            memory: ProcessMemory {
                bytes: level(tick / 6),
                peak_bytes: 1 << 30,
            },
        });
    }
}

#[test]
fn a_buffer_that_is_full_is_no_growth_and_a_leak_of_its_size_is() {
    for full in [STEPS * 3 / 10, STEPS * 6 / 10, STEPS * 8 / 10] {
        let filling = |index: u64| if index < full { 200_000 } else { 0 };
        let mut script = leaking(filling);
        assert_eq!(found(&script), [], "full after {full}");
        with_levels(&mut script, |steps| 200_000 * steps.min(full) as i64);
        assert_eq!(found(&script), [], "full after {full}, with levels");
        let mut script = leaking(|_| 0);
        with_levels(&mut script, |steps| 200_000 * steps.min(full) as i64);
        assert_eq!(found(&script), [], "between steps, full after {full}");
        let size = 2_000 * full as i64;
        let expected = (false, size as u64 / 1_000, "step/forward/stats");
        assert_eq!(growths(&found(&leaking(|_| size))), [expected]);
        let mut script = leaking(|_| size);
        with_levels(&mut script, |steps| (size + 8) * steps as i64);
        assert_eq!(growths(&found(&script)), [expected]);
    }
}

#[test]
fn a_leak_between_the_steps_of_a_short_run_is_found_by_a_few_levels() {
    let mut script = leaking(|_| 0);
    for tick in 0..8 {
        let steps = (5 + tick * 37) / 3;
        script.observed(Record::Memory {
            ticks: EPOCH_NS + (150 + tick * 370) * MS,
            memory: ProcessMemory {
                bytes: 50_000 * steps as i64,
                peak_bytes: 1 << 30,
            },
        });
    }
    let all = found(&script);
    let is_found = matches!(
        &all[..],
        [Finding::MemoryGrowth { between: true, per_step_bytes, .. }]
            if per_step_bytes.abs_diff(50_000) < 500
    );
    assert!(is_found, "{all:?}");
}

#[test]
fn steps_that_leave_the_same_for_a_while_have_a_wide_interval() {
    let halves = |index: u64| if index < STEPS / 2 { 10_000 } else { 20_000 };
    let all = found(&leaking(halves));
    let [
        Finding::MemoryGrowth {
            uncertainty_bytes, ..
        },
    ] = &all[..]
    else {
        panic!("{all:?}");
    };
    assert!(*uncertainty_bytes > 3_000, "{uncertainty_bytes}");
}
