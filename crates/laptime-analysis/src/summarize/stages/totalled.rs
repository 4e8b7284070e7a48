//! The third stage: everything is added up, and rows can be made.

use std::collections::BTreeMap;

use laptime_core::{RunInfo, Total, Unavailable, zero_ns};

use crate::doubts;
use crate::findings;
use crate::findings::clues::Clues;
use crate::functions::sampled;
use crate::power::{self, SteadyTicks};
use crate::profiler;
use crate::reading::process::Process;
use crate::summarize::collect_doubts;
use crate::summarize::columns::left_outside::LeftOutside;
use crate::summarize::columns::operations::{self, Peaks};
use crate::summarize::columns::{device_memory, device_time, launches, memory};
use crate::summarize::epochs;
use crate::summarize::process_summaries;
use crate::summarize::rows::{self, Rows};
use crate::summarize::run_facts;
use crate::summarize::tree::Tree;
use crate::summarize::wall_cover::FilledTime;
use crate::summarize::wall_time::Wall;
use crate::summary::doubt::Doubt;
use crate::summary::fields;
use crate::summary::modules;
use crate::summary::numbered_names;
use crate::summary::process::{ProcessRows, ProcessSummary, Rank};
use crate::summary::span_row::SpanRow;
use crate::summary::{Steady, Summary};

/// A run whose processes' totals are complete.
#[derive(Debug)]
pub struct Totalled {
    pub(super) run: Option<RunInfo>,
    /// All paths with their totals, which the processes have no longer.
    pub(super) tree: Tree,
    pub(super) processes: Vec<Process>,
    /// Number of processes in front that are measured.
    pub(super) front_count: usize,
    pub(super) wall: Wall,
    pub(super) filled: FilledTime,
    pub(super) measured_ns: u64,
    pub(super) steady: Option<Steady>,
    pub(super) steady_why: Option<Unavailable>,
    pub(super) steady_ticks: Vec<SteadyTicks>,
    pub(super) ranks: Vec<Rank>,
    pub(super) by_process: Vec<ProcessRows>,
    pub(super) summaries: Vec<ProcessSummary>,
    pub(super) peaks: Peaks,
    pub(super) clues: Clues,
    pub(super) warnings: Vec<Doubt>,
}

impl Totalled {
    /// Makes rows of the totals, with reasons to doubt them.
    pub fn summarize(mut self) -> Summary {
        let made = self.rows();
        let warnings = self.warnings(&made);
        let clues = std::mem::take(&mut self.clues);
        let mut summary = self.plain_values(made.rows, warnings);
        let numbered = numbered_names::doubt(&summary.rows);
        summary.warnings.extend(numbered);
        summary.findings = findings::find(&summary, &clues);
        doubts::longer_inputs::name_as_reason(&mut summary);
        summary
    }

    /// Makes the rows, with the columns that come from elsewhere than the tree.
    fn rows(&mut self) -> Rows {
        let tree = &self.tree;
        let leftovers = &self.filled.leftovers;
        let mut made = rows::rows(tree, self.measured_ns, leftovers, &mut self.peaks);
        power::fill(&mut made.rows, self.steady.as_mut(), &self.processes);
        let left = LeftOutside::of_processes(&self.processes);
        memory::fill_other(&mut made.rows, tree, &self.summaries, &left);
        let mut tables = vec![&mut made.rows];
        tables.extend(self.steady.as_mut().map(|steady| &mut steady.rows));
        for one in &mut self.by_process {
            tables.push(&mut one.rows);
            tables.extend(one.steady.as_mut().map(|steady| &mut steady.rows));
        }
        for rows in tables {
            let modules = self.processes.iter();
            modules::fill(rows, modules.map(|process| &process.features.modules));
        }
        made
    }

    /// Returns everything that there is to doubt, but for what only the finished rows tell.
    fn warnings(&mut self, made: &Rows) -> Vec<Doubt> {
        let mut all = std::mem::take(&mut self.warnings);
        let tree = &self.tree;
        launches::add_doubt(&mut all, &made.rows);
        all.extend(doubts::of_excess(self.filled.excess_ns, self.measured_ns));
        all.extend(doubts::of_doubled(self.filled.doubled_ns, self.measured_ns));
        all.extend(collect_doubts::row_doubts(made).chain(memory::doubt(tree)));
        all.extend(device_time::doubt(tree));
        all.extend(device_memory::doubt(&made.rows));
        all.extend(operations::doubts(tree));
        all.extend(profiler::doubts(&self.processes));
        all
    }

    /// Puts everything together.
    fn plain_values(self, rows: Vec<SpanRow>, warnings: Vec<Doubt>) -> Summary {
        let (tree, processes) = (&self.tree, &self.processes);
        let measured = &processes[..self.front_count];
        let run = self.run.as_ref();
        let zero_ns = zero_ns(run, processes.iter().map(|one| one.facts.started_ns));
        let steady = self.steady.as_ref();
        Summary {
            program: program(run, self.summaries.first()),
            wall_ns: self.wall.ns(),
            measured_ns: self.measured_ns,
            parallel_ns: self.filled.parallel_ns,
            wall_source: self.wall.source,
            span_count: self.summaries.iter().map(|one| one.span_count).total(),
            clock: process_summaries::clock(processes.first()),
            devices: power::devices(processes, &self.steady_ticks, steady, self.ranks.len()),
            operations: operations::summary(tree, &rows, &self.peaks),
            functions: sampled::functions(processes, measured.len(), &rows),
            interpreter_ends: sampled::interpreter_ends(processes, self.wall, run),
            operators: profiler::operators(processes, &rows),
            epochs: epochs::of_first(measured, zero_ns),
            epochs_of: epochs::of_each(measured),
            marks: run_facts::marks(processes, zero_ns),
            metrics: run_facts::metrics(processes, zero_ns),
            tracks: run_facts::tracks(processes),
            until: Vec::new(),
            environment: run_facts::environment(processes),
            unavailable: unavailable(run, tree, processes, &self.summaries),
            ranks: self.ranks,
            by_process: self.by_process,
            steady_why: self.steady_why,
            steady: self.steady,
            rows,
            processes: self.summaries,
            run: self.run,
            warnings,
            findings: Vec::new(),
        }
    }
}

/// Returns why numbers are missing, by name.
fn unavailable(
    run: Option<&RunInfo>,
    tree: &Tree,
    processes: &[Process],
    summaries: &[ProcessSummary],
) -> BTreeMap<String, Unavailable> {
    let mut known = fields::unavailable();
    known.extend(doubts::of_outcome(run, summaries.first()));
    let known = sampled::with_reason(known, processes);
    let known = device_time::with_reason(known, tree, processes);
    let known = power::with_reason(known, processes);
    let known = device_memory::with_reasons(known, tree, processes);
    memory::with_reasons(known, tree, processes, summaries)
}

/// Returns the program's name: from its launcher or, without one, from itself.
fn program(run: Option<&RunInfo>, main: Option<&ProcessSummary>) -> String {
    let own = || main.map(|main| main.program.clone());
    let launched = run.map(|run| run.program.clone());
    launched.or_else(own).unwrap_or_default()
}
