//! What is known about a run: plain values, ready to be shown or written as JSON.
//!
//! The field names are those of the published schema (`docs/summary.schema.json`).
//! A number that is not there is `None`, and [`Summary::why`] says for what reason.

use std::collections::BTreeMap;

use laptime_core::{ClockKind, PathTable, PhaseName, RunInfo, Unavailable, Warning};
mod absence;
pub(crate) mod device_row;
pub mod fields;
pub(crate) mod finding;
pub(crate) mod memory_row;
pub(crate) mod modules;
pub(crate) mod nearest;
pub(crate) mod numbered_names;
pub(crate) mod operations;
pub(crate) mod pattern;
pub(crate) mod process;
pub(crate) mod seldom;
pub(crate) mod span_row;
pub(crate) mod spoken;
pub(crate) mod work_row;

use serde::Serialize;

use crate::functions::Functions;
use crate::power::DeviceSummary;
use crate::profiler::Operators;
use crate::summary::finding::Finding;
use crate::summary::operations::OperationsSummary;
use crate::summary::process::{ProcessEpochs, ProcessRows, ProcessSummary, Rank};
use crate::summary::span_row::{RowKind, SpanRow, is_zero};
use crate::time_to_target::search::UntilSummary;

/// Name of the JSON schema.
pub const SCHEMA: &str = "laptime-summary";
/// Version of the JSON schema: rises when a field changes its meaning or goes.
pub const SCHEMA_VERSION: u32 = 1;

/// From so many spans of one path on, a run repeats them.
pub(crate) const MANY: u64 = 20;

/// Everything known about a run: what `laptime report -f json` and `Report.to_json()` write.
///
/// **Units** nanoseconds; ratios are of 1. A number that is null is absent for the reason in the row's `why` or in
/// `unavailable`; one that is left out is 0, or was not measured. The version rises when a field changes its meaning or
/// goes; a release may add fields, and its schema has them.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// What tells it from other JSON.
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA)))]
    pub schema: String,
    /// Version of the schema.
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA_VERSION)))]
    pub version: u32,
    /// Last component of the program's or script's name.
    pub program: String,
    /// What to look at first, the weightiest first; absent when nothing was found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// The launcher's description of the run, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunInfo>,
    /// How long the run took, in nanoseconds of `CLOCK_MONOTONIC`.
    pub wall_ns: u64,
    /// What shares are of: the wall time or, where several processes are measured, the sum of
    /// their times from start to end.
    pub measured_ns: u64,
    /// Time in which laps of several threads or tasks ran, counted for each but one of them:
    /// by so much rows add up to more than they share out.
    #[serde(skip_serializing_if = "is_zero")]
    pub parallel_ns: u64,
    /// Between which moments the wall time was measured.
    pub wall_source: WallSource,
    /// Finished spans in all rows.
    pub span_count: u64,
    /// The clock of the spans.
    pub clock: ClockSummary,
    /// Processes, the main one first.
    pub processes: Vec<ProcessSummary>,
    /// What a step of each measured process is made of, where several are.
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
    /// Why there is no steady state, or that it was left out as asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steady_why: Option<Unavailable>,
    /// How operations that were counted were joined with the time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operations: Option<OperationsSummary>,
    /// The functions that threads were in, where stacks were sampled or calls counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub functions: Option<Functions>,
    /// Operators and kernels by lap, where a profiler was on for some steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operators: Option<Operators>,
    /// Devices that were sampled, those of the first measured process first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<DeviceSummary>,
    /// The epochs of the first measured process that has any, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub epochs: Vec<Epoch>,
    /// Where several processes have epochs: how long each one's took, the one of `epochs` first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub epochs_of: Vec<ProcessEpochs>,
    /// Named instants.
    pub marks: Vec<Mark>,
    /// Named numbers at instants.
    pub metrics: Vec<Metric>,
    /// When metrics reached the thresholds that were asked about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub until: Vec<UntilSummary>,
    /// Threads and tasks that have a name.
    pub tracks: Vec<Track>,
    /// What the recording says about its surroundings.
    pub environment: BTreeMap<String, String>,
    /// Reasons for doubt.
    pub warnings: Vec<Warning>,
    /// Numbers that no row has, and why: by field name.
    pub unavailable: BTreeMap<String, Unavailable>,
}

/// Between which moments the wall time of a run was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum WallSource {
    /// The launcher started the program and saw its end.
    Launcher,
    /// The main process's start, known to 10 ms, until its last sign of life.
    Process,
    /// The start of the recording until the last sign of life.
    Recording,
    /// No moments: the sum of a timer's segments, in host time.
    Segments,
    /// The sum of a timer's segments, in CPU time of the process.
    ProcessTimeSegments,
    /// The sum of a timer's segments, in CPU time of the thread.
    ThreadTimeSegments,
    /// The sum of a timer's segments, in device time by event pairs.
    DeviceTimeSegments,
}

/// The run after its warm-up.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Steady {
    /// Path whose spans are the steps.
    pub step_path: String,
    /// First step that counts, from 0, as the program numbers them: counted and profiled ones are steps too.
    pub from_step: u64,
    /// Steps before that one, without counted and profiled ones.
    pub skipped_count: u64,
    /// What these took.
    pub skipped_ns: u64,
    /// From the start of the first steady step to the end of the last span; summed over the measured processes.
    pub wall_ns: u64,
    /// Paths in tree order, as in the rows of the whole run.
    pub rows: Vec<SpanRow>,
    /// What its steps did that makes its numbers doubtful.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// The part of its time in which the steps' thread was ready and had no CPU; `None` where it isn't known.
    #[serde(skip)]
    pub kept_ratio: Option<f64>,
}

