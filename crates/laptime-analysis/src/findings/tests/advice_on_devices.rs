//! Advice on devices and their memory, as in [`super::advice_tests`].

use laptime_core::format::record::Record;
use laptime_core::{DeviceReading as Reading, DeviceReadings, DeviceSample, Throttle};

use super::advice_tests::check;
use super::tests::{run, training};
use super::*;
use crate::Options;
use crate::summary::operations::{OperationsSummary, Peak};
use crate::summary::work_row::BoundBy;
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{EPOCH_NS, MS, Script};

/// Steps of 200 ms that wait for data so long, and a device that says the same of itself each time.
fn device(data_ms: u64, utilization: u64, limits: u64) -> Vec<Script> {
    let mut script = Script::new(7, 9_000 * MS);
    for at in 0..84 {
        let mut readings = DeviceReadings::default();
        readings.set(Reading::Utilization, utilization);
        readings.set(Reading::ClockLimits, limits);
        script.observed(Record::DeviceSample(DeviceSample {
            ticks: EPOCH_NS + at * 100 * MS,
            device: 0,
            readings,
        }));
    }
    for step in 0..40 {
        let start = (200 + step * 200) * MS;
        script.span(&["step", "data"], start, data_ms * MS);
        script.span(&["step"], start, 200 * MS);
    }
    vec![script]
}

/// Readings of a device that has a context and nothing to do.
const IDLE: u64 = 1;
/// Somebody set its clock.
const SET_BY_HAND: u64 = 2;

#[test]
fn a_clock_that_somebody_chose_is_not_throttled() {
    let alike = [
        ("nothing to do", device(1, 90, IDLE)),
        ("set by hand", device(1, 90, SET_BY_HAND)),
    ];
    check("throttled", &device(1, 90, Throttle::Heat.bit()), &alike);
}

#[test]
fn larger_batches_are_no_advice_for_a_device_that_waits_for_data() {
    let alike = [
        ("waits for data", device(150, 20, 0)),
        ("busy", device(1, 60, 0)),
    ];
    check("idle-device", &device(1, 20, 0), &alike);
    // Without that wait it would still be idle most of the time.
    check("idle-device", &device(100, 20, 0), &[]);
}

#[test]
fn larger_batches_are_advice_for_what_comes_near_what_memory_allows() {
    let is_told = |bound: BoundBy, bytes_moved_per_s: f64| {
        let mut summary = summarize(&[run(|_| training(1, 10))], Options::default());
        let peak = Peak {
            per_s: 1e12,
            label: "memory".to_owned(),
            threads: None,
        };
        summary.operations = Some(OperationsSummary {
            bytes_peaks: vec![peak],
            ..OperationsSummary::default()
        });
        let rows = &mut summary.steady.as_mut().unwrap().rows;
        let mut rows = rows.iter_mut();
        let backward = rows.find(|row| row.path == "step/backward").unwrap();
        (backward.work.bound, backward.work.intensity) = (Some(bound), Some(1.5));
        backward.work.bytes_moved_per_s = Some(bytes_moved_per_s);
        let all = find(&summary, &Clues::default());
        let mut all = all.iter();
        all.any(|one| matches!(one, Finding::MemoryBound { .. }))
    };
    assert!(is_told(BoundBy::Memory, 5e11));
    assert!(!is_told(BoundBy::Memory, 1e11), "launching small operators");
    assert!(!is_told(BoundBy::Arithmetic, 5e11));
}
