//! The time in which a process does what its program is for: without the imports at its beginning, and without its end.
//!
//! Where memory rises in that time is asked of it alone.

use std::ops::Range;

use super::rising_function::is_importing;
use crate::reading::process::Process;
use crate::summarize::resident_rise::{self, ResidentRise};

/// Returns the rise of resident memory in that time.
pub fn resident_rise(process: &Process) -> Option<ResidentRise> {
    let Range { start, end } = of_process(process);
    resident_rise::over_time(&process.features.recorder_samples, start, end)
}

/// Returns that time, in ticks: from the first lap on, but not while modules are imported for most of the time.
pub fn of_process(process: &Process) -> Range<u64> {
    let ends = process.features.notes.exits_at().unwrap_or(u64::MAX);
    let stacks = &process.features.stacks;
    let looks = stacks.samples.iter();
    let mut looks: Vec<(u64, i128, bool)> = looks
        .map(|one| {
            let ns = i128::from(one.stands_for_ns);
            (one.ticks, ns, is_importing(stacks, one.frame))
        })
        .collect();
    looks.sort_unstable();
    let mut imported = 0;
    let mut begins = process.features.covers.first_start().unwrap_or(0);
    for (at, ns, imports) in looks {
        imported += if imports { ns } else { -ns };
        if imports && imported >= 0 {
            begins = begins.max(at);
        }
    }
    begins..ends
}
