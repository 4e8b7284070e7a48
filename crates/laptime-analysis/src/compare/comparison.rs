//! What a comparison found: plain values, ready to be shown or written as JSON.
//!
//! The field names are those of the published schema (`docs/comparison.schema.json`).

use std::fmt;

use laptime_core::Warning;
use serde::Serialize;

use super::comparison_row::{ComparisonRow, word};
use super::gate::GateResult;
use super::history::Change;
use super::matched::Basis;
use super::run::Run;
use crate::verdict::Verdict;

/// Name of the JSON schema.
pub const SCHEMA: &str = "laptime-comparison";
/// Version of the JSON schema: rises when a field changes its meaning or goes.
pub const SCHEMA_VERSION: u32 = 1;

/// A base and what was compared with it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Always [`SCHEMA_VERSION`].
    pub version: u32,
    /// What the others are compared with.
    pub base: SideSummary,
    /// Where the steps changed, of so many single recordings in order that they tell.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// The base with each of the others.
    pub pairs: Vec<Pair>,
}

/// One side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SideSummary {
    /// Its recordings, in order.
    pub recordings: Vec<Recorded>,
}

/// One recording of a side.
#[derive(Debug, Clone, PartialEq, Serialize)]
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
pub struct Pair {
    /// The other side.
    pub new: SideSummary,
    /// On a step or, where what passes between the steps changed, on the time from step to step; without
    /// steps, on the run.
    #[serde(serialize_with = "word")]
    pub verdict: Verdict,
    /// What differences are of.
    pub basis: Basis,
    /// What one of these is called: `step`, `request`, `run`.
    pub noun: String,
    /// Smaller changes are none, as a part of the base.
    pub threshold_ratio: f64,
    /// The row of the step or of the run.
    pub whole: ComparisonRow,
    /// From the start of one step to that of the next, where what is between them counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_to_step: Option<ComparisonRow>,
    /// The lap inside of a step that surely got slower or faster, where the step can't tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inside: Option<CausePart>,
    /// Where the difference lies.
    pub cause: Option<Cause>,
    /// Every path of either side, in tree order.
    pub rows: Vec<ComparisonRow>,
    /// Memory, operations, CPU time and metrics of both sides.
    pub beside: Vec<Beside>,
    /// What makes the sides hard to compare.
    pub differs: Vec<Difference>,
    /// What was asked not to get worse.
    pub gates: Vec<GateResult>,
    /// What there is to know before the numbers are believed.
    pub notes: Vec<Warning>,
}

/// Of what differences are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Average {
    /// Of medians: those of a usual step.
    Medians,
    /// Of means, which add up.
    Means,
}

/// Where the difference of a step lies.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cause {
    /// Time that a step takes longer; below zero where it is less. By `shares_of`, and of medians without.
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
pub struct CausePart {
    /// The path.
    pub path: String,
    /// Time that a step takes longer through it.
    pub difference_ns: f64,
}

/// What a number beside the times counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
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
