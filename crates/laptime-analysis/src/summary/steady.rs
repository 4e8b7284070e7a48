//! The steady state of a run: the part after warm-up.

use serde::Serialize;

use crate::summary::doubt::Doubt;
use crate::summary::noun::noun;
use crate::summary::span_row::SpanRow;

/// The run after its warm-up.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Steady {
    /// Path whose spans are the steps.
    pub step_path: String,
    /// Number of the first step that counts, from 0, as the program numbers them: counted and profiled ones are
    /// steps too.
    pub from_step: u64,
    /// Number of steps before that one, without counted and profiled ones.
    pub skipped_count: u64,
    /// Time of the skipped steps.
    pub skipped_ns: u64,
    /// Time from the start of the first steady step to the end of the last span; summed over the measured
    /// processes.
    pub wall_ns: u64,
    /// Paths in tree order, as in the rows of the whole run.
    pub rows: Vec<SpanRow>,
    /// Reasons to doubt its numbers, from its steps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Doubt>,
    /// The part of its time in which the steps' thread was ready and had no CPU; `None` where it isn't known.
    #[serde(skip)]
    pub kept_ratio: Option<f64>,
    /// Usual time between two of its steps, on average: gaps that come now and then, such as an evaluation, are left
    /// out. `None` where it isn't known.
    #[serde(skip)]
    pub between_steps_ns: Option<u64>,
}

impl Steady {
    /// Returns the noun for one of its steps: the name of their path, if it is a word.
    pub fn noun(&self) -> &str {
        noun(&self.step_path)
    }
}
