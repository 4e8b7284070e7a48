//! Functions that were sampled, by the lap that they ran in: plain values for reports and JSON.
//!
//! A sample stands for the time since the look before it at its thread. So times are estimates: of a share `p` seen in
//! `n` samples the standard error is `√(p·(1 − p)/n)`. The time of a lap is measured, where it is one of threads.

use std::collections::HashMap;

use laptime_core::{COLLECTION, Total};

use serde::Serialize;

use crate::summary::call_tree::{self, Beside, CallNode};
use crate::summary::code_line::{CodePlace, LineTime};
use crate::summary::span_row::{RowKind, is_zero};

/// Name of the time of a program that has no lap at all.
pub(crate) const PROGRAM: &str = "program";
/// Name of the time without a lap in threads of a measured process other than those that have laps.
pub(crate) const OTHER_THREADS: &str = "other threads";
/// Name of the time in processes beside the measured ones, such as a loader's workers.
pub(crate) const OTHER_PROCESSES: &str = "other processes";

/// Name of the time of an event loop between its tasks: it waits for them, and calls them.
pub(crate) const EVENT_LOOP: &str = "event loop";

/// The part of garbage collections' time that began in one line for them to be told by it.
const ONE_LINE_RATIO: f64 = 0.9;

/// Functions whose stacks were sampled in a run.
///
/// **Units** nanoseconds; ratios are of 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Functions {
    /// Number of stacks that were read.
    pub sample_count: u64,
    /// Mean time between two looks at a thread that runs.
    pub period_ns: u64,
    /// Mean error of a sample's moment: laps that are shorter share their samples with their neighbours.
    pub within_ns: u64,
    /// The part of the threads' time in which their stacks could not be read.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub unread_ratio: f64,
    /// Laps in which samples were taken, the longest first; threads without laps stand last.
    pub laps: Vec<LapFunctions>,
    /// Functions whose calls were counted one by one, where that was asked for. Where it was all that was asked
    /// for, nothing else here was sampled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<ExactFunctions>,
}

/// The time of a launched program that no sample has, while its interpreter starts and ends.
///
/// **Units** nanoseconds; 0 where it isn't known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InterpreterEnds {
    /// From the launch to the first sample.
    pub start_ns: u64,
    /// From the last sample after which the interpreter began to exit to the end of its process.
    pub exit_ns: u64,
}

/// Counted calls of a run: every call of a function, over all processes and threads.
///
/// A call of a lap is one that was made while the lap was the innermost one; its time counts there,
/// whatever laps are opened inside of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExactFunctions {
    /// Number of calls that ended.
    pub call_count: u64,
    /// Number of calls that were not below another call of the same function.
    pub primitive_count: u64,
    /// Functions, the longest self time first.
    pub functions: Vec<ExactFunction>,
    /// Laps in which functions were called, the longest self time first.
    pub laps: Vec<ExactLap>,
}

/// A function whose calls were counted.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExactFunction {
    /// Qualified name of the function; of one that isn't Python, as `cProfile` writes it.
    pub name: String,
    /// File that the function stands in; `~` for one that isn't Python.
    pub file: String,
    /// Line at which the function begins; 0 for one that isn't Python.
    pub line: u32,
    /// Number of calls that ended.
    pub call_count: u64,
    /// Number of calls that were not below another call of the function.
    pub primitive_count: u64,
    /// Time of the primitive calls, with all that they called.
    pub total_ns: u64,
    /// Time in the function itself.
    pub self_ns: u64,
    /// Functions that called it, where that is known.
    pub callers: Vec<CallerTime>,
}

/// Times of a function's calls from one caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallerTime {
    /// The caller's place in the list of functions.
    pub function: usize,
    /// Number of calls that ended.
    pub call_count: u64,
    /// Number of calls that were not below another one from this caller.
    pub primitive_count: u64,
    /// Time of the primitive calls, with all that they called.
    pub total_ns: u64,
    /// Time in the called function itself.
    pub self_ns: u64,
}

