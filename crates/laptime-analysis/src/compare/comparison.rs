//! What a comparison found: plain values, ready to be shown or written as JSON.
//!
//! The field names are those of the published schema (`docs/comparison.schema.json`).

use std::fmt;

use laptime_core::Warning;
use serde::{Serialize, Serializer};

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
    /// The lap inside of a step that surely got slower, where it decides because the step can't tell.
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

/// On which sides a path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Presence {
    /// On both.
    Both,
    /// Only on the new one.
    Added,
    /// Only on the base.
    Removed,
}

/// One path on both sides.
///
/// **Units** nanoseconds; ratios are new over base.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparisonRow {
    /// The names joined by `/`, with `/` and `\` inside a name escaped.
    pub path: String,
    /// The names from the outermost to this one.
    pub names: Vec<String>,
    /// Name of the module's class, where it is a network's; empty for any other.
    pub module_class: String,
    /// On which sides it is.
    pub presence: Presence,
    /// The base's numbers.
    pub base: Option<RowSide>,
    /// The other side's.
    pub new: Option<RowSide>,
    /// New median over base median.
    pub ratio: Option<f64>,
    /// Lower end of the ratio's 95 % interval.
    pub ratio_low: Option<f64>,
    /// Upper end of the ratio's 95 % interval.
    pub ratio_high: Option<f64>,
    /// How likely such a difference is without any.
    pub p_value: Option<f64>,
    /// What came of it; `None` for a path of one side.
    #[serde(serialize_with = "word_or_none")]
    pub verdict: Option<Verdict>,
    /// Why, as a sentence.
    pub reason: String,
    /// Mean time for each step or run that is added; below zero where it is less. A side without the
    /// path has 0.
    pub difference_ns: f64,
    /// The same, without what the paths inside take.
    pub own_difference_ns: f64,
    /// By how much a typical step is longer through it: of medians, where there are some.
    pub median_difference_ns: f64,
    /// The same, without what the paths inside take.
    pub own_median_difference_ns: f64,
}

impl ComparisonRow {
    /// How deep it stands in the tree; 0 for outermost rows.
    pub fn depth(&self) -> usize {
        self.names.len().saturating_sub(1)
    }

    /// By how much a usual step is longer through it; below zero where it is shorter. What is in some
    /// steps only counts by how many have it, and what is in fewer than half is not usual.
    pub fn typical_difference_ns(&self) -> f64 {
        let is_usual = [&self.base, &self.new]
            .into_iter()
            .flatten()
            .any(|side| side.step_ratio >= 0.5);
        if is_usual { self.of_medians_ns() } else { 0.0 }
    }

    /// The same, however few steps have it.
    pub(crate) fn of_medians_ns(&self) -> f64 {
        let typical = |side: &Option<RowSide>| {
            side.as_ref().map_or(0.0, |side| {
                side.median_ns
                    .map_or(side.mean_ns, |median| median * side.step_ratio)
            })
        };
        typical(&self.new) - typical(&self.base)
    }

    /// Takes back that it got faster or slower, for the reason that is named.
    pub(crate) fn doubt(&mut self, why: &str) {
        if matches!(self.verdict, Some(Verdict::Faster | Verdict::Slower)) {
            self.verdict = Some(Verdict::Inconclusive);
            why.clone_into(&mut self.reason);
        }
    }

    /// Withdraws the verdict, for the reason that is named.
    pub(crate) fn refuse(&mut self, why: &str) {
        if self.verdict.is_some() {
            self.verdict = Some(Verdict::NotComparable);
            why.clone_into(&mut self.reason);
        }
    }
}

/// One side of a row.
///
/// **Units** nanoseconds; of several runs, the mean of their means.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RowSide {
    /// Median time in a step that has it; outside of steps, of one span.
    pub median_ns: Option<f64>,
    /// Mean time for each step or run.
    pub mean_ns: f64,
    /// The same, without what the paths inside take.
    pub own_ns: f64,
    /// Spans for each step or run.
    pub count: f64,
    /// Part of the steps that have it; outside of steps, spans for each of them.
    #[serde(skip)]
    pub step_ratio: f64,
    /// CPU time of the process for each step or run, where it was measured.
    pub process_ns: Option<f64>,
}

/// Where the difference of a step lies.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cause {
    /// Time that the median step takes longer; below zero where it is less.
    pub difference_ns: f64,
    /// The paths that make most of it, largest first.
    pub parts: Vec<CausePart>,
}

/// One path's part of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CausePart {
    /// The path.
    pub path: String,
    /// Time that the median step takes longer through it.
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

/// A verdict as programs read it.
pub const fn name_of(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Faster => "faster",
        Verdict::Slower => "slower",
        Verdict::Same => "same",
        Verdict::Inconclusive => "inconclusive",
        Verdict::NotComparable => "not-comparable",
    }
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde's serialize_with passes a reference"
)]
fn word<S: Serializer>(verdict: &Verdict, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(name_of(*verdict))
}

#[allow(
    clippy::ref_option,
    clippy::trivially_copy_pass_by_ref,
    reason = "serde's serialize_with passes a reference"
)]
fn word_or_none<S: Serializer>(verdict: &Option<Verdict>, to: S) -> Result<S::Ok, S::Error> {
    match verdict {
        Some(verdict) => word(verdict, to),
        None => to.serialize_none(),
    }
}
