//! The first stage: processes as they were read.

use super::Measured;
use crate::findings::clues::Clues;
use crate::reading::process::Process;
use crate::summarize::measured_processes;
use crate::summarize::options::Options;
use crate::summarize::replaced_programs;
use crate::summarize::steady_state;
use crate::summarize::wall_time;
use crate::summary::doubt::Doubt;

/// Everything that was read of a run.
#[derive(Debug)]
pub struct Read {
    options: Options,
    processes: Vec<Process>,
    warnings: Vec<Doubt>,
}

impl Read {
    /// Begins with the processes, and with the doubts of whoever read them.
    pub(crate) fn new(options: Options, mut processes: Vec<Process>, warnings: Vec<Doubt>) -> Self {
        replaced_programs::mark(&mut processes);
        Self {
            options,
            processes,
            warnings,
        }
    }

    /// Finds which processes are measured, from when to when, and where their steady state begins.
    pub fn measure(self) -> Measured {
        let Options { run, by_process } = self.options;
        let steady = steady_state::find(&self.processes, run.as_ref());
        let measured = measured_processes::measured(&self.processes, run.as_ref());
        let clues = Clues::of_processes(&self.processes, &measured, steady.as_ref().ok());
        let processes = in_front(self.processes, &measured);
        let ends = processes.iter();
        let ends_ns = ends.map(|process| wall_time::ended_ns(process, run.as_ref()));
        Measured {
            ends_ns: ends_ns.collect(),
            wall: wall_time::wall(&processes, run.as_ref()),
            run,
            by_process,
            processes,
            front_count: measured.len(),
            steady,
            clues,
            warnings: self.warnings,
        }
    }
}

/// Puts the measured processes in front of the others.
fn in_front(processes: Vec<Process>, measured: &[usize]) -> Vec<Process> {
    let place = |index: &usize| measured.iter().position(|one| one == index);
    let mut ordered: Vec<(usize, Process)> = processes.into_iter().enumerate().collect();
    ordered.sort_by_key(|(index, _)| place(index).unwrap_or(usize::MAX));
    ordered.into_iter().map(|(_, process)| process).collect()
}
