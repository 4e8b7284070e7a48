//! Memory that startup, exit and what follows the last lap left, each in its row.
//!
//! A process notes what it had allocated as its first lap opened, as its last one closed, and as its interpreter began to
//! exit. The difference of two of these was left in between.

use crate::reading::process::Process;
use crate::summarize::leftovers::{AFTER, EXIT, STARTUP};
use crate::summary::fields::{Group, explain};
use crate::summary::span_row::SpanRow;

/// Code of the note with what a process had allocated when its first lap opened.
const BEFORE_LAPS: &str = "memory.before-laps";
/// Code of the note with what it had allocated when its last lap had closed.
const AFTER_LAPS: &str = "memory.after-laps";
/// Code of the note with what it had allocated when its interpreter began to exit.
const AT_EXIT: &str = "memory.at-exit";
/// Codes of all notes that are read here.
pub const CODES: [&str; 3] = [BEFORE_LAPS, AFTER_LAPS, AT_EXIT];

/// Why what is left over has no peak.
pub const NO_PEAK: &str = "what is left over has no peak of its own";
/// Why what is left over has no spread.
pub const NO_SPREAD: &str = "what is left over is no span";
/// Numbers that what is left over has: no extremes, but what was held there.
pub const HELD: [&str; 3] = [
    "host_memory_net_min_bytes",
    "host_memory_net_max_bytes",
    "host_memory_kept_bytes",
];
/// Bytes left outside of laps, in stretches that have rows of their own.
#[derive(Debug, Default)]
pub struct LeftOutside {
    startup: Option<i64>,
    after: Option<i64>,
    exit: Option<i64>,
}

impl LeftOutside {
    /// Adds up what processes noted.
    pub fn of_processes<'p>(processes: impl IntoIterator<Item = &'p Process>) -> Self {
        let mut all = Self::default();
        for process in processes {
            let number = |code| process.features.notes.number::<i64>(code);
            let ended = process.features.host_memory.latest;
            let ended = ended.map(|(_, memory)| memory.bytes);
            let left = |from: Option<i64>, to: Option<i64>| Some(to?.saturating_sub(from?));
            let (closed, exits) = (number(AFTER_LAPS), number(AT_EXIT));
            let of_one = Self {
                startup: number(BEFORE_LAPS),
                after: left(closed, exits),
                exit: left(exits.or(closed), ended),
            };
            for (sum, part) in [
                (&mut all.startup, of_one.startup),
                (&mut all.after, of_one.after),
                (&mut all.exit, of_one.exit),
            ] {
                *sum = sum
                    .zip(part)
                    .map_or(sum.or(part), |(sum, part)| Some(sum.saturating_add(part)));
            }
        }
        all
    }

    /// Fills in the rows of these stretches; returns their bytes. What has no row counts for the next one.
    pub fn fill(&self, rows: &mut [SpanRow]) -> i64 {
        let mut filled = 0_i64;
        let mut carried = None;
        for (name, bytes) in [
            (STARTUP, self.startup),
            (AFTER, self.after),
            (EXIT, self.exit),
        ] {
            let bytes = match (bytes, carried.take()) {
                (Some(bytes), carried) => Some(bytes.saturating_add(carried.unwrap_or(0))),
                (None, carried) => carried,
            };
            let Some(bytes) = bytes else { continue };
            let row = rows.iter_mut().find(|row| row.is_leftover(name));
            if let Some(row) = row {
                hold(row, bytes);
                filled = filled.saturating_add(bytes);
            } else if name == AFTER {
                carried = Some(bytes);
            }
        }
        filled
    }
}

/// Fills in what was left in a leftover.
pub fn hold(row: &mut SpanRow, bytes: i64) {
    row.memory.host_memory_net_min_bytes = Some(bytes);
    row.memory.host_memory_net_max_bytes = Some(bytes);
    row.memory.host_memory_kept_bytes = Some(bytes);
    explain(row, not_held(Group::HostMemory), NO_PEAK);
    explain(row, not_held(Group::KeptMemory), NO_SPREAD);
}

/// Returns the names of a group's numbers that what is left over lacks.
pub fn not_held(group: Group) -> impl Iterator<Item = &'static str> {
    group.names().filter(|name| !HELD.contains(name))
}

#[cfg(test)]
#[path = "tests/left_outside.rs"]
mod tests;
