//! About devices that were sampled: what slowed them, and whether they had enough to do.

use super::Finding;
use crate::power::{DeviceStretch, DeviceSummary};
use crate::summary::Summary;

/// From this part of the samples on, a lower clock is worth a word.
const THROTTLED_RATIO: f64 = 0.05;
/// Below this mean, a device waits more than it works.
const IDLE_RATIO: f64 = 0.5;
/// Fewer samples say too little of a run.
const LEAST_SAMPLES: u64 = 20;
/// By which part a throttled device is taken to be slower where its clock isn't known.
pub const UNKNOWN_LOSS: f64 = 0.05;
/// How a device's idle time counts beside what keeps it waiting.
pub const SHARE_OF_IDLE: f64 = 0.5;

/// The device that was throttled most.
pub fn throttled(summary: &Summary) -> Option<Finding> {
    let each = summary.devices.iter().filter_map(|device| {
        let (told, is_steady) = told(device);
        let ratio = told.throttled_ratio?;
        let is_worth_telling = ratio >= THROTTLED_RATIO && told.sample_count >= LEAST_SAMPLES;
        let reasons = told.throttled_by.iter();
        is_worth_telling.then(|| Finding::Throttled {
            device: device.device,
            name: device.name.clone(),
            ratio,
            reasons: reasons.map(|one| one.reason.clone()).collect(),
            slower_ratio: told.throttled_slower_ratio,
            is_steady,
            during_ns: told.sampled_ns,
        })
    });
    each.max_by(|one, other| ratio_of(one).total_cmp(&ratio_of(other)))
}

fn ratio_of(finding: &Finding) -> f64 {
    match finding {
        Finding::Throttled { ratio, .. } => *ratio,
        _ => 0.0,
    }
}

/// The device that had least to do while steps ran. Without a steady state, startup would be taken for it.
pub fn idle(summary: &Summary) -> Option<Finding> {
    let each = summary.devices.iter().filter_map(|device| {
        let steady = device.steady.as_ref()?;
        let mean = steady.utilization_mean_ratio?;
        let is_idle = mean < IDLE_RATIO && steady.sample_count >= LEAST_SAMPLES;
        is_idle.then_some((mean, device, steady))
    });
    let (mean, device, steady) = each.min_by(|one, other| one.0.total_cmp(&other.0))?;
    Some(Finding::IdleDevice {
        device: device.device,
        name: device.name.clone(),
        utilization_ratio: mean,
        sample_count: steady.sample_count,
        during_ns: steady.sampled_ns,
    })
}

/// Whether a device that is idle would have enough to do if the steps of each process didn't wait for data so long:
/// larger batches don't help it then.
pub fn waits_for_data(idle: &Finding, waited_ns: u64) -> bool {
    let Finding::IdleDevice {
        utilization_ratio,
        during_ns,
        ..
    } = idle
    else {
        return false;
    };
    let worked_ns = during_ns.saturating_sub(waited_ns);
    utilization_ratio * *during_ns as f64 >= IDLE_RATIO * worked_ns as f64
}

fn told(device: &DeviceSummary) -> (&DeviceStretch, bool) {
    let steady = device.steady.as_ref();
    (steady.unwrap_or(&device.whole), steady.is_some())
}
