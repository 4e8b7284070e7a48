//! Plain values that a comparison ends in, ready to be shown or written as JSON.

use serde::Serialize;

use super::comparison_row::ComparisonRow;
use super::difference::Difference;
use super::difference_unit::Basis;
use super::functions::FunctionChanges;
use super::gate_outcome::GateResult;
use super::history::Change;
use super::note::Note;
use super::other_number::OtherNumber;
use super::recording::Run;
use crate::benchmark::verdict::Verdict;

/// A base, and each side that was compared with it.
///
/// **Units** nanoseconds; ratios are new over base.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The side with which the others are compared.
    pub base: SideSummary,
    /// Places where the steps changed, of six single recordings or more in their order.
    pub changes: Vec<Change>,
    /// One pair for each other side, compared with the base.
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
    /// Wall time of the run.
    pub wall_ns: u64,
    /// The first step of the steady state, from 0; `None` without one.
    pub from_step: Option<u64>,
}

impl SideSummary {
    /// Sums up these recordings as one side.
    pub fn of_runs(runs: &[Run]) -> Self {
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
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The other side.
    pub new: SideSummary,
    /// The verdict on a step or, where the time between the steps changed, on the time from step to step; without steps,
    /// on the run.
    pub verdict: Verdict,
    /// The unit that differences are given for.
    pub basis: Basis,
    /// The name for one such unit: `step`, `request`, `run`.
    pub noun: String,
    /// Part of the base below which changes are none.
    pub threshold_ratio: f64,
    /// The row of the step or of the run.
    pub whole: ComparisonRow,
    /// The time from the start of one step to that of the next, with the time between the steps as its own; `None` where
    /// that is below 5 % of it and not most of a change.
    pub step_to_step: Option<ComparisonRow>,
    /// The lap inside of a step that surely got slower or faster, where the step can't tell whether it did.
    pub changed_lap: Option<CausePart>,
    /// The laps in which the difference lies; `None` where nothing inside tells it.
    pub cause: Option<Cause>,
    /// Whether a side has laps; of benchmarks true.
    pub has_laps: bool,
    /// The functions of the program or, with steps, of the lap that changed; `None` where a run has no samples of them.
    pub functions: Option<FunctionChanges>,
    /// Every path of either side, in tree order.
    pub rows: Vec<ComparisonRow>,
    /// Memory, operations, CPU time and metrics of both sides.
    pub other_numbers: Vec<OtherNumber>,
    /// Facts that make the sides hard to compare.
    pub differences: Vec<Difference>,
    /// Numbers that were asked not to get worse.
    pub gates: Vec<GateResult>,
    /// Facts that a reader must know before the numbers are believed.
    pub notes: Vec<Note>,
}

/// The average that differences are taken of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Average {
    /// Medians, which are those of a usual step.
    Medians,
    /// Means, which add up.
    Means,
}

/// The laps in which the difference of a step lies.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cause {
    /// Time that a step takes longer, by `shares_of`; by medians where that is `None`. Without steps, the mean run.
    pub difference_ns: f64,
    /// The paths that make most of it, largest first.
    pub parts: Vec<CausePart>,
    /// Time that the step takes longer outside of all paths inside, where that is much of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_ns: Option<f64>,
    /// The average whose parts add up to the difference; `None` where those of neither do.
    pub shares_of: Option<Average>,
}

/// The part of one path in a difference.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CausePart {
    /// The path.
    pub path: String,
    /// Time that the median step takes longer through it; without steps, the mean run.
    pub difference_ns: f64,
}
