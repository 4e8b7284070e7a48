//! Options of a comparison.

use super::limits::Gate;
use crate::benchmark::verdict::LEAST_THRESHOLD;

/// Share of all verdicts faster or slower that may be wrong. One on a lap inside of a step decides where the step can't
/// tell: then identical programs differ in less than one of a hundred comparisons, as half of such laps say slower, and
/// not all of these agree with the step.
pub(super) const FALSE_RATE: f64 = 0.02;

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
