//! The summary of a run: all that is known about it, ready to be shown or written as JSON.
//!
//! The field names are those of the published schema (`docs/summary.schema.json`).
//! A number that is not there is `None`, and [`Summary::why`] says for what reason.

use std::collections::BTreeMap;

use laptime_core::{PathTable, PhaseName, RunInfo, Unavailable};

use serde::Serialize;

use crate::power::DeviceSummary;
use crate::profiler::Operators;
use crate::summary::clock::{ClockSummary, WallSource};
use crate::summary::doubt::Doubt;
use crate::summary::epoch::Epoch;
use crate::summary::finding::Finding;
use crate::summary::functions::{Functions, InterpreterEnds};
use crate::summary::marks::{Mark, Metric};
use crate::summary::operations::OperationsSummary;
use crate::summary::process::{ProcessEpochs, ProcessRows, ProcessSummary, Rank};
use crate::summary::span_row::{RowKind, SpanRow, is_zero};
use crate::summary::steady::Steady;
use crate::summary::track::Track;
use crate::time_to_target::question::UntilSummary;

/// Number of spans of one path from which on a run repeats them.
pub(crate) const MANY: u64 = 20;

/// Everything known about a run.
///
/// **Units** nanoseconds; ratios are of 1. What `serde` skips here the report writes by itself, in words.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// Last component of the program's or script's name.
    #[serde(skip)]
    pub program: String,
    /// Findings in the order in which to look at them, the weightiest first.
    #[serde(skip)]
    pub findings: Vec<Finding>,
    /// The launcher's description of the run, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunInfo>,
    /// Length of the run, in nanoseconds of `CLOCK_MONOTONIC`.
    pub wall_ns: u64,
    /// Time that shares are of: the wall time or, where several processes are measured, the sum of their times
    /// from start to end.
    pub measured_ns: u64,
    /// Time in which laps of several threads or tasks ran, counted for each but one of them:
    /// by so much rows add up to more than they share out.
    #[serde(skip_serializing_if = "is_zero")]
    pub parallel_ns: u64,
    /// Source of the wall time: the moments between which it was measured.
    pub wall_source: WallSource,
    /// Number of finished spans in all rows.
    pub span_count: u64,
    /// The clock of the spans.
    pub clock: ClockSummary,
    /// Processes, the main one first.
    pub processes: Vec<ProcessSummary>,
    /// Parts of a step of each measured process, where several are measured.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ranks: Vec<Rank>,
    /// The rows of each measured process by itself, with `--by process`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_process: Vec<ProcessRows>,
    /// Paths in tree order, parents before children, siblings by first appearance; leftovers last.
    pub rows: Vec<SpanRow>,
    /// The rows without warm-up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steady: Option<Steady>,
    /// Reason why there is no steady state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steady_why: Option<Unavailable>,
    /// Operations that were counted, joined with the time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operations: Option<OperationsSummary>,
    /// The functions that threads were in, where stacks were sampled or calls counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub functions: Option<Functions>,
    /// The time of a launched program before its first sample and after its last one.
    #[serde(skip)]
    pub interpreter_ends: InterpreterEnds,
    /// Operators and kernels by lap, where a profiler was on for some steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operators: Option<Operators>,
    /// Devices that were sampled, those of the first measured process first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<DeviceSummary>,
    /// The epochs of the first measured process that has any, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub epochs: Vec<Epoch>,
    /// Times of all epochs of each process, where several processes have epochs: the process of `epochs` first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub epochs_of: Vec<ProcessEpochs>,
    /// Named instants.
    pub marks: Vec<Mark>,
    /// Named numbers at instants.
    pub metrics: Vec<Metric>,
    /// Moments at which metrics reached the thresholds that were asked about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub until: Vec<UntilSummary>,
    /// Threads and tasks that have a name.
    pub tracks: Vec<Track>,
    /// Surroundings of the run that the recording describes.
    pub environment: BTreeMap<String, String>,
    /// Reasons for doubt.
    #[serde(skip)]
    pub warnings: Vec<Doubt>,
    /// Reasons why numbers are absent that no row has, by field name.
    pub unavailable: BTreeMap<String, Unavailable>,
}

impl Summary {
    /// Returns the row that the run repeats, and the rows that it stands among: the steps of the steady state;
    /// without one the outermost `step`, else the outermost spans that took longest if there are many of them,
    /// such as requests that run side by side.
    pub fn repeated(&self) -> Option<(&SpanRow, &[SpanRow])> {
        if let Some(steady) = &self.steady {
            let step = steady
                .rows
                .iter()
                .find(|row| row.path == steady.step_path)?;
            return Some((step, &steady.rows));
        }
        self.repeated_in_all()
    }

    /// Returns the row that the whole run repeats, warm-up included: where there is a steady state, its steps
    /// in all rows.
    pub fn repeated_in_all(&self) -> Option<(&SpanRow, &[SpanRow])> {
        if let Some(steady) = &self.steady {
            return Some((self.row(&steady.step_path)?, &self.rows));
        }
        let spans = self
            .rows
            .iter()
            .filter(|row| row.kind == RowKind::Span && row.depth() == 0);
        let step = spans.clone().find(|row| row.path == PhaseName::Step.text());
        let is_many = |row: &&SpanRow| {
            let others = [PhaseName::Compile.text(), PathTable::OVERFLOW_NAME];
            let is_work = !others.contains(&row.path.as_str());
            is_work && row.count.is_some_and(|count| count >= MANY)
        };
        let step = step.or_else(|| spans.filter(is_many).max_by_key(|row| row.total_ns))?;
        Some((step, &self.rows))
    }

    /// Tells whether the run is of a notebook, in which nothing starts before the first lap: cells ran there.
    pub fn is_notebook(&self) -> bool {
        let program = std::path::Path::new(&self.program);
        let is_shell = ["notebook", "IPython"].contains(&self.program.as_str());
        is_shell || program.extension().is_some_and(|is| is == "ipynb")
    }

    /// Returns why a number of a row is absent; `None` when it is there or no such field exists.
    pub fn why<'a>(&'a self, row: &'a SpanRow, field: &str) -> Option<&'a Unavailable> {
        row.why.get(field).or_else(|| self.unavailable.get(field))
    }

    /// Returns the row of a printed path. A span wins over a leftover of the same name.
    pub fn row(&self, path: &str) -> Option<&SpanRow> {
        self.rows.iter().find(|row| row.path == path)
    }
}