/// The calls that were made in one lap, without those in laps inside of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExactLap {
    /// The lap's path, or the name of the time outside of laps.
    pub path: String,
    /// Names of the path.
    #[serde(skip)]
    pub names: Vec<String>,
    /// Whether it is a lap.
    pub kind: RowKind,
    /// Number of calls that ended.
    pub call_count: u64,
    /// Self time of all functions.
    pub self_ns: u64,
    /// Functions, the longest self time first.
    pub functions: Vec<ExactInLap>,
}

/// Times of one function's calls in one lap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExactInLap {
    /// The function's place in the list of functions.
    pub function: usize,
    /// Number of calls that ended.
    pub call_count: u64,
    /// Number of calls that were not below another call of the function.
    pub primitive_count: u64,
    /// Time of the primitive calls, with all that they called.
    pub total_ns: u64,
    /// Time in the function itself.
    pub self_ns: u64,
    /// Functions that called it in this lap, the callers first whose calls took longest.
    pub callers: Vec<CallerTime>,
}

/// The functions of one lap, without the laps inside.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LapFunctions {
    /// The lap's path, or the name of the time outside of laps.
    pub path: String,
    /// Names of the path.
    #[serde(skip)]
    pub names: Vec<String>,
    /// Whether it is a lap.
    pub kind: RowKind,
    /// Self time of the lap: as it was measured or, where that isn't time of threads, as the samples say.
    pub total_ns: u64,
    /// Part of the self time in which the thread waited: for another thread, a file, a device, a sleep's end.
    pub waiting_ns: u64,
    /// Number of samples.
    pub sample_count: u64,
    /// Number of these at which it ran.
    #[serde(skip)]
    pub running_count: u64,
    /// Number of samples taken while several tasks of the thread had laps open: which one ran isn't known.
    #[serde(skip_serializing_if = "is_zero")]
    pub shared_count: u64,
    /// Packages that were imported in it, the longest first; the imports of a package are part of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub imports: Vec<ImportTime>,
    /// Garbage collections in it by the program's line that they began in, the longest first; few lines. Those of a
    /// package's import are part of the import.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub collections: Vec<CollectionTime>,
    /// Functions, the longest self time first.
    pub functions: Vec<FunctionTime>,
    /// Calls of the lap as a tree: callers before the functions that they call. Functions that take next to no
    /// time are left out.
    pub stacks: Vec<StackNode>,
    /// Calls of the lap as a person reads them: functions of the program, and what of packages they call.
    pub calls: Vec<CallNode>,
}

/// The time in one function.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FunctionTime {
    /// Qualified name of the function.
    pub name: String,
    /// File that the function stands in; of a cell of a notebook its name, such as `In[3]`.
    pub file: String,
    /// Time in the function itself, and in functions that it calls that aren't Python.
    pub self_ns: u64,
    /// Time in the function and in all that it calls.
    pub total_ns: u64,
    /// Part of the self time in which the thread waited.
    pub waiting_ns: u64,
    /// Number of samples in which the function was innermost.
    pub self_count: u64,
    /// Part of the self time that went by while a package was imported.
    #[serde(skip_serializing_if = "is_zero")]
    pub imported_ns: u64,
    /// Number of samples in which the function was innermost while a package was imported.
    #[serde(skip_serializing_if = "is_zero")]
    pub imported_count: u64,
    /// Self time by line, the longest first.
    pub lines: Vec<LineTime>,
}

/// The time that an import took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImportTime {
    /// The module, as an import statement names it.
    pub name: String,
    /// The function of a package that imports it; absent where the program itself does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The line of the program that imports it, or calls what does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<CodePlace>,
    /// Time in its import, with all that it runs.
    pub total_ns: u64,
    /// Number of samples in its import.
    #[serde(skip_serializing_if = "is_zero")]
    pub sample_count: u64,
}

