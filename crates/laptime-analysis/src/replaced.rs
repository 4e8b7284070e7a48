//! Processes that became another program: `exec` ends what ran, but not the process.
//!
//! Nothing is told at that moment, so the recording stays unclosed. Where the new program is recorded too, its file has
//! the same process, and begins to record some milliseconds after the one before it ended: there one ends and the other
//! begins, so that no time is told twice.

use crate::process::Process;

/// Marks those of which the next program is among them, and begins each next one where the one before it ended.
pub fn mark(processes: &mut [Process]) {
    for index in 0..processes.len() {
        if processes[index].header.closed.is_some() {
            continue;
        }
        let later = (0..processes.len()).filter(|other| is_later(processes, index, *other));
        let Some(next) = later.min_by_key(|other| began_ns(&processes[*other])) else {
            continue;
        };
        let at_ns = began_ns(&processes[next]);
        processes[index].replaced_ns = Some(at_ns);
        processes[next].started_ns = at_ns;
    }
}

/// The programs that a process of these became.
pub fn later(processes: &[Process], of: &[usize]) -> Vec<usize> {
    let is_new = |index: &usize| {
        !of.contains(index) && of.iter().any(|one| is_later(processes, *one, *index))
    };
    (0..processes.len()).filter(is_new).collect()
}

fn is_later(processes: &[Process], one: usize, other: usize) -> bool {
    let (one, other) = (&processes[one], &processes[other]);
    let of = |process: &Process| {
        let header = &process.header;
        (
            header.pid,
            header.process_started_boottime_ns,
            header.boot_id,
        )
    };
    one.header.process_started_boottime_ns.is_some()
        && of(one) == of(other)
        && began_ns(other) > began_ns(one)
}

fn began_ns(process: &Process) -> u64 {
    process.header.anchor.monotonic_ns
}
