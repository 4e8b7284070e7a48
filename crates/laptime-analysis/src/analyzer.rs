//! Takes in a recording, process by process: whoever reads it gives the records to the passes.
//!
//! Processes and windows may come in any order, but for windows of one writer in which a
//! span goes on that the window before began. With a steady state in sight
//! ([`Analyzer::wants_second_pass`]) the first windows, and few others, are read once more:
//! those that the [`SecondPass`] wants. Where stacks were sampled, a [`StackPass`] follows, and an
//! [`OperatorPass`] where steps were profiled, a [`LeftOutPass`] where calls ran whose operations are not known, and an
//! [`EnergyPass`] where devices told what they draw.

use laptime_core::{Live, ProcessFacts, RunInfo, Sampled, Warning};

use crate::functions::sampled::{self, StackPass};
use crate::power::EnergyPass;
use crate::profiler::OperatorPass;
use crate::reading::process::{FirstPass, Process, SecondPass};
use crate::reading::step_durations::{DurationPass, Durations, ProcessDurations, StepPass};
use crate::summarize::columns::operations::left_out_pass::LeftOutPass;
use crate::summarize::stages;
use crate::summarize::steady_state;
use crate::summarize::wall_time;
use crate::summary::Summary;

/// What the caller knows and wants.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The launcher's description of the run.
    pub run: Option<RunInfo>,
    /// Whether each process's rows are told by themselves too.
    pub by_process: bool,
}

/// One process of the run being analysed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProcessKey(usize);

/// Sums up a recording; its memory does not grow with the number of spans.
#[derive(Debug)]
pub struct Analyzer {
    options: Options,
    processes: Vec<Process>,
    warnings: Vec<Warning>,
    /// When the steady state of each process begins, once it was asked for.
    since_ns: Option<Vec<u64>>,
    is_second_pass: bool,
    /// By process that is measured, in this order, once they were asked for.
    durations: Vec<(usize, ProcessDurations)>,
}

