//! From samples to summaries: means, percentiles and peaks, of a whole run and of its steady state.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use laptime_core::{DeviceReading as Reading, DeviceReadings, Throttle, Total, Unavailable};

use super::energy::NoEnergy;
use super::samples::SampledDevice;
use super::summary::{DeviceStretch, DeviceSummary, ThrottleShare};
use crate::reading::process::Process;
use crate::summary::Steady;
use crate::summary::fields::Group;

/// Code of the note that says why no device was sampled.
pub const UNAVAILABLE: &str = "telemetry.unavailable";
/// Why laps of a program that reports on itself have no energy: devices are sampled for recordings.
const LIVE: &str = "a recording's report tells it, and this is a report of the running program: open the recording";
/// Name of the summary's field that has the devices.
const FIELD: &str = "devices";
/// Why a number is absent that no sample has, where no reason was recorded.
const NOT_TOLD: &str = "the device did not tell it meanwhile";
/// Fewest samples that have a mean.
const LEAST_SAMPLES: usize = 2;

/// Start and end of a process's steady state, in ticks.
pub type SteadyTicks = Option<(u64, u64)>;

/// Returns the devices of all processes; `steady` has the start and end of each process's steady state.
pub fn devices(
    processes: &[Process],
    steady: &[SteadyTicks],
    told: Option<&Steady>,
    ranks: usize,
) -> Vec<DeviceSummary> {
    let steps = told.and_then(|told| steps(told, ranks));
    let mut summaries: Vec<DeviceSummary> = Vec::new();
    for (process, steady) in processes.iter().zip(steady) {
        for (index, device) in &process.features.devices.0 {
            let made = summary(
                process,
                *index,
                device,
                steady.filter(|_| told.is_some()),
                steps,
            );
            let Some(made) = made else {
                continue;
            };
            // Two processes on one device saw the same: the one that looked longer tells.
            let mut known = summaries.iter_mut();
            let known = known.find(|known| known.uuid == made.uuid && !made.uuid.is_empty());
            match known {
                Some(known) if known.whole.sample_count >= made.whole.sample_count => {}
                Some(known) => *known = made,
                None => summaries.push(made),
            }
        }
    }
    summaries
}

/// Adds why there are no devices, if a process said so, and why no lap has energy.
pub fn with_reason(
    mut unavailable: BTreeMap<String, Unavailable>,
    processes: &[Process],
) -> BTreeMap<String, Unavailable> {
    let mut notes = processes
        .iter()
        .flat_map(|process| &process.features.notes.0);
    if let Some((_, why)) = notes.find(|(code, _)| code == UNAVAILABLE) {
        unavailable.insert(FIELD.to_owned(), Unavailable(why.clone()));
    }
    if let Some(why) = no_energy(processes) {
        for name in Group::Energy.names() {
            unavailable.insert(name.to_owned(), Unavailable(why.to_owned()));
        }
    }
    unavailable
}

fn no_energy(processes: &[Process]) -> Option<&str> {
    let is_of_itself =
        |process: &Process| process.facts.is_live && process.facts.file_bytes.is_none();
    if processes.iter().any(is_of_itself) {
        return Some(LIVE);
    }
    let lack = processes
        .iter()
        .find_map(|one| one.features.devices.no_energy());
    let mut notes = processes
        .iter()
        .flat_map(|process| &process.features.notes.0);
    lack.or_else(|| {
        let (_, why) = notes.find(|(code, _)| code == UNAVAILABLE)?;
        Some(why)
    })
}

/// Returns how many steps one process took in the steady state.
fn steps(told: &Steady, ranks: usize) -> Option<u64> {
    let row = told.rows.iter().find(|row| row.path == told.step_path)?;
    let steps = row.count? / ranks.max(1) as u64;
    (steps > 0).then_some(steps)
}

