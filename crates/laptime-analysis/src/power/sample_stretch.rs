//! Numbers of a device over a stretch of time: means, percentiles and peaks of its samples.

use std::cmp::Reverse;

use laptime_core::{DeviceReading as Reading, DeviceReadings, Throttle, Total, Unavailable};

use super::samples::SampledDevice;
use super::summary::{DeviceStretch, ThrottleShare};
use crate::reading::process::Process;

/// Why a number is absent that no sample has, where no reason was recorded.
const NOT_TOLD: &str = "the device did not tell it meanwhile";
/// Fewest samples that have a mean.
const LEAST_SAMPLES: usize = 2;

/// Returns the numbers of some samples; `None` where there are none.
pub(super) fn stretch(
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

/// Notes in a stretch why a number is absent.
pub(super) fn absent(told: &mut DeviceStretch, field: &str, why: &str) {
    let why = Unavailable(why.to_owned());
    told.why.insert(field.to_owned(), why);
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

/// Returns a number of thousandths as whole units.
pub(super) fn thousandths(value: u64) -> f64 {
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
