//! What is asked of a comparison.

use super::gate::Gate;
use crate::benchmark::verdict::LEAST_THRESHOLD;

/// What is asked of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Smaller changes are none, as a part of the base; [`LEAST_THRESHOLD`] at least.
    pub threshold_ratio: f64,
    /// Whether verdicts are given where devices, types, the work of a step or what was recorded differ.
    pub allow_different: bool,
    /// What may not get worse by more than a limit.
    pub gates: Vec<Gate>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            threshold_ratio: LEAST_THRESHOLD,
            allow_different: false,
            gates: Vec::new(),
        }
    }
}
