//! Options of a comparison.

use super::gate::Gate;
use crate::benchmark::verdict::LEAST_THRESHOLD;

/// Options of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Part of the base below which changes are none; [`LEAST_THRESHOLD`] at least.
    pub threshold_ratio: f64,
    /// Whether verdicts are given where devices, types, the work of a step or what was recorded differ.
    pub allow_different: bool,
    /// Numbers that may not get worse by more than a limit.
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
