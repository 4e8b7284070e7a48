//! Host memory in rows: extremes over spans, and the memory that no lap holds.
//!
//! What the process has, less what its outermost laps have, was allocated outside of any lap or
//! by threads whose work no lap can be told for: that is the memory of `other`. Where the process noted what it had as
//! its first lap opened, its last one closed and its interpreter exited, the parts before and after stand in their own rows.

use std::collections::BTreeMap;

use laptime_core::{PathTally, Unavailable, path};

use crate::reading::process::Process;
use crate::summarize::columns::left_outside::{
    HELD, LeftOutside, NO_PEAK, NO_SPREAD, hold, not_held,
};
use crate::summarize::leftovers::OTHER;
use crate::summarize::tree::Tree;
use crate::summary::doubt::{Doubt, PathPart, SpansDoubt};
use crate::summary::fields::{Group, explain};
use crate::summary::process::{ProcessState, ProcessSummary};
use crate::summary::span_row::SpanRow;

/// Code of the note that says why memory was not counted.
const NOT_COUNTED: &str = "memory.unavailable";
/// Why a process has no total.
const KILLED: &str = "a process ended without closing its recording, as killed ones and a \
                      DataLoader's workers do: what it held then is not known";
/// Names of the totals of a process.
const TOTALS: [&str; 2] = ["host_memory_net_bytes", "host_memory_peak_bytes"];

/// Fills in the memory that the spans of a path carried.
pub fn fill(row: &mut SpanRow, tally: &PathTally) {
    let Some(memory) = tally.memory.as_ref().filter(|memory| memory.count > 0) else {
        return;
    };
    row.memory.host_memory_net_min_bytes = Some(memory.net_min_bytes);
    row.memory.host_memory_net_max_bytes = Some(memory.net_max_bytes);
    row.memory.host_memory_kept_bytes = Some(memory.net_sum_bytes);
    row.memory.host_memory_net_stddev_bytes =
        memory.net_stddev_bytes().map(|bytes| bytes.round() as u64);
    row.memory.host_memory_peak_min_bytes = Some(memory.peak_min_bytes);
    row.memory.host_memory_peak_max_bytes = Some(memory.peak_max_bytes);
}

/// Fills in the memory of `other`, and that of startup and exit.
pub fn fill_other(
    rows: &mut [SpanRow],
    tree: &Tree,
    processes: &[ProcessSummary],
    left: &LeftOutside,
) {
    let nets = processes
        .iter()
        .map(|process| process.host_memory_net_bytes);
    let nets: Option<Vec<i64>> = nets.collect();
    let Some(total) = nets.map(|nets| nets.into_iter().fold(0, i64::saturating_add)) else {
        if let Some(other) = rows.iter_mut().find(|row| row.is_leftover(OTHER))
            && processes.iter().any(is_killed)
            && has_memory(tree)
        {
            explain(other, HELD, KILLED);
            explain(other, not_held(Group::HostMemory), NO_PEAK);
            explain(other, not_held(Group::KeptMemory), NO_SPREAD);
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
    let between = outside.saturating_sub(left.fill(rows));
    if let Some(other) = rows.iter_mut().find(|row| row.is_leftover(OTHER)) {
        hold(other, between);
    }
}

/// Tells whether any span carried memory.
fn has_memory(tree: &Tree) -> bool {
    let mut all = tree.in_order().into_iter();
    all.any(|index| tree.node(index).tally.memory.is_some())
}

fn is_killed(process: &ProcessSummary) -> bool {
    process.state == ProcessState::Killed
}

/// Finds paths of which only some spans have memory: their extremes are of those alone.
pub fn doubt(tree: &Tree) -> Option<Doubt> {
    let partly = tree.in_order().into_iter().filter_map(|index| {
        let tally = &tree.node(index).tally;
        let count = tally.memory.as_ref()?.count;
        (count > 0 && count < tally.count).then(|| {
            let names = tree.names(index);
            PathPart {
                path: path::join(names.iter().map(String::as_str)),
                count,
                span_count: tally.count,
            }
        })
    });
    let paths: Vec<PathPart> = partly.collect();
    (!paths.is_empty()).then_some(Doubt::Spans(SpansDoubt::MemoryPartial { paths }))
}

/// Why laps have no memory where others have.
const NOT_COVERED: &str = "memory is of laps during which it was counted from start to end; a timer's segments, which may overlap, have none";

/// Adds why memory is missing, where the recorder knew.
pub fn with_reasons(
    mut unavailable: BTreeMap<String, Unavailable>,
    tree: &Tree,
    processes: &[Process],
    summaries: &[ProcessSummary],
) -> BTreeMap<String, Unavailable> {
    let mut notes = processes
        .iter()
        .flat_map(|process| &process.features.notes.0);
    // A process that was killed early has counted and noted no total yet.
    let counted = processes
        .iter()
        .any(|process| process.features.host_memory.latest.is_some())
        || has_memory(tree);
    let reason = if counted {
        Some(NOT_COVERED.to_owned())
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
        for field in Group::HostMemory.names().chain(Group::KeptMemory.names()) {
            unavailable.insert(field.to_owned(), Unavailable(reason.clone()));
        }
    }
    unavailable
}

#[cfg(test)]
mod tests {
    use laptime_core::{Span, SpanMemory};

    use super::*;
    use crate::Options;
    use crate::testing::analyzed::summarize;
    use crate::testing::scripted::{EPOCH_NS, MAIN, MS, Script};

    fn spans(counted: &[bool]) -> Script {
        let mut script = Script::new(1, 100 * MS);
        let path = script.path(&["work"]);
        for (index, counted) in (0_u64..).zip(counted) {
            let memory = counted.then_some(SpanMemory {
                net_bytes: 1,
                peak_bytes: 2,
            });
            script
                .push(Span::plain(path, EPOCH_NS + index * 20 * MS, MS, MAIN).with_memory(memory));
        }
        script
    }

    #[test]
    fn a_path_of_which_only_some_spans_were_counted_says_how_many() {
        let summary = summarize(&[spans(&[true, false, true])], Options::default());
        let part = PathPart {
            path: "work".to_owned(),
            count: 2,
            span_count: 3,
        };
        let doubt = SpansDoubt::MemoryPartial { paths: vec![part] };
        assert!(summary.warnings.contains(&Doubt::Spans(doubt)));
    }

    #[test]
    fn a_process_that_was_killed_before_it_noted_a_total_has_none_with_a_reason() {
        let mut script = spans(&[true]);
        script.killed();
        let summary = summarize(&[script], Options::default());
        for field in TOTALS {
            let why = &summary.unavailable[field].0;
            assert!(why.contains("ended without closing its recording"), "{why}");
        }
    }

    #[test]
    fn paths_that_were_counted_whole_or_not_at_all_raise_no_doubt() {
        for counted in [[true, true], [false, false]] {
            let summary = summarize(&[spans(&counted)], Options::default());
            assert!(
                summary
                    .warnings
                    .iter()
                    .all(|one| one.code() != "memory-partial")
            );
        }
    }
}
