//! A device that had nothing to do most of the time.

use super::evidence::Evidence;
use crate::summary::finding::Finding;

/// The mean utilization below which a device waits more than it works.
pub const IDLE_RATIO: f64 = 0.5;
/// The least number of samples: fewer say too little of a run.
const LEAST_SAMPLES: u64 = 20;

/// Finds the device that had least to do while steps ran. Without a steady state, startup would be taken for it.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let each = evidence.summary.devices.iter().filter_map(|device| {
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
