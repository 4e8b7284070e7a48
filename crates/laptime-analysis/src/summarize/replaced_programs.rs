//! Processes that became another program: `exec` ends what ran, but not the process.
//!
//! Nothing is told at that moment, so the recording stays unclosed. Where the new program is recorded too, its file has
//! the same process, and begins to record some milliseconds after the one before it ended: there one ends and the other
//! begins, so that no time is told twice.

use crate::reading::process::Process;

/// Marks the processes whose next program is among them, and begins each next one where the one before it
/// ended.
pub fn mark(processes: &mut [Process]) {
    for index in 0..processes.len() {
        if processes[index].facts.header.closed.is_some() {
            continue;
        }
        let began_ns = |other: &usize| processes[*other].facts.header.anchor.monotonic_ns;
        let later = (0..processes.len())
            .filter(|other| processes[index].facts.became(&processes[*other].facts));
        let Some(next) = later.min_by_key(began_ns) else {
            continue;
        };
        let at_ns = began_ns(&next);
        processes[index].facts.replaced_ns = Some(at_ns);
        processes[next].facts.started_ns = at_ns;
    }
}
