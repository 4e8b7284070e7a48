use laptime_core::format::record::Record;
use laptime_core::{DeviceReading as Reading, DeviceReadings, DeviceSample, Throttle};
use proptest::prelude::*;

use super::DeviceStretch;
use super::energy::{Energy, NoEnergy};
use crate::Options;
use crate::summary::Summary;
use crate::summary::finding::Finding;
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{EPOCH_NS, MS, Script};

const TENTH: u64 = 100 * MS;
const UUID: &str = "GPU-fafafafa-fafa-fafa-fafa-fafafafafa00";

fn sample(device: u32, at_ns: u64, told: &[(Reading, u64)]) -> Record<'static> {
    let mut readings = DeviceReadings::default();
    for (reading, value) in told {
        readings.set(*reading, *value);
    }
    Record::DeviceSample(DeviceSample {
        ticks: EPOCH_NS + at_ns,
        device,
        readings,
    })
}

fn name(device: u32) -> Record<'static> {
    Record::DeviceName {
        device,
        uuid: UUID,
        name: "Fake GPU",
    }
}

/// Returns steps of 200 ms, and a device that draws 200 W, is busy for 90 % and throttled in every fourth
/// sample.
fn training(steps: u64) -> Script {
    let end = (steps + 2) * 2 * TENTH;
    let mut script = Script::new(7, end);
    script.observed(name(0));
    for at in 0..end / TENTH {
        let limits = if at % 4 == 0 {
            Throttle::PowerLimit.bit()
        } else {
            1
        };
        let clock = if at % 4 == 0 { 1_200 } else { 1_600 };
        script.observed(sample(
            0,
            at * TENTH,
            &[
                (Reading::Utilization, if at % 2 == 0 { 85 } else { 95 }),
                (Reading::MemoryUtilization, 30),
                (Reading::Memory, (1 + at) << 20),
                (Reading::ProcessMemory, 1 << 20),
                (Reading::Power, 200_000),
                (Reading::Energy, 5_000 + at * 20_000),
                (Reading::Clock, clock),
                (Reading::Temperature, 60 + at % 3),
                (Reading::ClockLimits, limits),
            ],
        ));
    }
    for step in 0..steps {
        let start = (step + 1) * 2 * TENTH;
        script.span(&["train", "step"], start, 2 * TENTH - MS);
    }
    script.span(&["train"], 2 * TENTH, steps * 2 * TENTH);
    script
}

fn summary(script: Script) -> Summary {
    summarize(&[script], Options::default())
}

fn whole(summary: &Summary) -> &DeviceStretch {
    &summary.devices[0].whole
}

fn is_about(found: Option<f64>, wanted: f64) -> bool {
    found.is_some_and(|found| (found - wanted).abs() < 1e-6 * wanted.abs().max(1.0))
}

fn why(told: &DeviceStretch, field: &str) -> String {
    told.why
        .get(field)
        .map_or_else(String::new, |why| why.0.clone())
}

#[test]
fn a_device_is_told_of_the_whole_run_and_of_its_steady_state() {
    let summary = summary(training(40));
    let device = &summary.devices[0];
    assert_eq!((device.device, device.pid), (0, 7));
    assert_eq!(
        (device.uuid.as_str(), device.name.as_str()),
        (UUID, "Fake GPU")
    );
    let told = whole(&summary);
    assert_eq!((told.sample_count, told.sampled_ns), (84, 83 * TENTH));
    assert!(is_about(told.utilization_mean_ratio, 0.9));
    assert!(is_about(told.utilization_p95_ratio, 0.95));
    assert!(is_about(told.memory_utilization_mean_ratio, 0.3));
    assert_eq!(told.memory_peak_bytes, Some(84 << 20));
    assert_eq!(told.process_memory_peak_bytes, Some(1 << 20));
    assert!(is_about(told.power_mean_w, 200.0) && is_about(told.power_peak_w, 200.0));
    assert_eq!(told.temperature_peak_celsius, Some(62));
    // 83 updates of 20 J.
    assert!(is_about(told.energy_j, 1_660.0), "{:?}", told.energy_j);
    assert!(is_about(told.throttled_ratio, 0.25));
    assert_eq!(told.throttled_by[0].reason, "power limit");
    assert!(is_about(told.throttled_slower_ratio, 0.25));
    let steady = device.steady.as_ref().expect("steps are steady");
    assert!(
        is_about(steady.energy_per_step_j, 40.0 - 0.2 / 40.0)
            || steady.energy_per_step_j > Some(39.0)
    );
    assert!(steady.sample_count < told.sample_count);
}

