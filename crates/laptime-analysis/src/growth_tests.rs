use laptime_core::ProcessMemory;
use laptime_core::format::record::Record;

use super::*;

/// Readings at each of so many ticks, of a level by its tick.
fn read(ticks: u64, level: impl Fn(u64) -> i64) -> Readings {
    let mut readings = Readings::default();
    for ticks in 0..ticks {
        readings.take(&Record::Memory {
            ticks,
            memory: ProcessMemory {
                bytes: level(ticks),
                peak_bytes: 0,
            },
        });
    }
    readings
}

#[test]
fn what_every_step_leaves_is_found_below_what_steps_hold_for_a_while() {
    // A step is 10 ticks; in 7 of them it holds a mebibyte that it frees.
    let leaking = |tick: u64| 1_000 * (tick / 10) as i64 + i64::from(tick % 10 < 7) * (1 << 20);
    let found = between(&read(2_400, leaking), 0, 2_400).unwrap();
    assert!(
        (found.bytes - 240_000.0).abs() <= found.uncertainty.max(2_400.0),
        "{found:?}"
    );
    assert!(found.uncertainty < 24_000.0, "{found:?}");
}

#[test]
fn a_level_that_comes_and_goes_is_no_growth() {
    let breathing = |tick: u64| i64::from(tick % 10 < 7) * (1 << 20);
    let found = between(&read(2_400, breathing), 0, 2_400).unwrap();
    assert!(found.bytes <= found.uncertainty, "{found:?}");
    let once = |tick: u64| i64::from(tick > 1_200) * (100 << 20);
    let found = between(&read(2_400, once), 0, 2_400).unwrap();
    assert!(
        found.uncertainty > 0.2 * found.bytes,
        "a jump is no line: {found:?}"
    );
}

#[test]
fn too_few_readings_tell_nothing() {
    assert_eq!(between(&read(20, |tick| tick as i64), 0, 2_400), None);
    assert_eq!(between(&read(0, |_| 0), 0, 0), None);
}
