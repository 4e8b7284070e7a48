use laptime_core::ProcessMemory;
use laptime_core::format::record::Record;
use proptest::prelude::*;

use super::*;

/// Returns readings at these ticks, of a level by its tick.
fn read(ticks: impl Iterator<Item = u64>, level: impl Fn(u64) -> i64) -> RecorderSamples {
    let mut readings = RecorderSamples::default();
    for ticks in ticks {
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

/// Returns steps that begin at these ticks, with the bytes that each leaves.
fn steps(starts: impl Iterator<Item = u64>, net: impl Fn(u64) -> i64) -> Vec<Stretch> {
    let stretch = |(index, start)| Stretch {
        start,
        count: 1,
        net_bytes: net(index),
        counted: 1,
        ..Stretch::default()
    };
    (0..).zip(starts).map(stretch).collect()
}

/// Returns the growth of 240 steps of 10 ticks, read at each tick.
fn growth(level: impl Fn(u64) -> i64) -> Growth {
    let steps = steps((0..2_400).step_by(10), |_| 0);
    of_process(&read(0..2_400, level), &steps, 2_400).unwrap()
}

#[test]
fn what_every_step_leaves_is_found_below_what_steps_hold_for_a_while() {
    // In 7 of its 10 ticks a step holds a mebibyte that it frees.
    let leaking = |tick: u64| 1_000 * (tick / 10) as i64 + i64::from(tick % 10 < 7) * (1 << 20);
    let found = growth(leaking);
    assert!(
        (found.bytes - 240_000.0).abs() <= found.uncertainty.max(2_400.0),
        "{found:?}"
    );
    assert!(found.uncertainty < 24_000.0, "{found:?}");
    assert!(found.late_ratio > 0.8, "{found:?}");
}

#[test]
fn a_level_that_comes_and_goes_is_no_growth() {
    let breathing = growth(|tick| i64::from(tick % 10 < 7) * (1 << 20));
    assert!(breathing.bytes <= breathing.uncertainty, "{breathing:?}");
    let once = growth(|tick| i64::from(tick > 1_200) * (100 << 20));
    assert!(
        once.uncertainty > 0.2 * once.bytes,
        "a jump is no line: {once:?}"
    );
}

#[test]
fn too_few_readings_tell_nothing() {
    let steps = steps((0..2_400).step_by(10), |_| 0);
    let early = read(0..20, |tick| tick as i64);
    assert_eq!(of_process(&early, &steps, 2_400), None);
    let few = read((0..2_400).step_by(600), |tick| tick as i64);
    assert_eq!(of_process(&few, &steps, 2_400), None);
    assert_eq!(of_process(&RecorderSamples::default(), &[], 0), None);
    assert_eq!(inside(&[]), None);
}

#[test]
fn a_short_run_with_eight_readings_tells_what_its_steps_leave() {
    let steps = steps((0..800).step_by(1), |_| 0);
    let readings = read((50..800).step_by(100), |tick| 50_000 * tick as i64);
    let found = of_process(&readings, &steps, 800).unwrap();
    assert!((found.bytes - 40e6).abs() < 1e5, "{found:?}");
    assert!(found.uncertainty < 1e5, "{found:?}");
}

#[test]
fn steps_that_grow_shorter_leave_no_less_each() {
    // 124 steps of 100 ticks, then 18 of 6, each leaving 84,000 bytes.
    let starts = (0..142_u64).map(|step| 100 * step.min(124) + 6 * step.saturating_sub(124));
    let steps = steps(starts, |_| 0);
    let to = 12_508;
    let level =
        |tick: u64| 84_000 * crate::reading::step_stretches::steps_until(&steps, tick, to) as i64;
    let found = of_process(&read((0..to).step_by(433), level), &steps, to).unwrap();
    let off = (found.bytes / 142.0 - 84_000.0).abs();
    assert!(off <= 1_000.0 + found.uncertainty / 142.0, "{found:?}");
    assert!(off < 2_000.0, "{found:?}");
}

/// Returns how many of 200 intervals hold the truth, 1,000 bytes a step beside noise whose neighbours are
/// alike.
fn true_intervals(alike: f64) -> u32 {
    let mut held = 0;
    for seed in 1..=200_u64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut noise = 0.0;
        let noises: Vec<f64> = (0..24)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                noise = alike * noise + (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
                noise * 20_000.0
            })
            .collect();
        let level = |tick: u64| 100 * tick as i64 + noises[(tick / 100) as usize] as i64;
        let steps = steps((0..2_400).step_by(10), |_| 0);
        let readings = read((50..2_400).step_by(100), level);
        if let Some(found) = of_process(&readings, &steps, 2_400) {
            held += u32::from((found.bytes - 240_000.0).abs() <= found.uncertainty);
        }
    }
    held
}

#[test]
fn the_interval_of_levels_that_wander_holds_the_truth() {
    for alike in [0.0, 0.4, 0.7] {
        let held = true_intervals(alike);
        assert!(
            held >= 184,
            "{held} of 200 where neighbours are alike by {alike}"
        );
    }
}

#[test]
fn a_line_with_a_slow_wave_is_a_line() {
    let wave = |tick: u64| (tick as f64 / 400.0).sin() * 20_000.0;
    let found = growth(|tick| 1_000 * tick as i64 + wave(tick) as i64);
    assert!(found.uncertainty < 0.05 * found.bytes, "{found:?}");
}

proptest! {
    #[test]
    fn a_buffer_that_fills_does_not_grow_at_the_end(
        fill in 0.05..0.8_f64,
        count in 50_u64..2_000,
        bytes in 2_000_i64..1_000_000,
    ) {
        let full = (fill * count as f64) as u64;
        let filling = inside(&steps(0..count, |step| if step < full { bytes } else { 0 }));
        prop_assert!(filling.unwrap().late_ratio < 0.4);
        let leaking = inside(&steps(0..count, |_| bytes)).unwrap();
        prop_assert!(leaking.late_ratio > 0.99 && leaking.uncertainty <= 1e-6 * leaking.bytes);
        // Twelve levels at most: one that is full for less than a quarter of the steps may look as if it grew.
        let full = full * 9 / 10;
        let level = |tick: u64| bytes * (tick / 10).min(full) as i64;
        let starts = steps((0..10 * count).step_by(10), |_| 0);
        let readings = read((3..10 * count).step_by(count as usize / 2), level);
        let filling = of_process(&readings, &starts, 10 * count).unwrap();
        prop_assert!(
            filling.late_ratio < 0.4 || filling.uncertainty > 0.2 * filling.bytes,
            "{filling:?}"
        );
    }
}
