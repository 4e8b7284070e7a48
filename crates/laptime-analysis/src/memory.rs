//! Host memory in rows: extremes over spans, and what no lap holds.
//!
//! What the process has, less what its outermost laps have, was allocated outside of any lap or
//! by threads whose work no lap can be told for: that is the memory of `other`.

use std::collections::BTreeMap;

use laptime_core::{PathTally, Unavailable};

use crate::process::Process;
use crate::summary::{ProcessState, ProcessSummary, RowKind, SpanRow};
use crate::tree::Tree;
use crate::wall::OTHER;

/// Fields of a row, nets first.
pub const FIELDS: [&str; 4] = [
    "host_memory_net_min_bytes",
    "host_memory_net_max_bytes",
    "host_memory_peak_min_bytes",
    "host_memory_peak_max_bytes",
];
/// Code of the note that says why memory was not counted.
const NOT_COUNTED: &str = "memory.unavailable";
/// Why a process has no total.
const KILLED: &str = "a process did not end normally, and its total was not noted at its end";
const NO_PEAK: &str = "what is left over has no peak of its own";
/// Names of the totals of a process.
const TOTALS: [&str; 2] = ["host_memory_net_bytes", "host_memory_peak_bytes"];

/// Fills in what the spans of a path carried.
pub fn fill(row: &mut SpanRow, tally: &PathTally) {
    let Some(memory) = tally.memory.as_ref().filter(|memory| memory.count > 0) else {
        return;
    };
    row.host_memory_net_min_bytes = Some(memory.net_min_bytes);
    row.host_memory_net_max_bytes = Some(memory.net_max_bytes);
    row.host_memory_peak_min_bytes = Some(memory.peak_min_bytes);
    row.host_memory_peak_max_bytes = Some(memory.peak_max_bytes);
}

/// Fills in the memory of `other`.
pub fn fill_other(rows: &mut [SpanRow], tree: &Tree, processes: &[ProcessSummary]) {
    let nets = processes
        .iter()
        .map(|process| process.host_memory_net_bytes);
    let nets: Option<Vec<i64>> = nets.collect();
    let is_other = |row: &&mut SpanRow| row.kind == RowKind::Leftover && row.path == OTHER;
    let other = rows.iter_mut().find(is_other);
    let Some(total) = nets.map(|nets| nets.into_iter().fold(0, i64::saturating_add)) else {
        if let Some(other) = other
            && processes.iter().any(is_killed)
            && tree
                .in_order()
                .iter()
                .any(|index| tree.node(*index).tally.memory.is_some())
        {
            explain(other, &FIELDS[..2], KILLED);
            explain(other, &FIELDS[2..], NO_PEAK);
        }
        return;
    };
    let outermost = &tree.node(0).children;
    let held = tree.in_order().into_iter().filter_map(|index| {
        let memory = tree.node(index).tally.memory.as_ref()?;
        Some(if outermost.contains(&index) {
            memory.net_sum_bytes
        } else {
            memory.outside_sum_bytes
        })
    });
    let outside = held.fold(total, i64::saturating_sub);
    if let Some(other) = other {
        other.host_memory_net_min_bytes = Some(outside);
        other.host_memory_net_max_bytes = Some(outside);
        explain(other, &FIELDS[2..], NO_PEAK);
    }
}

fn explain(row: &mut SpanRow, fields: &[&str], reason: &str) {
    for field in fields {
        let reason = Unavailable(reason.to_owned());
        row.why.insert((*field).to_owned(), reason);
    }
}

fn is_killed(process: &ProcessSummary) -> bool {
    process.state == ProcessState::Killed
}

/// Says why memory is missing, where the recorder knew.
pub fn with_reasons(
    mut unavailable: BTreeMap<String, Unavailable>,
    processes: &[Process],
    summaries: &[ProcessSummary],
) -> BTreeMap<String, Unavailable> {
    let mut notes = processes.iter().flat_map(|process| &process.notes);
    let counted = processes.iter().any(|process| process.memory.is_some());
    let reason = if counted {
        Some("no span of this path was counted from its start to its end".to_owned())
    } else {
        let note = notes.find(|(code, _)| code == NOT_COUNTED);
        note.map(|(_, reason)| format!("memory was not counted: {reason}"))
    };
    if counted && summaries.iter().any(is_killed) {
        for field in TOTALS {
            unavailable.insert(field.to_owned(), Unavailable(KILLED.to_owned()));
        }
    }
    if let Some(reason) = reason {
        for field in FIELDS {
            unavailable.insert(field.to_owned(), Unavailable(reason.clone()));
        }
    }
    unavailable
}
