//! Memory of a device that grows all the time while steps run, which every recording with device samples tells.

use super::evidence::Evidence;
use crate::summary::finding::Finding;

/// Finds the device whose memory rises most in the steps of the main process.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let steps = evidence.steps.as_ref()?;
    let found = evidence.clues.device_rise.as_ref()?;
    let rise = &found.rise;
    Some(Finding::DeviceGrowth {
        path: steps.step.path.clone(),
        step_count: rise.length.round() as u64,
        each_bytes: (rise.bytes / rise.length).round() as u64,
        uncertainty_bytes: (rise.uncertainty / rise.length).round() as u64,
        risen_bytes: rise.bytes.round() as u64,
        device: found.device,
        name: found.name.clone(),
        is_own: found.is_own,
        is_counted: evidence.clues.is_memory_counted,
    })
}

#[cfg(test)]
#[path = "tests/device_growth.rs"]
mod tests;
