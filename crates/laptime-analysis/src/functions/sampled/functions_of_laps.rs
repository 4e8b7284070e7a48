//! Functions by lap: the sampled ones, scaled to the measured times of the laps, and the counted ones.

use std::collections::BTreeMap;

use laptime_core::Unavailable;

use crate::functions::counted_calls;
use crate::functions::sampled::{notebook_cells, scale_to_laps, sum_samples};
use crate::functions::stack_records::NO_STACKS;
use crate::reading::process::Process;
use crate::summary::functions::Functions;
use crate::summary::span_row::SpanRow;

/// Returns the sampled and counted functions of a run; `None` where there are neither. The first `measured`
/// processes are measured, and `rows` have the measured times.
pub fn functions(processes: &[Process], measured: usize, rows: &[SpanRow]) -> Option<Functions> {
    let mut sampled = sum_samples::functions(processes, measured);
    if let Some(sampled) = &mut sampled {
        scale_to_laps::scale(&mut sampled.laps, rows, processes);
    }
    let exact = counted_calls::functions(processes);
    if sampled.is_none() && exact.is_none() {
        return None;
    }
    let nothing = Functions {
        sample_count: 0,
        period_ns: 0,
        within_ns: 0,
        unread_ratio: 0.0,
        laps: Vec::new(),
        exact: None,
    };
    let mut functions = Functions {
        exact,
        ..sampled.unwrap_or(nothing)
    };
    notebook_cells::name_cells(&mut functions, processes);
    Some(functions)
}

/// Says why functions are missing, where the recorder knew.
pub fn with_reason(
    mut unavailable: BTreeMap<String, Unavailable>,
    processes: &[Process],
) -> BTreeMap<String, Unavailable> {
    let mut notes = processes
        .iter()
        .flat_map(|process| &process.features.notes.0);
    let is_sampled = |process: &Process| !process.features.stacks.is_empty();
    if processes.iter().any(is_sampled) {
        return unavailable;
    }
    if let Some((_, why)) = notes.find(|(code, _)| code == NO_STACKS) {
        unavailable.insert("functions".to_owned(), Unavailable(why.clone()));
    }
    unavailable
}
