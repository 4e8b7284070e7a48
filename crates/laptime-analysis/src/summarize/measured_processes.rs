//! The choice of measured processes: those whose time is shared out among the rows.
//!
//! Where several processes train, each is measured from its own start to its own end. A process without steps that none
//! of them started is measured too where it has laps: its rows would else be shares of a time that it is no part of.

use laptime_core::{PathId, PhaseName, RunInfo};

use crate::reading::covered_time::lapped_ns;
use crate::reading::process::Process;
use crate::summarize::wall_time::ended_ns;

/// Returns the processes whose time is shared out among the rows: the ones of [`trained`], then the ones beside
/// them that have laps of their own, such as a parent that evaluates the models.
///
/// What trained processes started, as a loader's workers, helps them and is not measured.
pub fn measured(processes: &[Process], run: Option<&RunInfo>) -> Vec<usize> {
    let mut found = trained(processes, run);
    let takes_steps = |process: &Process| process.features.steps.steps().is_some();
    if !processes.iter().any(takes_steps) {
        // What a measured process became is no other process.
        let became = |other: &Process| {
            found
                .iter()
                .any(|one| processes[*one].facts.became(&other.facts))
        };
        let has_laps = |process: &Process| lapped_ns(process, ended_ns(process, run)) > 0;
        let later = (0..processes.len())
            .filter(|index| !found.contains(index))
            .filter(|index| became(&processes[*index]) && has_laps(&processes[*index]))
            .collect();
        found.extend(in_order(later, processes, run));
        return found;
    }
    let helps = |process: &Process| is_below(processes, process, takes_steps);
    let stands_beside = |process: &Process| {
        !takes_steps(process) && !helps(process) && lapped_ns(process, ended_ns(process, run)) > 0
    };
    let beside = (0..processes.len()).filter(|index| stands_beside(&processes[*index]));
    found.extend(in_order(beside.collect(), processes, run));
    found
}

/// Returns the processes with steps, the launched one first and the others by their start; without any
/// steps [`main_index`] alone, unless it has no lap: then those that do the work for it.
pub fn trained(processes: &[Process], run: Option<&RunInfo>) -> Vec<usize> {
    let with_steps = (0..processes.len())
        .filter(|index| processes[*index].features.steps.steps().is_some())
        .collect();
    let found = in_order(with_steps, processes, run);
    if !found.is_empty() {
        return found;
    }
    let Some(main) = main_index(processes, run) else {
        return Vec::new();
    };
    let has_laps = |process: &Process| lapped_ns(process, ended_ns(process, run)) > 0;
    let below = if processes[main].is_idle() {
        outermost(processes, has_laps)
    } else {
        Vec::new()
    };
    if below.is_empty() {
        return vec![main];
    }
    in_order(below, processes, run)
}

/// Returns the processes for which a condition holds, unless it holds for a process that started them.
fn outermost(processes: &[Process], holds: impl Fn(&Process) -> bool) -> Vec<usize> {
    let each = 0..processes.len();
    let is_first = |process: &Process| !is_below(processes, process, &holds);
    each.filter(|index| holds(&processes[*index]) && is_first(&processes[*index]))
        .collect()
}

/// Tells whether a process for which a condition holds started another one, or an ancestor of that.
pub fn is_below(
    processes: &[Process],
    process: &Process,
    holds: impl Fn(&Process) -> bool,
) -> bool {
    let parent = |process: &&Process| {
        let pid = process.facts.header.parent_pid;
        processes.iter().find(|other| other.facts.header.pid == pid)
    };
    // Numbers are used again: a chain that is longer than there are processes runs in a circle.
    let mut parents = std::iter::successors(parent(&process), parent).take(processes.len());
    parents.any(holds)
}

/// Sorts processes: the launched one first, the others by their start.
fn in_order(mut found: Vec<usize>, processes: &[Process], run: Option<&RunInfo>) -> Vec<usize> {
    let launched = run.and_then(|run| run.pid);
    found.sort_by_key(|index| {
        let process = &processes[*index];
        let pid = process.facts.header.pid;
        (Some(pid) != launched, process.facts.started_ns, pid)
    });
    found
}

/// Returns the process that was launched or, when it did not record (a shell script), the one that ran longest
/// among the processes that no recorded process started.
fn main_index(processes: &[Process], run: Option<&RunInfo>) -> Option<usize> {
    let launched = run.and_then(|run| run.pid);
    let found = processes
        .iter()
        .position(|process| Some(process.facts.header.pid) == launched);
    if found.is_some() {
        return found;
    }
    let is_root = |process: &Process| {
        let parent = process.facts.header.parent_pid;
        !processes
            .iter()
            .any(|other| other.facts.header.pid == parent)
    };
    (0..processes.len()).max_by_key(|index| {
        let process = &processes[*index];
        let began_ns = process.facts.started_ns;
        let ran_ns = ended_ns(process, run).saturating_sub(began_ns);
        (is_root(process), ran_ns, u64::MAX - began_ns)
    })
}

/// Tells whether a process has spans where automatic phases are.
pub fn has_phases(process: &Process) -> bool {
    let mut paths = process.paths.iter();
    paths.any(|(_, entry)| entry.parent == PathId::ROOT && is_unit(&entry.name))
}

fn is_unit(name: &str) -> bool {
    PhaseName::of(name).is_some_and(PhaseName::is_unit)
}
