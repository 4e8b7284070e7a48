use laptime_core::PrivateMemory;
use laptime_core::format::record::Record;
use proptest::prelude::*;

use super::*;

const MIB: f64 = 1_048_576.0;
/// A level in MiB by the part of the steps that is over.
type Level = fn(f64) -> f64;
/// Ticks of a step; one reading falls into each.
const STEP: u64 = 100;
const STEPS: u64 = 240;
/// Readings after the steps, which are more than while a loop's function returns.
const AFTER: u64 = 60;

/// A reading of a process that has 400 MiB of files mapped: what it allocated, and the address space for it, in MiB.
fn reading(ticks: u64, allocated: f64, reserved: f64) -> Record<'static> {
    let resident_bytes = (allocated * MIB) as u64;
    Record::Sample {
        ticks,
        resident_bytes: resident_bytes + 400 * MIB as u64,
        private: Some(PrivateMemory {
            resident_bytes,
            reserved_bytes: (reserved * MIB) as u64,
        }),
    }
}

/// Readings in each of 240 steps and 60 after them, of a level in MiB by the part of the steps that is over.
fn read(level: impl Fn(f64) -> (f64, f64)) -> RecorderSamples {
    let mut readings = RecorderSamples::default();
    for index in 0..STEPS + AFTER {
        let (allocated, reserved) = level(index as f64 / STEPS as f64);
        readings.take(&reading(index * STEP + 50, allocated, reserved));
    }
    readings
}

/// The rise over the steps, of what takes as much address space as memory.
fn rise_of(level: impl Fn(f64) -> f64) -> Option<ResidentRise> {
    let readings = read(|part| (level(part), 2.0 * level(1.0) + level(part)));
    found(&readings)
}

fn found(readings: &RecorderSamples) -> Option<ResidentRise> {
    let stretch = |index| Stretch {
        start: index * STEP,
        count: 1,
        ..Stretch::default()
    };
    let steps: Vec<Stretch> = (0..STEPS).map(stretch).collect();
    over_steps(readings, &steps, STEPS * STEP, (STEPS + AFTER) * STEP)
}

#[test]
fn what_each_step_leaves_is_told_per_step() {
    let found = rise_of(|part| 500.0 + 240.0 * part.min(1.0)).unwrap();
    assert!(
        (found.bytes / found.length - MIB).abs() < 0.01 * MIB,
        "{found:?}"
    );
    assert!(found.uncertainty <= 0.01 * found.bytes, "{found:?}");
}

#[test]
fn programs_that_keep_nothing_are_not_accused() {
    let clean: [(&str, Level); 9] = [
        ("a level", |_| 900.0),
        ("a cache that fills and stops", |part| {
            500.0 + 400.0 * part.min(0.7)
        }),
        ("arenas that grow early", |part| {
            900.0 - 400.0 * (-5.0 * part).exp()
        }),
        ("one that doubles", |part| {
            100.0 * 2.0_f64.powf((4.0 * part).floor())
        }),
        ("a first evaluation late", |part| {
            if part > 0.8 { 900.0 } else { 500.0 }
        }),
        ("an evaluation in each third", |part| {
            500.0 + 150.0 * (3.0 * part + 0.5).floor()
        }),
        ("one large allocation", |part| {
            if part > 0.4 { 900.0 } else { 500.0 }
        }),
        ("freed again at the end", |part| {
            500.0 + if part < 1.0 { 400.0 * part } else { 0.0 }
        }),
        ("less than a tenth", |part| 900.0 + 95.0 * part),
    ];
    for (what, level) in clean {
        assert_eq!(rise_of(level), None, "{what}");
    }
    assert_eq!(rise_of(|part| 30.0 + 16.0 * part), None, "less than 16 MiB");
}

#[test]
fn what_is_freed_as_the_function_of_the_loop_returns_was_left_by_the_steps() {
    let found = rise_of(|part| {
        500.0
            + if part < 1.15 {
                400.0 * part.min(1.0)
            } else {
                0.0
            }
    });
    assert_eq!(found, None, "freed long after");
    let stretch = |index| Stretch {
        start: index * STEP,
        count: 1,
        ..Stretch::default()
    };
    let steps: Vec<Stretch> = (0..STEPS).map(stretch).collect();
    let readings = read(|part| {
        let level = 500.0
            + if part < 1.05 {
                400.0 * part.min(1.0)
            } else {
                0.0
            };
        (level, 2_000.0 + level)
    });
    let exits = (STEPS + 30) * STEP;
    assert!(over_steps(&readings, &steps, STEPS * STEP, exits).is_some());
}