fn summary(
    process: &Process,
    index: u32,
    device: &SampledDevice,
    steady: SteadyTicks,
    steps: Option<u64>,
) -> Option<DeviceSummary> {
    let samples: Vec<(u64, DeviceReadings)> = device.samples.iter().collect();
    let mut whole = stretch(process, device, &samples)?;
    // Of all samples, also of those that were thinned out.
    let most = |reading: Reading| device.most[reading as usize];
    whole.sample_count = device.samples.pushed_count();
    whole.memory_peak_bytes = most(Reading::Memory);
    whole.process_memory_peak_bytes = most(Reading::ProcessMemory);
    whole.power_peak_w = most(Reading::Power).map(thousandths);
    whole.temperature_peak_celsius = most(Reading::Temperature);
    energy(&mut whole, device, device.energy.whole());
    no_steps(
        &mut whole,
        "a step's energy is told of the steady state only",
    );
    let steady = steady.and_then(|(from, to)| {
        let inside = samples.iter().filter(|(at, _)| (from..=to).contains(at));
        let inside: Vec<_> = inside.copied().collect();
        let mut told = stretch(process, device, &inside)?;
        energy(&mut told, device, device.energy.inside(from, to));
        match (told.energy_j, steps) {
            (Some(joules), Some(steps)) => told.energy_per_step_j = Some(joules / steps as f64),
            _ => no_steps(&mut told, "there is no energy to share out"),
        }
        Some(told)
    });
    Some(DeviceSummary {
        device: index,
        uuid: device.uuid.clone(),
        name: device.name.clone(),
        pid: process.facts.header.pid,
        whole,
        steady,
    })
}

fn no_steps(told: &mut DeviceStretch, why: &str) {
    absent(told, "energy_per_step_j", why);
}

fn absent(told: &mut DeviceStretch, field: &str, why: &str) {
    let why = Unavailable(why.to_owned());
    told.why.insert(field.to_owned(), why);
}

fn energy(told: &mut DeviceStretch, device: &SampledDevice, found: Result<f64, NoEnergy>) {
    match found {
        Ok(mj) => told.energy_j = Some(mj / 1e3),
        Err(lack) => absent(told, "energy_j", device.no_energy(lack)),
    }
}

/// Returns the numbers of some samples; `None` where there are none.
fn stretch(
    process: &Process,
    device: &SampledDevice,
    samples: &[(u64, DeviceReadings)],
) -> Option<DeviceStretch> {
    let ((first, _), (last, _)) = (samples.first()?, samples.last()?);
    let values = |reading: Reading| -> Vec<u64> {
        let each = samples.iter();
        each.filter_map(|(_, told)| told.get(reading)).collect()
    };
    let mut told = DeviceStretch {
        sampled_ns: process
            .facts
            .anchors
            .rate()
            .nanoseconds(last.saturating_sub(*first)),
        sample_count: samples.len() as u64,
        ..DeviceStretch::default()
    };
    let utilization = values(Reading::Utilization);
    told.utilization_mean_ratio = mean(&utilization).map(|percent| percent / 100.0);
    told.utilization_p95_ratio = percentile(utilization, 0.95).map(|percent| percent / 100.0);
    let memory = mean(&values(Reading::MemoryUtilization));
    told.memory_utilization_mean_ratio = memory.map(|percent| percent / 100.0);
    let power = values(Reading::Power);
    told.power_mean_w = mean(&power).map(|milliwatts| milliwatts / 1e3);
    told.power_peak_w = power.into_iter().max().map(thousandths);
    told.memory_peak_bytes = values(Reading::Memory).into_iter().max();
    told.process_memory_peak_bytes = values(Reading::ProcessMemory).into_iter().max();
    told.clock_mean_mhz = mean(&values(Reading::Clock));
    told.temperature_peak_celsius = values(Reading::Temperature).into_iter().max();
    throttling(&mut told, &values(Reading::ClockLimits));
    slower(&mut told, device, samples);
    explain(&mut told, device, samples.len());
    Some(told)
}

