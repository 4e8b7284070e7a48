//! What a comparison found: plain values, ready to be shown or written as JSON.
//!
//! The field names are those of the published schema (`docs/comparison.schema.json`).

use std::fmt;

use serde::Serialize;

use super::comparison_row::ComparisonRow;
use super::gate::GateResult;
use super::history::Change;
use super::matched::Basis;
use super::run::Run;
use crate::benchmark::verdict::Verdict;
use crate::summary::doubt::Doubt;

/// Name of the JSON schema.
pub const SCHEMA: &str = "laptime-comparison";
/// Version of the JSON schema: rises when a field changes its meaning or goes.
pub const SCHEMA_VERSION: u32 = 1;

/// A base and what was compared with it: what `laptime compare -f json` and `Comparison.to_json()` write.
///
/// **Units** nanoseconds; ratios are new over base.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// What tells it from other JSON.
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA)))]
    pub schema: String,
    /// Version of the schema.
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA_VERSION)))]
    pub version: u32,
    /// What the others are compared with.
    pub base: SideSummary,
    /// Where the steps changed, of six single recordings or more in their order; left out where they did not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub changes: Vec<Change>,
    /// The base with each of the others.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub pairs: Vec<Pair>,
}

/// One side.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SideSummary {
    /// Its recordings, in order.
    pub recordings: Vec<Recorded>,
}

/// One recording of a side.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Recorded {
    /// Its path as typed.
    pub name: String,
    /// The program's name.
    pub program: String,
    /// How long the run took.
    pub wall_ns: u64,
    /// The first step of the steady state, from 0; `None` without one.
    pub from_step: Option<u64>,
}

impl SideSummary {
    /// The side that has these runs.
    pub fn of(runs: &[Run]) -> Self {
        let recordings = runs.iter().map(|run| Recorded {
            name: run.name.clone(),
            program: run.summary.program.clone(),
            wall_ns: run.summary.wall_ns,
            from_step: run.summary.steady.as_ref().map(|steady| steady.from_step),
        });
        Self {
            recordings: recordings.collect(),
        }
    }
}

/// The base and another side.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pair {
    /// The other side.
    pub new: SideSummary,
    /// On a step or, where what passes between the steps changed, on the time from step to step; without
    /// steps, on the run.
    pub verdict: Verdict,
    /// What differences are of.
    pub basis: Basis,
    /// What one of these is called: `step`, `request`, `run`.
    pub noun: String,
    /// Smaller changes are none, as a part of the base.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.01)))]
    pub threshold_ratio: f64,
    /// The row of the step or of the run.
    pub whole: ComparisonRow,
    /// From the start of one step to that of the next; own times and differences are of what passes between the
    /// steps. Left out where that is below 5 % of it and not most of a change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_to_step: Option<ComparisonRow>,
    /// The lap inside of a step that surely got slower or faster, where the step can't tell whether
    /// it did; left out otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inside: Option<CausePart>,
    /// Where the difference lies; `None` where nothing inside tells it.
    pub cause: Option<Cause>,
    /// Every path of either side, in tree order.
    pub rows: Vec<ComparisonRow>,
    /// Memory, operations, CPU time and metrics of both sides.
    pub beside: Vec<Beside>,
    /// What makes the sides hard to compare.
    pub differs: Vec<Difference>,
    /// What was asked not to get worse (`--fail-on`).
    pub gates: Vec<GateResult>,
    /// What there is to know before the numbers are believed.
    pub notes: Vec<Doubt>,
}

/// Of what differences are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Average {
    /// Of medians: those of a usual step.
    Medians,
    /// Of means, which add up.
    Means,
}

/// Where the difference of a step lies.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cause {
    /// Time that a step takes longer, by `shares_of`; by medians where that is `None`. Without steps, the mean run.
    pub difference_ns: f64,
    /// The paths that make most of it, largest first.
    pub parts: Vec<CausePart>,
    /// What the step takes longer outside of all paths inside, where that is much of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_ns: Option<f64>,
    /// Of which average the parts add up to the difference; `None` where they do of neither.
    pub shares_of: Option<Average>,
}

/// One path's part of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CausePart {
    /// The path.
    pub path: String,
    /// Time that the median step takes longer through it; without steps, the mean run.
    pub difference_ns: f64,
}

/// What a number beside the times counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Nanoseconds.
    Ns,
    /// Bytes.
    Bytes,
    /// Floating-point operations.
    Flop,
    /// Floating-point operations per second.
    FlopPerS,
    /// A metric's own.
    Metric,
}

/// A number of both sides beside their times; of several runs the median.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Beside {
    /// What it is.
    pub name: String,
    /// Its unit.
    pub unit: Unit,
    /// The base's; `None` where it was not recorded.
    pub base: Option<f64>,
    /// The other side's.
    pub new: Option<f64>,
}

/// Something that two sides must have in common to be compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Difference {
    /// What it is.
    pub what: String,
    /// What the base has.
    pub base: String,
    /// What the other side has.
    pub new: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, base, new } = self;
        write!(to, "the {what} differs: {base} and {new}")
    }
}