/// The time of garbage collections that began in one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CollectionTime {
    /// The line of the program, or the one that calls the package in which they began; absent for all other lines together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<CodePlace>,
    /// Time of the collections.
    pub total_ns: u64,
    /// Number of samples in them.
    pub sample_count: u64,
}

/// A function with the way of calls to it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StackNode {
    /// The caller's place in the list; absent for the outermost function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    /// Qualified name of the function.
    pub name: String,
    /// File that the function stands in; of a cell of a notebook its name, such as `In[3]`.
    pub file: String,
    /// Time in the function and in all that it calls, on this way.
    pub total_ns: u64,
    /// Time in the function itself.
    pub self_ns: u64,
}

impl ExactFunctions {
    /// Returns the lap that took most by itself; without laps, all of the program.
    pub fn main_lap(&self) -> Option<&ExactLap> {
        let mut laps = self.laps.iter();
        let lap = laps.find(|lap| lap.kind == RowKind::Span);
        lap.or(self.laps.first())
    }

    /// Tells whether a lap of the program has this path.
    pub fn has_lap(&self, path: &str) -> bool {
        let mut laps = self.laps.iter();
        laps.any(|lap| lap.kind == RowKind::Span && lap.path == path)
    }
}

impl FunctionTime {
    /// Tells whether it stands for garbage collections.
    pub fn is_collection(&self) -> bool {
        (&*self.name, &*self.file) == COLLECTION
    }

    /// Returns the self time in which nothing was imported: with the time of imports it adds up to that of the
    /// lap.
    pub fn beside_imports_ns(&self) -> u64 {
        self.self_ns.saturating_sub(self.imported_ns)
    }

    /// Returns the number of samples in which nothing was imported.
    pub fn beside_imports_count(&self) -> u64 {
        self.self_count.saturating_sub(self.imported_count)
    }
}

impl LapFunctions {
    /// Returns the time of garbage collections in it.
    pub fn collected_ns(&self) -> u64 {
        self.collections.iter().map(|one| one.total_ns).total()
    }

    /// Returns the time in which the lap did not wait.
    pub fn running_ns(&self) -> u64 {
        self.total_ns.saturating_sub(self.waiting_ns)
    }

    /// Tells whether it ran beside the measured laps, without a lap: in other threads or processes, or while
    /// the laps of tasks were open.
    pub fn is_beside(&self) -> bool {
        self.is_parallel() || (self.kind != RowKind::Span && self.path == EVENT_LOOP)
    }

    /// Returns the number of samples that the program's calls are known by: of threads beside, those that ran.
    pub fn telling_count(&self) -> u64 {
        if self.is_parallel() {
            self.running_count
        } else {
            self.sample_count
        }
    }

    /// Returns in which other threads or processes it ran, without a lap.
    fn runs_beside(&self) -> Beside {
        match &*self.path {
            _ if self.kind == RowKind::Span => Beside::No,
            OTHER_THREADS => Beside::Threads,
            OTHER_PROCESSES => Beside::Processes,
            _ => Beside::No,
        }
    }

    /// Tells whether it ran in other threads or processes, without a lap.
    pub fn is_parallel(&self) -> bool {
        self.runs_beside() != Beside::No
    }
}

/// Returns the time that shares of a program's calls are of: the wall time, or that in which all threads and processes
/// worked where it is longer.
pub fn whole_of_calls(laps: &[LapFunctions], wall_ns: u64) -> u64 {
    let worked_ns = laps.iter().map(LapFunctions::running_ns).total();
    worked_ns.max(wall_ns)
}

