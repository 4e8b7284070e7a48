//! Takes in a recording, process by process: whoever reads it gives the records to the passes.
//!
//! Processes and windows may come in any order, but for windows of one writer in which a
//! span goes on that the window before began. [`Analyzer::first_pass`] takes all windows; [`Analyzer::read_again`] has
//! them read once more by those of the [`LaterPass`]es that find something there: with a steady state in sight only
//! the first windows, and few others.

use std::collections::BTreeMap;

use laptime_core::{Live, ProcessFacts, Sampled, Warning};

use crate::functions::sampled;
use crate::ranks::{RankSteps, StepsPass};
use crate::reading::first_pass::FirstPass;
use crate::reading::further_passes::LaterPass;
use crate::reading::process::Process;
use crate::reading::read_again::ReadAgain;
use crate::reading::step_durations::{Durations, ProcessDurations};
use crate::summarize::measured_processes;
use crate::summarize::ranks::rank_of;
use crate::summarize::stages::Read;
use crate::summarize::steady_state;
use crate::summary::Summary;
use crate::summary::doubt::Doubt;

pub use crate::summarize::options::Options;

/// One process of the run being analysed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProcessKey(usize);

/// Sums up a recording; its memory does not grow with the number of spans.
#[derive(Debug)]
pub struct Analyzer {
    options: Options,
    processes: Vec<Process>,
    warnings: Vec<Doubt>,
}

impl Analyzer {
    /// Creates an analyzer with nothing taken in.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            processes: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Begins a process with what is known before its records.
    pub fn process(&mut self, facts: ProcessFacts) -> ProcessKey {
        self.processes.push(Process::new(facts));
        ProcessKey(self.processes.len() - 1)
    }

    /// Returns the visitor that takes in the records of a process, all windows.
    pub fn first_pass(&mut self, process: ProcessKey) -> FirstPass<'_> {
        FirstPass::new(&mut self.processes[process.0])
    }

    /// Ends the first pass of a process, with what is known now.
    pub fn end(&mut self, process: ProcessKey, facts: ProcessFacts) {
        self.processes[process.0].complete(facts);
    }

    /// Takes in what the windows of a snapshot don't hold; paths are the reader's.
    pub fn live(&mut self, process: ProcessKey, live: &Live) {
        self.processes[process.0].take_live(live);
    }

    /// Adds a reason for doubt that the caller found, such as a process file it had to leave out.
    pub fn warn(&mut self, warning: Warning) {
        self.warnings.push(Doubt::Worded(warning));
    }

    /// Has the processes read again by every pass that finds something, once all were read.
    ///
    /// **Errors** as the readers.
    pub fn read_again<R: ReadAgain>(
        &mut self,
        readers: &mut [(R, ProcessKey)],
    ) -> Result<(), R::Error> {
        self.read_by(&LaterPass::ALL, readers)
    }

    /// Has the processes read again for their steady state alone: the snapshot of a running process doesn't hold
    /// everything that other passes look for.
    ///
    /// **Errors** as the readers.
    pub fn read_steady_again<R: ReadAgain>(
        &mut self,
        readers: &mut [(R, ProcessKey)],
    ) -> Result<(), R::Error> {
        self.read_by(&[LaterPass::SteadyState], readers)
    }

    fn read_by<R: ReadAgain>(
        &mut self,
        passes: &[LaterPass],
        readers: &mut [(R, ProcessKey)],
    ) -> Result<(), R::Error> {
        self.begin_steady();
        for pass in passes {
            for (reader, key) in &mut *readers {
                pass.read(&mut self.processes[key.0], reader)?;
            }
        }
        Ok(())
    }

    /// Begins the steady state of each process, where there is one.
    pub(crate) fn begin_steady(&mut self) {
        let Options { run, by_process } = &self.options;
        let since_ns = steady_state::moments(&self.processes, run.as_ref(), *by_process);
        let each = self
            .processes
            .iter_mut()
            .zip(since_ns.into_iter().flatten());
        for (process, since_ns) in each {
            process.begin_steady(since_ns);
        }
    }

    /// Collects how long each path took in each step: measured processes are read twice more.
    ///
    /// Comes after [`Self::read_again`].
    ///
    /// **Errors** as the readers.
    pub fn durations<R: ReadAgain>(
        &self,
        readers: &mut [(R, ProcessKey)],
    ) -> Result<Durations, R::Error> {
        let mut all = Durations::default();
        for index in measured_processes::measured(&self.processes, self.options.run.as_ref()) {
            let Some((reader, _)) = readers.iter_mut().find(|(_, key)| key.0 == index) else {
                continue;
            };
            let mut durations = ProcessDurations::new(&self.processes[index]);
            reader.read_again(&mut durations.step_pass())?;
            reader.read_again(&mut durations.duration_pass())?;
            all.complete(durations.finish());
        }
        Ok(all)
    }

    /// Returns the steps of each process that told its rank, by rank: these are read once more.
    ///
    /// Of two processes of one rank, a restart, the one with more steps counts.
    ///
    /// **Errors** as the readers.
    pub fn rank_steps<R: ReadAgain>(
        &self,
        readers: &mut [(R, ProcessKey)],
    ) -> Result<Vec<RankSteps>, R::Error> {
        let mut ranks: BTreeMap<u32, RankSteps> = BTreeMap::new();
        for (reader, key) in readers {
            let process = &self.processes[key.0];
            let told = rank_of(process).and_then(|rank| rank.parse().ok());
            let (Some(rank), Some(mut pass)) = (told, StepsPass::new(process)) else {
                continue;
            };
            reader.read_again(&mut pass)?;
            let steps = pass.finish();
            if ranks
                .get(&rank)
                .is_none_or(|known| known.steps.len() < steps.len())
            {
                let rank_steps = RankSteps {
                    rank,
                    pid: process.facts.header.pid,
                    steps,
                    uses_device: !process.spans.totals.on_devices.is_empty(),
                };
                ranks.insert(rank, rank_steps);
            }
        }
        Ok(ranks.into_values().collect())
    }

    /// Returns the single samples of each process, in the order in which they were added, once their laps are known.
    pub fn samples(&self) -> Vec<Sampled> {
        let measured = measured_processes::measured(&self.processes, self.options.run.as_ref());
        let each = self.processes.iter().enumerate();
        each.map(|(index, process)| sampled::samples(process, measured.contains(&index)))
            .collect()
    }

    #[cfg(test)]
    pub(crate) fn process_mut(&mut self, key: ProcessKey) -> &mut Process {
        &mut self.processes[key.0]
    }

    /// Sums up everything that was read.
    pub fn finish(self) -> Summary {
        Read::new(self.options, self.processes, self.warnings)
            .measure()
            .total()
            .summarize()
    }
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