#[test]
fn the_energy_of_a_lap_is_that_of_its_spans_if_each_is_long_enough() {
    let summary = summary(training(40));
    let train = summary.row("train").unwrap();
    // 40 steps of 0.2 s at 200 W.
    assert!(
        is_about(train.device_energy_j, 1_600.0),
        "{:?}",
        train.device_energy_j
    );
    let step = summary.row("train/step").unwrap();
    assert_eq!(step.device_energy_j, None);
    let why = &summary.why(step, "device_energy_j").unwrap().0;
    assert_eq!(
        why,
        "fewer than 5 updates of the device's energy counter were seen"
    );
}

#[test]
fn a_lap_that_began_before_the_device_was_sampled_has_no_energy() {
    let mut script = training(40);
    script.span(&["all"], 0, 42 * 2 * TENTH);
    let summary = summary(script);
    let all = summary.row("all").unwrap();
    let why = &summary.why(all, "device_energy_j").unwrap().0;
    assert_eq!(why, "the device was not sampled from its start to its end");
}

#[test]
fn what_no_sample_has_is_absent_with_the_reason_that_was_recorded() {
    let mut script = Script::new(7, 3_000 * MS);
    script.observed(name(0));
    script.observed(Record::DeviceLacks {
        device: 0,
        reading: Reading::Energy as u64,
        why: "the driver is too old to tell it",
    });
    for at in 0..20 {
        script.observed(sample(0, at * TENTH, &[(Reading::Power, 100_000)]));
    }
    script.span(&["work"], 0, 2_000 * MS);
    let summary = summary(script);
    let told = whole(&summary);
    assert_eq!(told.energy_j, None);
    assert_eq!(why(told, "energy_j"), "the driver is too old to tell it");
    assert_eq!(told.utilization_mean_ratio, None);
    assert_eq!(
        why(told, "utilization_mean_ratio"),
        "the device did not tell it meanwhile"
    );
    assert!(is_about(told.power_mean_w, 100.0));
    let row = summary.row("work").unwrap();
    assert_eq!(row.device_energy_j, None);
    let lack = &summary.why(row, "device_energy_j").unwrap().0;
    assert_eq!(lack, "the driver is too old to tell it");
}

/// Returns a lap of ten seconds on a device that draws 700 W, which is read every `every_ns`.
fn ten_seconds(every_ns: u64) -> Script {
    let end = 13_000 * MS;
    let mut script = Script::new(7, end);
    script.observed(name(0));
    for at in 0..end / every_ns {
        let mj = at * every_ns / MS * 700;
        script.observed(sample(0, at * every_ns, &[(Reading::Energy, mj)]));
    }
    script.span(&["work"], 2_000 * MS, 10_000 * MS);
    script
}

#[test]
fn a_lap_of_ten_seconds_has_its_energy_where_reading_takes_a_second() {
    let summary = summary(ten_seconds(1_000 * MS));
    let row = summary.row("work").unwrap();
    assert!(
        is_about(row.device_energy_j, 7_000.0),
        "{:?}",
        row.device_energy_j
    );
}

#[test]
fn a_counter_that_was_read_too_seldom_is_the_reason_and_no_device_without_one() {
    let summary = summary(ten_seconds(5_000 * MS));
    let row = summary.row("work").unwrap();
    assert_eq!(row.device_energy_j, None);
    let why = &summary.why(row, "device_energy_j").unwrap().0;
    assert_eq!(
        why,
        "fewer than 5 updates of the device's energy counter were seen"
    );
}

#[test]
fn a_single_sample_has_peaks_and_no_means() {
    let mut script = Script::new(7, 300 * MS);
    script.observed(sample(
        0,
        0,
        &[(Reading::Utilization, 50), (Reading::Power, 7_000)],
    ));
    script.span(&["work"], 0, 200 * MS);
    let summary = summary(script);
    let told = whole(&summary);
    assert_eq!(told.power_peak_w, Some(7.0));
    assert_eq!(told.utilization_mean_ratio, None);
    assert_eq!(
        why(told, "utilization_mean_ratio"),
        "it was sampled only once meanwhile"
    );
}

