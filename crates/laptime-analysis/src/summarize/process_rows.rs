//! Rows of each measured process, by itself.
//!
//! The tables of a run are sums over its processes. Here every process that is measured has rows,
//! leftovers and, if it takes steps, a steady state of its own; they add up to those sums, but for
//! what helpers did.

use laptime_core::Unavailable;

use crate::reading::process::Process;
use crate::summarize::columns::left_outside::LeftOutside;
use crate::summarize::columns::memory;
use crate::summarize::columns::operations::Peaks;
use crate::summarize::merge_processes;
use crate::summarize::ranks;
use crate::summarize::rows;
use crate::summarize::steady_rows::{self, SteadyPart};
use crate::summarize::steady_state::{self, Start};
use crate::summarize::wall_cover::FilledTime;
use crate::summarize::wall_time::Wall;
use crate::summary::process::{ProcessRows, ProcessSummary};

/// Returns the rows of each measured process, by rank; `own` says how each fills its wall time, and there are
/// as many as are measured.
pub fn each(
    processes: &mut [Process],
    summaries: &[ProcessSummary],
    own: &[(Wall, FilledTime)],
    parts: &mut [Option<SteadyPart>],
    peaks: &mut Peaks,
) -> Vec<ProcessRows> {
    let takes_steps = |process: &Process| process.features.steps.steps().is_some();
    let some_train = processes.iter().any(takes_steps);
    let told = (processes.iter_mut().zip(summaries)).zip(own.iter().zip(parts));
    let mut each: Vec<ProcessRows> = told
        .map(|((process, summary), (own, part))| {
            // Beside a training a process's part is cut where the training is steady.
            let found = if some_train && !takes_steps(process) {
                Err(Unavailable("the process takes no steps".to_owned()))
            } else {
                steady_state::find(std::slice::from_ref(process), None)
            };
            process_rows(process, summary, own, (found, part.as_mut()), peaks)
        })
        .collect();
    each.sort_by_key(|one| ranks::order(one.rank.as_deref()));
    each
}

fn process_rows(
    process: &mut Process,
    summary: &ProcessSummary,
    (wall, filled): &(Wall, FilledTime),
    (found, part): (Result<Start, Unavailable>, Option<&mut SteadyPart>),
    peaks: &mut Peaks,
) -> ProcessRows {
    let tree = merge_processes::of_run(std::slice::from_mut(process));
    let mut rows = rows::rows(&tree, wall.ns(), &filled.leftovers, peaks).rows;
    let left = LeftOutside::of_processes([&*process]);
    memory::fill_other(&mut rows, &tree, std::slice::from_ref(summary), &left);
    let (found, steady_why) = match found {
        Ok(start) => (Some(start), None),
        Err(why) => (None, Some(why)),
    };
    let steady = found
        .zip(part)
        .map(|(start, part)| steady_rows::joined(std::iter::once((&*process, part)), start, peaks));
    ProcessRows {
        pid: process.facts.header.pid,
        rank: ranks::rank_of(process),
        wall_ns: wall.ns(),
        rows,
        steady,
        steady_why,
    }
}

#[cfg(test)]
#[path = "tests/process_rows.rs"]
mod tests;
