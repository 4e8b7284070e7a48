//! The unit that differences of a comparison are given for: a step, a run, or an iteration.

use serde::Serialize;

/// The unit that differences are given for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// A step, or whatever both sides repeat.
    Step,
    /// The whole run: the sides repeat nothing, or different things.
    Run,
    /// An iteration of a benchmark: the sides are files of samples.
    Benchmark,
}