#[test]
fn what_a_program_does_before_and_after_does_not_hide_a_rise() {
    let level = |part: f64| match part {
        // Imports and loading, a rise, and memory that is freed as the main function returns.
        _ if part < 0.3 => 60.0 + 200.0 * (10.0 * part).floor() / 3.0,
        _ if part < 1.15 => 260.0 + 300.0 * (part - 0.3),
        _ if part < 1.2 => 515.0,
        _ => 4.0,
    };
    let readings = read(|part| (level(part), 100.0 + level(part)));
    let found = over_time(&readings, 0, u64::MAX).unwrap();
    let each = MIB * 300.0 / STEPS as f64;
    let off = (found.bytes / found.length * STEP as f64 - each).abs();
    assert!(off < 0.03 * each, "{found:?}");
    assert!(
        found.from >= 60 * STEP && found.to <= 290 * STEP,
        "{found:?}"
    );
    assert!((15..=30).contains(&(found.rest / STEP)), "{found:?}");
}

#[test]
fn memory_that_was_set_aside_at_once_is_no_rise_as_it_is_touched() {
    let touched = read(|part| (500.0 + 400.0 * part, 2_000.0));
    assert_eq!(found(&touched), None);
    let allocated = read(|part| (500.0 + 400.0 * part, 2_000.0 + 400.0 * part));
    assert!(found(&allocated).is_some());
}

#[test]
fn readings_of_older_files_tell_nothing() {
    let mut readings = RecorderSamples::default();
    for index in 0..STEPS {
        readings.take(&Record::Sample {
            ticks: index * STEP + 50,
            resident_bytes: index << 21,
            private: None,
        });
    }
    assert_eq!(found(&readings), None);
    assert_eq!(over_time(&readings, 0, u64::MAX), None);
}

#[test]
fn a_program_without_steps_is_asked_without_its_beginning() {
    let readings = read(|part| (500.0 + 400.0 * part, 600.0 + 400.0 * part));
    let found = over_time(&readings, 0, u64::MAX).unwrap();
    let each = MIB * 400.0 / STEPS as f64;
    assert!((found.bytes / found.length * STEP as f64 - each).abs() < 0.01 * each);
    let imports = read(|part| (500.0 + 400.0 * part.min(0.4), 600.0 + 400.0 * part));
    assert_eq!(over_time(&imports, 0, u64::MAX), None);
    let late = over_time(&readings, 200 * STEP, u64::MAX);
    assert!(
        late.is_some_and(|late| late.bytes < found.bytes / 2.0),
        "after the first lap alone"
    );
}

proptest! {
    #[test]
    fn a_leak_is_found_below_what_steps_hold_for_a_while(
        leak in 120.0..2_000.0_f64, noise in prop::collection::vec(0.0..1.0_f64, 260), held in 0.0..300.0_f64,
    ) {
        // Every other reading falls into what a step frees again, of a size that changes.
        let level = |part: f64| {
            let index = (part * STEPS as f64) as usize;
            let steps = if index % 2 == 1 { held * noise[index % noise.len()] } else { 0.0 };
            500.0 + leak * part + steps
        };
        let found = rise_of(level).expect("a leak");
        let off = (found.bytes / found.length - leak * MIB / STEPS as f64).abs();
        let allowed = 3.0 * found.uncertainty / found.length + 0.05 * leak * MIB / STEPS as f64;
        prop_assert!(off <= allowed, "{found:?} of {leak} MiB");
    }

    #[test]
    fn levels_that_come_and_go_are_no_rise(
        noise in prop::collection::vec(0.0..1.0_f64, 260), period in 2_usize..60, height in 0.0..800.0_f64,
    ) {
        let level = |part: f64| {
            let index = (part * STEPS as f64) as usize;
            500.0 + height * ((index % period) as f64 / period as f64 + 0.3 * noise[index % noise.len()])
        };
        prop_assert_eq!(rise_of(level), None);
    }

    #[test]
    fn a_few_jumps_are_no_rise(at in prop::collection::vec(0.0..1.0_f64, 1..4), height in 64.0..800.0_f64) {
        let level = |part: f64| {
            let jumps = at.iter().filter(|at| part > **at).count();
            500.0 + height * jumps as f64
        };
        prop_assert_eq!(rise_of(level), None);
    }

    #[test]
    fn what_fills_before_the_last_sixth_is_no_rise(full in 0.0..0.83_f64, height in 64.0..2_000.0_f64) {
        prop_assert_eq!(rise_of(|part| 500.0 + height * part.min(full)), None);
    }

    #[test]
    fn a_rise_scales_with_its_bytes(factor in 1.0..8.0_f64) {
        let base = |part: f64| 100.0 + 120.0 * part;
        let (one, more) = (rise_of(base).unwrap(), rise_of(|part| factor * base(part)).unwrap());
        prop_assert!((more.bytes - factor * one.bytes).abs() <= 1e-6 * more.bytes + 300.0);
    }
}