#[test]
fn why_nothing_was_sampled_is_no_warning_but_the_reason_of_the_devices() {
    let mut script = Script::new(7, 300 * MS);
    script.note(super::UNAVAILABLE, "devices were not sampled: no library");
    script.span(&["work"], 0, 200 * MS);
    let summary = summary(script);
    let row = summary.row("work").unwrap();
    let why = summary.why(row, "device_energy_j").unwrap();
    assert_eq!(why.0, "devices were not sampled: no library");
    assert!(summary.devices.is_empty());
    assert_eq!(
        summary.unavailable["devices"].0,
        "devices were not sampled: no library"
    );
    assert!(
        summary
            .warnings
            .iter()
            .all(|one| one.code() != super::UNAVAILABLE)
    );
}

#[test]
fn two_processes_on_one_device_tell_of_it_once() {
    let mut other = training(40);
    other.header.pid = 8;
    let summary = summarize(&[training(40), other], Options::default());
    assert_eq!(summary.devices.len(), 1);
}

#[test]
fn a_throttled_device_is_a_finding_with_its_reason() {
    let summary = summary(training(40));
    let found = summary.findings.iter().find_map(|finding| match finding {
        Finding::Throttled {
            ratio,
            reasons,
            is_steady,
            ..
        } => Some((*ratio, reasons, *is_steady)),
        _ => None,
    });
    let (ratio, reasons, is_steady) = found.expect("throttled in a quarter of the samples");
    assert!((0.2..0.3).contains(&ratio) && is_steady);
    assert_eq!(reasons[..], ["power limit".to_owned()]);
    let idle = |finding: &Finding| matches!(finding, Finding::IdleDevice { .. });
    assert!(!summary.findings.iter().any(idle), "busy for 90 %");
}

#[test]
fn a_device_that_waits_most_of_the_steady_state_is_a_finding() {
    let mut script = Script::new(7, 9_000 * MS);
    for at in 0..84 {
        script.observed(sample(0, at * TENTH, &[(Reading::Utilization, 20)]));
    }
    for step in 0..40 {
        script.span(&["step"], (step + 1) * 2 * TENTH, 2 * TENTH);
    }
    let summary = summary(script);
    let found = summary.findings.iter().find_map(|finding| match finding {
        Finding::IdleDevice {
            utilization_ratio, ..
        } => Some(*utilization_ratio),
        _ => None,
    });
    assert!(is_about(found, 0.2), "{:?}", summary.findings);
}

fn counter(changes: &[(u64, u64)]) -> Energy {
    let mut energy = Energy::default();
    for (at, mj) in changes {
        energy.push(*at, *mj);
    }
    energy
}

#[test]
fn readings_between_two_updates_are_no_updates() {
    let twice: Vec<(u64, u64)> = (0..8).map(|at| (at * 50, at / 2 * 10)).collect();
    assert_eq!(counter(&twice).whole(), Err(NoEnergy::TooShort));
    let once: Vec<(u64, u64)> = (0..8).map(|at| (at * 50, at * 10)).collect();
    assert_eq!(counter(&once).whole(), Ok(70.0));
}

#[test]
fn a_counter_that_went_back_tells_nothing() {
    let back = counter(&[
        (0, 900),
        (1, 910),
        (2, 5),
        (3, 15),
        (4, 25),
        (5, 35),
        (6, 45),
        (7, 55),
    ]);
    assert_eq!(back.whole(), Err(NoEnergy::WentBack));
    assert_eq!(back.inside(2, 7), Err(NoEnergy::WentBack));
    assert_eq!(back.shortest(), None);
}

proptest! {
    #[test]
    fn neighbouring_stretches_add_up_to_the_whole(
        steps in proptest::collection::vec((1_u64..50, 1_u64..1_000), 20..60),
        parts in (0.3_f64..0.4, 0.6_f64..0.7),
    ) {
        let (mut at, mut mj) = (0, 0);
        let changes: Vec<(u64, u64)> = steps.iter().map(|(after, drawn)| {
            at += after;
            mj += drawn;
            (at, mj)
        }).collect();
        let energy = counter(&changes);
        let series = energy.series().unwrap();
        let (first, last) = (changes[0].0, at);
        let place = |part: f64| first + ((last - first) as f64 * part) as u64;
        let (one, two) = (place(parts.0), place(parts.1));
        let each = [(first, one), (one, two), (two, last)];
        let all: Result<f64, NoEnergy> = each.iter().map(|(from, to)| series.between(*from, *to)).sum();
        if let Ok(sum) = all {
            prop_assert!((sum - energy.whole().unwrap()).abs() < 1e-6);
        }
        prop_assert!(energy.whole().unwrap() >= 0.0);
    }
}
