//! Processes that became another program: `exec` ends what ran, but not the process.
//!
//! Nothing is told at that moment, so the recording stays unclosed. Where the new program is recorded too, its file has
//! the same process, and begins later.

use crate::process::Process;

/// Marks those of which the next program is among them.
pub fn mark(processes: &mut [Process]) {
    let began = |process: &Process| process.header.anchor.monotonic_ns;
    for index in 0..processes.len() {
        let one = &processes[index].header;
        if one.closed.is_some() || one.process_started_boottime_ns.is_none() {
            continue;
        }
        let is_next = |other: &&Process| {
            other.header.pid == one.pid
                && other.header.process_started_boottime_ns == one.process_started_boottime_ns
                && other.header.boot_id == one.boot_id
                && began(other) > one.anchor.monotonic_ns
        };
        processes[index].replaced_ns = processes.iter().filter(is_next).map(began).min();
    }
}