/// Notes in a stretch why numbers are absent.
fn explain(told: &mut DeviceStretch, device: &SampledDevice, samples: usize) {
    let named = [
        (
            "utilization_mean_ratio",
            Reading::Utilization,
            told.utilization_mean_ratio.is_none(),
        ),
        (
            "utilization_p95_ratio",
            Reading::Utilization,
            told.utilization_p95_ratio.is_none(),
        ),
        (
            "memory_utilization_mean_ratio",
            Reading::MemoryUtilization,
            told.memory_utilization_mean_ratio.is_none(),
        ),
        (
            "memory_peak_bytes",
            Reading::Memory,
            told.memory_peak_bytes.is_none(),
        ),
        (
            "process_memory_peak_bytes",
            Reading::ProcessMemory,
            told.process_memory_peak_bytes.is_none(),
        ),
        ("power_mean_w", Reading::Power, told.power_mean_w.is_none()),
        ("power_peak_w", Reading::Power, told.power_peak_w.is_none()),
        (
            "clock_mean_mhz",
            Reading::Clock,
            told.clock_mean_mhz.is_none(),
        ),
        (
            "temperature_peak_celsius",
            Reading::Temperature,
            told.temperature_peak_celsius.is_none(),
        ),
        (
            "throttled_ratio",
            Reading::ClockLimits,
            told.throttled_ratio.is_none(),
        ),
    ];
    for (field, reading, is_absent) in named {
        if !is_absent {
            continue;
        }
        let lack = device.lacks.get(&(reading as u64)).map(String::as_str);
        let why = match lack {
            Some(why) => why,
            None if samples < LEAST_SAMPLES => "it was sampled only once meanwhile",
            None => NOT_TOLD,
        };
        absent(told, field, why);
    }
}

fn throttling(told: &mut DeviceStretch, limits: &[u64]) {
    if limits.len() < LEAST_SAMPLES {
        return;
    }
    let ratio = |is_so: &dyn Fn(u64) -> bool| {
        let count = limits.iter().filter(|bits| is_so(**bits)).count();
        count as f64 / limits.len() as f64
    };
    told.throttled_ratio = Some(ratio(&|bits| Throttle::among(bits).next().is_some()));
    let each = Throttle::ALL.into_iter().map(|reason| ThrottleShare {
        reason: reason.words().to_owned(),
        ratio: ratio(&|bits| bits & reason.bit() != 0),
    });
    told.throttled_by = each.filter(|share| share.ratio > 0.0).collect();
    told.throttled_by
        .sort_by_key(|share| Reverse((share.ratio * 1e6) as u64));
}

/// Fills in how much lower the clock was in throttled samples.
fn slower(told: &mut DeviceStretch, device: &SampledDevice, samples: &[(u64, DeviceReadings)]) {
    let is_throttled = |readings: &DeviceReadings| {
        let bits = readings.get(Reading::ClockLimits).unwrap_or(0);
        Throttle::among(bits).next().is_some()
    };
    let clocks: Vec<u64> = (samples.iter())
        .filter(|(_, readings)| is_throttled(readings))
        .filter_map(|(_, readings)| readings.get(Reading::Clock))
        .collect();
    let most = device.most[Reading::Clock as usize].filter(|most| *most > 0);
    let clock = (!clocks.is_empty()).then(|| clocks.iter().total() as f64 / clocks.len() as f64);
    told.throttled_slower_ratio = clock
        .zip(most)
        .map(|(clock, most)| 1.0 - clock / most as f64);
    if told.throttled_slower_ratio.is_none() {
        absent(
            told,
            "throttled_slower_ratio",
            "it was not throttled, or its clock is not known",
        );
    }
}

fn thousandths(value: u64) -> f64 {
    value as f64 / 1e3
}

fn mean(values: &[u64]) -> Option<f64> {
    let sum: f64 = values.iter().map(|value| *value as f64).sum();
    (values.len() >= LEAST_SAMPLES).then(|| sum / values.len() as f64)
}

/// Returns a percentile by the nearest rank.
fn percentile(mut values: Vec<u64>, q: f64) -> Option<f64> {
    if values.len() < LEAST_SAMPLES {
        return None;
    }
    values.sort_unstable();
    let rank = (q * values.len() as f64).ceil() as usize;
    values.get(rank.max(1) - 1).map(|value| *value as f64)
}
