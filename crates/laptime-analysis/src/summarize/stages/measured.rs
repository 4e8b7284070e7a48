//! The second stage: it is known which processes are measured, and from when to when.

use laptime_core::{RunInfo, Unavailable};

use super::Totalled;
use crate::findings::clues::Clues;
use crate::power::SteadyTicks;
use crate::reading::event_loop::{blocked_tasks, long_turns};
use crate::reading::process::Process;
use crate::summarize::collect_doubts;
use crate::summarize::columns::operations::Peaks;
use crate::summarize::merge_processes;
use crate::summarize::process_rows;
use crate::summarize::process_summaries;
use crate::summarize::ranks;
use crate::summarize::steady_rows::{self, SteadyPart};
use crate::summarize::steady_state::Start;
use crate::summarize::wall_cover::{self, ChildTime, FilledTime};
use crate::summarize::wall_time::{self, Wall};
use crate::summarize::worker_starts;
use crate::summarize::workers;
use crate::summary::Steady;
use crate::summary::doubt::Doubt;
use crate::summary::process::Rank;

/// A run whose processes are measured.
#[derive(Debug)]
pub struct Measured {
    pub(super) run: Option<RunInfo>,
    pub(super) by_process: bool,
    /// Processes, with the measured ones first.
    pub(super) processes: Vec<Process>,
    /// Number of processes in front that are measured.
    pub(super) front_count: usize,
    /// End of each process, `CLOCK_MONOTONIC` ns.
    pub(super) ends_ns: Vec<u64>,
    pub(super) wall: Wall,
    /// Start of the steady state, or why there is none.
    pub(super) steady: Result<Start, Unavailable>,
    pub(super) clues: Clues,
    pub(super) warnings: Vec<Doubt>,
}

/// The steady state of all processes.
struct SteadyState {
    /// Steady state of each process, where a second pass told it.
    parts: Vec<Option<SteadyPart>>,
    ticks: Vec<SteadyTicks>,
    ranks: Vec<Rank>,
    rows: Option<Steady>,
    why: Option<Unavailable>,
}

impl Measured {
    /// Adds up everything that the processes did, in the steady state and in the whole run.
    pub fn total(mut self) -> Totalled {
        for process in &mut self.processes {
            process.spans.join();
        }
        let clues = self.with_joined_clues();
        let mut peaks = Peaks::from_notes(&self.processes);
        let mut steady = self.steady_state(&mut peaks);
        for (process, end_ns) in self.processes.iter_mut().zip(&self.ends_ns) {
            process.take_open_until(*end_ns);
        }
        let summaries =
            process_summaries::all(&mut self.processes, &self.ends_ns, self.front_count);
        let own = self.filled();
        let by_process = if self.by_process {
            let parts = &mut steady.parts;
            process_rows::each(&mut self.processes, &summaries, &own, parts, &mut peaks)
        } else {
            Vec::new()
        };
        let (filled, measured_ns) = together(&own);
        let recorded = collect_doubts::recorded(&self.processes, &summaries, self.run.as_ref());
        self.warnings.extend(recorded);
        Totalled {
            tree: merge_processes::take_from_run(&mut self.processes),
            run: self.run,
            processes: self.processes,
            front_count: self.front_count,
            wall: self.wall,
            filled,
            measured_ns,
            steady: steady.rows,
            steady_why: steady.why,
            steady_ticks: steady.ticks,
            ranks: steady.ranks,
            by_process,
            summaries,
            peaks,
            clues,
            warnings: self.warnings,
        }
    }

    /// Returns the clues, with those that joined totals tell.
    fn with_joined_clues(&mut self) -> Clues {
        Clues {
            blocked_loop: blocked_tasks::of_run(&self.processes, self.front_count)
                .or_else(|| long_turns::of_run(&self.processes, self.front_count)),
            worker_starts: worker_starts::of_run(&self.processes, self.front_count),
            worker_lap: workers::main_lap(&mut self.processes, self.front_count),
            ..std::mem::take(&mut self.clues)
        }
    }

    fn steady_state(&mut self, peaks: &mut Peaks) -> SteadyState {
        let measured = self.front_count;
        let from = self.processes.iter();
        let from: Vec<Option<u64>> = from
            .map(|process| Some(process.spans.steady.as_ref()?.from))
            .collect();
        let mut parts: Vec<Option<SteadyPart>> = (self.processes.iter_mut().zip(&self.ends_ns))
            .enumerate()
            .map(|(index, (process, end_ns))| {
                steady_rows::of_process(process, *end_ns, index < measured)
            })
            .collect();
        let each = from.into_iter().zip(&parts);
        let ticks = each.map(|(from, part)| Some((from?, part.as_ref()?.totals.last_end)));
        let ticks = ticks.collect();
        let (start, why) =
            match std::mem::replace(&mut self.steady, Err(Unavailable(String::new()))) {
                Ok(start) => (Some(start), None),
                Err(why) => (None, Some(why)),
            };
        let is_told = start.is_some() && parts.iter().all(Option::is_some);
        let ranks = ranks::side_by_side(&self.processes[..measured], &mut parts, is_told);
        let rows = start.filter(|_| is_told).map(|start| {
            let all = self.processes.iter().zip(parts.iter_mut().flatten());
            steady_rows::joined(all, start, peaks)
        });
        SteadyState {
            parts,
            ticks,
            ranks,
            rows,
            why,
        }
    }

    /// Finds how each measured process fills its wall time: of a single one that of the run, of several each one's own.
    fn filled(&mut self) -> Vec<(Wall, FilledTime)> {
        let (processes, ends) = (&mut self.processes, &self.ends_ns[..self.front_count]);
        let below = ChildTime::each(processes, ends);
        let is_single = self.front_count == 1;
        let own = processes.iter_mut().zip(ends).zip(below);
        own.map(|((process, end_ns), below)| {
            let wall = if is_single {
                self.wall
            } else {
                wall_time::lifetime(process, *end_ns)
            };
            (wall, wall_cover::filled(process, wall, below))
        })
        .collect()
    }
}

/// Adds up how all measured processes fill their wall times, and how long these are.
fn together(own: &[(Wall, FilledTime)]) -> (FilledTime, u64) {
    let (mut filled, mut measured_ns) = (FilledTime::default(), 0_u64);
    for (wall, own) in own {
        filled.add(*own);
        measured_ns = measured_ns.saturating_add(wall.ns());
    }
    (filled, measured_ns)
}