impl Steady {
    /// What one of its steps is called: the name of their path, if it is a word.
    pub fn noun(&self) -> &str {
        noun(&self.step_path)
    }
}

/// What a span of a path is called in a sentence: its name, if that is a word, and of `request /login` the
/// word before the route.
pub fn noun(path: &str) -> &str {
    let (_, name) = laptime_core::path::around(path);
    let name = name.split_once(" \\/").map_or(name, |(word, _)| word);
    let is_word = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic());
    if is_word { name } else { "span" }
}

/// One of what a noun names: `a step`, `an item`.
pub fn one_of(noun: &str) -> String {
    let is_vowel = noun.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {noun}", if is_vowel { "an" } else { "a" })
}

/// Several of what a noun names: `batches`.
pub fn nouns(noun: &str) -> String {
    let before_y = noun
        .strip_suffix('y')
        .and_then(|stem| Some((stem, stem.chars().last()?)));
    match before_y {
        Some((stem, last)) if !"aeiou".contains(last) => format!("{stem}ies"),
        _ if ["s", "x", "z", "ch", "sh"]
            .iter()
            .any(|end| noun.ends_with(end)) =>
        {
            format!("{noun}es")
        }
        _ => format!("{noun}s"),
    }
}

/// A pass over the training data, with what followed it until the next one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Epoch {
    /// When it began, since the start of the run.
    pub at_ns: u64,
    /// Until the next one began; of the last one, until its lap, or its last step or evaluation, ended.
    pub duration_ns: u64,
    /// Steps begun in it.
    pub step_count: u64,
    /// How long evaluations in it ran, where there were any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluation_ns: Option<u64>,
    /// The last value of each metric in it, by path: of those that had so few that all are known.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: BTreeMap<String, f64>,
}

/// The clock that timed the spans.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClockSummary {
    /// Where ticks come from.
    pub kind: ClockKind,
    /// Mean length of a tick.
    #[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0)))]
    pub ns_per_tick: f64,
    /// Whether that was measured against the system's clock rather than stated by the CPU.
    pub is_measured: bool,
}

/// A named instant.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Mark {
    /// Path under the span that was open.
    pub path: String,
    /// The mark's own name.
    pub name: String,
    /// How often.
    pub count: u64,
    /// When, in ns since the start of the run; thinned out evenly when there are many.
    pub at_ns: Vec<u64>,
}

/// A named number at instants.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Metric {
    /// Path under the span that was open.
    pub path: String,
    /// The metric's own name.
    pub name: String,
    /// How often.
    pub count: u64,
    /// How many of the values are not numbers (NaN).
    #[serde(skip_serializing_if = "is_zero")]
    pub nan_count: u64,
    /// The latest value; `None` when it is not a finite number.
    pub last: Option<f64>,
    /// The smallest number; `None` when it is infinite or there is none.
    pub min: Option<f64>,
    /// The largest number; `None` when it is infinite or there is none.
    pub max: Option<f64>,
    /// Why `last`, `min` or `max` is absent: by field name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub why: BTreeMap<String, Unavailable>,
    /// Values in time order, thinned out evenly when there are many.
    pub series: Vec<MetricPoint>,
}

/// One value of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MetricPoint {
    /// When, in ns since the start of the run.
    pub at_ns: u64,
    /// The value; `None` when it is not a finite number.
    pub value: Option<f64>,
}

/// A thread or task.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Track {
    /// Id of the process that it belongs to.
    pub pid: u32,
    /// The track's number in its process.
    pub track: u32,
    /// Whether it is a task rather than a thread.
    pub is_task: bool,
    /// The system's thread id.
    pub thread: u64,
    /// The track's name.
    pub name: String,
}

impl Summary {
    /// What the run repeats, and the rows that it stands among: the steps of the steady state; without
    /// one the outermost `step`, else the outermost spans that took longest if there are many of them,
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

    /// What the whole run repeats, warm-up included: where there is a steady state, its steps in all rows.
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

    /// Whether it is of a notebook, in which nothing starts before the first lap: cells ran there.
    pub fn is_notebook(&self) -> bool {
        let program = std::path::Path::new(&self.program);
        let is_shell = ["notebook", "IPython"].contains(&self.program.as_str());
        is_shell || program.extension().is_some_and(|is| is == "ipynb")
    }

    /// Why a number of a row is absent; `None` when it is there or no such field exists.
    pub fn why<'a>(&'a self, row: &'a SpanRow, field: &str) -> Option<&'a Unavailable> {
        row.why.get(field).or_else(|| self.unavailable.get(field))
    }

    /// The row of a printed path. A span wins over a leftover of the same name.
    pub fn row(&self, path: &str) -> Option<&SpanRow> {
        self.rows.iter().find(|row| row.path == path)
    }
}

#[cfg(test)]
mod tests {
    use super::nouns;

    #[test]
    fn several_are_called_as_one_would_say() {
        let each = ["step", "batch", "query", "day", "pass", "y"].map(nouns);
        assert_eq!(
            each,
            ["steps", "batches", "queries", "days", "passes", "ys"]
        );
    }
}
