//! A lap around the steps that has most of its time outside of them: a cell of a notebook that loads
//! data and trains, or a script's own lap around all of it. The steps are not what takes long there.

use super::evidence::Evidence;
use super::main_function;
use crate::summary::finding::Finding;
use crate::summary::instrumented_names::is_observed_unit;
use crate::summary::span_row::{RowKind, SpanRow};

/// The least part of a lap that must lie outside of its steps.
const OUTSIDE_RATIO: f64 = 0.5;
/// The least part of the run that this must be.
const RUN_RATIO: f64 = 0.1;
/// The least part of the time outside of the steps that a lap beside them must take to be named.
const PART_RATIO: f64 = 0.5;

/// Finds the innermost lap around the steps that has most of its time outside of them.
///
/// Steps whose operations were counted as they ran, or that were profiled, are steps: without that they'd take less.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let (summary, steps) = (evidence.summary, evidence.steps?);
    let names = &steps.step.names;
    let spans = || summary.rows.iter().filter(|row| row.kind == RowKind::Span);
    let row = |names: &[String]| spans().find(|row| row.names == names);
    let is_step = |row: &SpanRow| {
        row.names == *names
            || row.is_child_of(&names[..names.len() - 1])
                && row.names.last().is_some_and(|name| is_observed_unit(name))
    };
    let each_ns = spans().filter(|row| is_step(row)).map(|row| row.total_ns);
    let all_ns = each_ns.fold(0, u64::saturating_add);
    let depths = (1..names.len()).rev();
    let outer = depths
        .filter_map(|depth| row(&names[..depth]))
        .find(|outer| {
            let outside_ns = outer.total_ns.saturating_sub(all_ns) as f64;
            outside_ns >= OUTSIDE_RATIO * outer.total_ns as f64
                && outside_ns >= RUN_RATIO * summary.measured_ns as f64
        })?;
    let outside_ns = outer.total_ns.saturating_sub(all_ns);
    let is_beside = |row: &&SpanRow| {
        row.is_child_of(&outer.names) && !names.starts_with(&row.names) && !is_step(row)
    };
    let longest = spans().filter(is_beside).max_by_key(|row| row.total_ns);
    let part = longest.filter(|row| row.total_ns as f64 >= PART_RATIO * outside_ns as f64);
    // The self time of a lap is its time without the laps inside, the steps among them.
    let is_self = outer.self_ns as f64 >= PART_RATIO * outside_ns as f64;
    let functions = summary.functions.as_ref();
    Some(Finding::OutsideSteps {
        path: outer.path.clone(),
        step_path: steps.step.path.clone(),
        total_ns: outer.total_ns,
        outside_ns,
        part: part.map(|row| row.path.clone()),
        part_ns: part.map(|row| row.total_ns),
        function: is_self
            .then(|| main_function::of_self_time(functions, &outer.path))
            .flatten(),
    })
}

#[cfg(test)]
#[path = "tests/outside_steps.rs"]
mod tests;