impl Analyzer {
    /// Nothing taken in yet.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            processes: Vec::new(),
            warnings: Vec::new(),
            since_ns: None,
            is_second_pass: false,
            durations: Vec::new(),
        }
    }

    /// Begins a process with what is known before its records.
    pub fn process(&mut self, facts: ProcessFacts) -> ProcessKey {
        self.processes.push(Process::new(facts));
        ProcessKey(self.processes.len() - 1)
    }

    /// What takes in the records of a process, all windows.
    pub fn first_pass(&mut self, process: ProcessKey) -> FirstPass<'_> {
        self.processes[process.0].first_pass()
    }

    /// Ends the first pass of a process, with what is known now.
    pub fn end(&mut self, process: ProcessKey, facts: ProcessFacts) {
        self.processes[process.0].take_facts(facts);
    }

    /// Takes in what the windows of a snapshot don't hold; paths are the reader's.
    pub fn live(&mut self, process: ProcessKey, live: &Live) {
        self.processes[process.0].take_live(live);
    }

    /// Adds a reason for doubt that the caller found, such as a process file it had to leave out.
    pub fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }

    /// Whether a steady state was found whose numbers need the same windows once more.
    pub fn wants_second_pass(&mut self) -> bool {
        if !self.is_second_pass {
            let Options {
                run, by_process, ..
            } = &self.options;
            self.since_ns = steady_state::moments(&self.processes, run.as_ref(), *by_process);
        }
        self.since_ns.is_some()
    }

    /// From here on all processes are read again, with the same keys.
    ///
    /// Does nothing when [`Self::wants_second_pass`] found no steady state.
    pub fn begin_second_pass(&mut self) {
        let Some(since_ns) = self.since_ns.take() else {
            return;
        };
        for (process, since_ns) in self.processes.iter_mut().zip(since_ns) {
            process.begin_second_pass(since_ns);
        }
        self.is_second_pass = true;
    }

    /// What takes in the records of a process again; `None` unless the second pass has begun.
    pub fn second_pass(&mut self, process: ProcessKey) -> Option<SecondPass<'_>> {
        self.processes[process.0].second_pass()
    }

    /// Whether stacks were sampled, whose laps need all windows once more. Not of a running process.
    pub fn wants_stack_pass(&self) -> bool {
        let mut processes = self.processes.iter();
        processes.any(|process| !process.stacks.is_empty())
    }

    /// What finds the laps of a process's samples; `None` where it has none.
    pub fn stack_pass(&mut self, process: ProcessKey) -> Option<StackPass<'_>> {
        let process = &mut self.processes[process.0];
        (!process.stacks.is_empty()).then(|| StackPass::new(process))
    }

    /// Whether operators were profiled, whose laps need all windows once more.
    pub fn wants_operator_pass(&self) -> bool {
        let mut processes = self.processes.iter();
        processes.any(|process| !process.operators.is_empty())
    }

    /// What finds the laps of a process's operators; `None` where it has none.
    pub fn operator_pass(&mut self, process: ProcessKey) -> Option<OperatorPass<'_>> {
        let process = &mut self.processes[process.0];
        (!process.operators.is_empty()).then(|| OperatorPass::new(process))
    }

    /// Whether calls ran whose operations are left out: which spans they ran in needs all windows once more.
    pub fn wants_left_out_pass(&self) -> bool {
        self.processes.iter().any(leaves_out)
    }

    /// What finds the spans of a process in which such calls ran, after the second pass; `None` where none did.
    pub fn left_out_pass(&mut self, process: ProcessKey) -> Option<LeftOutPass<'_>> {
        let process = &mut self.processes[process.0];
        leaves_out(process).then(|| LeftOutPass::new(process))
    }

    /// Whether devices told what they draw, and the energy of laps needs all windows once more.
    pub fn wants_energy_pass(&self) -> bool {
        let mut processes = self.processes.iter();
        processes.any(|process| process.devices.has_energy())
    }

    /// What finds the energy of a process's laps, after the second pass; `None` where it can't be told.
    pub fn energy_pass(&mut self, process: ProcessKey) -> Option<EnergyPass<'_>> {
        let process = &mut self.processes[process.0];
        process
            .devices
            .has_energy()
            .then(|| EnergyPass::new(process))
    }

    /// The single samples of each process, in the order in which they were added, once their laps are known.
    pub fn samples(&self) -> Vec<Sampled> {
        let measured = wall_time::measured(&self.processes, self.options.run.as_ref());
        let each = self.processes.iter().enumerate();
        each.map(|(index, process)| sampled::samples(process, measured.contains(&index)))
            .collect()
    }

    /// Begins to collect how long each path took in each step: measured processes are read twice more.
    ///
    /// Comes after the second pass, where there is one.
    pub fn begin_durations(&mut self) {
        let measured = wall_time::measured(&self.processes, self.options.run.as_ref());
        let each = measured.into_iter();
        self.durations = each
            .map(|index| (index, ProcessDurations::of(&self.processes[index])))
            .collect();
    }

    /// What finds the steps of a process; `None` where it is not measured.
    pub fn step_pass(&mut self, process: ProcessKey) -> Option<StepPass<'_>> {
        self.durations_of(process).map(ProcessDurations::step_pass)
    }

    /// What finds the time inside of the steps, after the step pass.
    pub fn duration_pass(&mut self, process: ProcessKey) -> Option<DurationPass<'_>> {
        self.durations_of(process)
            .map(ProcessDurations::duration_pass)
    }

    fn durations_of(&mut self, process: ProcessKey) -> Option<&mut ProcessDurations> {
        let mut known = self.durations.iter_mut();
        let known = known.find(|(index, _)| *index == process.0);
        known.map(|(_, durations)| durations)
    }

    /// The durations that were collected; takes them.
    pub fn take_durations(&mut self) -> Durations {
        let mut all = Durations::default();
        for (_, durations) in self.durations.drain(..) {
            all.complete(durations.finish());
        }
        all
    }

    /// Has all windows of a process fed twice.
    #[cfg(test)]
    pub(crate) fn read_all_twice(&mut self, process: ProcessKey) {
        self.processes[process.0].earlier.never_cut();
    }

    /// Everything known about the run.
    pub fn finish(self) -> Summary {
        stages::summary(self.options, self.processes, self.warnings)
    }
}

/// Whether a call ran in a process, in the steady state or before it, whose operations are left out.
fn leaves_out(process: &Process) -> bool {
    let steady = process.steady.as_ref().map(|steady| &steady.totals);
    let mut totals = std::iter::once(&process.totals).chain(steady);
    totals.any(|totals| process.stretches.leaves_out(&totals.ran))
}

#[cfg(test)]
#[path = "tests/analyzer.rs"]
pub mod tests;

#[cfg(test)]
#[path = "tests/absent.rs"]
mod absent_tests;

#[cfg(test)]
#[path = "tests/property.rs"]
mod property_tests;

#[cfg(test)]
#[path = "tests/live.rs"]
mod live_tests;