/// Returns the tree of calls of a whole program. Of threads and processes beside the main one it has the time in which
/// they worked: however many of them wait, that is nobody's time, and so it is of the main one where threads worked side
/// by side.
pub fn calls_of_program(laps: &[LapFunctions], wall_ns: u64) -> Vec<CallNode> {
    let is_side_by_side = whole_of_calls(laps, wall_ns) > wall_ns;
    let is_beside = |lap: &LapFunctions| lap.is_parallel() || is_side_by_side;
    let trees = laps.iter().map(|lap| {
        let mut tree = if is_beside(lap) {
            call_tree::without_waiting(&lap.calls)
        } else {
            lap.calls.clone()
        };
        for node in &mut tree {
            node.beside = lap.runs_beside();
        }
        tree
    });
    let trees: Vec<Vec<CallNode>> = trees.collect();
    call_tree::merge(trees.iter().map(Vec::as_slice))
}

/// Returns the line of the program in which nearly all garbage collections of laps began, if there is one.
pub fn collected_in<'f>(laps: impl IntoIterator<Item = &'f LapFunctions>) -> Option<CodePlace> {
    let mut lines: HashMap<Option<&CodePlace>, u64> = HashMap::new();
    let collections = laps.into_iter().flat_map(|lap| &lap.collections);
    for one in collections {
        let ns = lines.entry(one.place.as_ref()).or_default();
        *ns = ns.saturating_add(one.total_ns);
    }
    let all_ns: u64 = lines.values().copied().total();
    let is_nearly_all = |ns: u64| ns as f64 >= ONE_LINE_RATIO * all_ns as f64;
    let mut lines = lines.into_iter();
    let found = lines.find(|(place, ns)| place.is_some() && is_nearly_all(*ns));
    found.and_then(|(place, _)| place.cloned())
}

impl Functions {
    /// Returns the lap that took most by itself; without laps, all of the program.
    pub fn main_lap(&self) -> Option<&LapFunctions> {
        let mut laps = self.laps.iter();
        let lap = laps.find(|lap| lap.kind == RowKind::Span);
        let own = || self.laps.iter().find(|lap| !lap.is_beside());
        lap.or_else(own).or(self.laps.first())
    }

    /// Returns the threads, processes or event loop that worked beside a lap for longer than the lap itself, if
    /// there are any: the work is there.
    pub fn busier_beside(&self, lap: &LapFunctions) -> Option<&LapFunctions> {
        let beside = self.laps.iter().filter(|one| one.is_beside());
        let busiest = beside.max_by_key(|one| one.running_ns());
        busiest.filter(|one| one.running_ns() > lap.running_ns())
    }

    /// Returns the largest gap between laps, such as the work after the last one, where the program worked
    /// longer in it than in the longest lap. Imports are no such work: a finding tells of them.
    pub fn main_gap(&self) -> Option<&LapFunctions> {
        let lap = self.main_lap().filter(|lap| lap.kind == RowKind::Span);
        let lap_ns = lap.map_or(0, |lap| lap.total_ns);
        let worked_ns = |gap: &LapFunctions| {
            let imported_ns = gap.imports.iter().map(|import| import.total_ns);
            gap.total_ns.saturating_sub(imported_ns.total())
        };
        let gaps = self
            .laps
            .iter()
            .filter(|gap| gap.kind != RowKind::Span && !gap.is_beside() && worked_ns(gap) > lap_ns);
        gaps.max_by_key(|gap| worked_ns(gap))
    }

    /// Tells whether a lap of the program has this path.
    pub fn has_lap(&self, path: &str) -> bool {
        let mut laps = self.laps.iter();
        laps.any(|lap| lap.kind == RowKind::Span && lap.path == path)
    }

    /// Returns half the width of the 95 % interval of a share that was seen in so many samples.
    pub fn uncertainty(ratio: f64, samples: u64) -> f64 {
        // One sample more on either side, so that 0 and 1 are not certain (Agresti and Coull 1998).
        let n = samples as f64 + 4.0;
        let p = (ratio.clamp(0.0, 1.0) * samples as f64 + 2.0) / n;
        1.96 * (p * (1.0 - p) / n).sqrt()
    }
}
