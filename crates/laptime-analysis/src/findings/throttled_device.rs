//! A device that ran slower than it could.

use super::evidence::Evidence;
use crate::power::{DeviceStretch, DeviceSummary};
use crate::summary::finding::Finding;

/// The least part of the samples in which a device must be throttled.
const THROTTLED_RATIO: f64 = 0.05;
/// The least number of samples: fewer say too little of a run.
const LEAST_SAMPLES: u64 = 20;

/// Finds the device that was throttled most.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let each = evidence.summary.devices.iter().filter_map(|device| {
        let (stretch, is_steady) = stretch(device);
        let ratio = stretch.throttled_ratio?;
        let is_worth_telling = ratio >= THROTTLED_RATIO && stretch.sample_count >= LEAST_SAMPLES;
        is_worth_telling.then_some((ratio, device, stretch, is_steady))
    });
    let (ratio, device, stretch, is_steady) =
        each.max_by(|one, other| one.0.total_cmp(&other.0))?;
    let reasons = stretch.throttled_by.iter();
    Some(Finding::Throttled {
        device: device.device,
        name: device.name.clone(),
        ratio,
        reasons: reasons.map(|one| one.reason.clone()).collect(),
        slower_ratio: stretch.throttled_slower_ratio,
        is_steady,
        during_ns: stretch.sampled_ns,
    })
}

/// Returns the steady state of a device and true or, without one, its whole run and false.
fn stretch(device: &DeviceSummary) -> (&DeviceStretch, bool) {
    let steady = device.steady.as_ref();
    (steady.unwrap_or(&device.whole), steady.is_some())
}
