//! A lap around the steps that has most of its time outside of them: a cell of a notebook that loads
//! data and trains, or a script's own lap around all of it. The steps are not what takes long there.

use super::function;
use super::steps::Steps;
use crate::summary::Summary;
use crate::summary::aside::is_aside;
use crate::summary::finding::Finding;
use crate::summary::span_row::{RowKind, SpanRow};

/// The part of a lap that must lie outside of its steps.
const OUTSIDE_RATIO: f64 = 0.5;
/// And the part of the run that this must be.
const RUN_RATIO: f64 = 0.1;
/// A lap beside the steps is named from this part of the time outside of them on.
const PART_RATIO: f64 = 0.5;

/// The innermost lap around the steps that this holds for.
///
/// Steps whose operations were counted as they ran, or that were profiled, are steps: without that they'd take less.
pub fn steps(summary: &Summary, steps: &Steps<'_>) -> Option<Finding> {
    let names = &steps.step.names;
    let spans = || summary.rows.iter().filter(|row| row.kind == RowKind::Span);
    let row = |names: &[String]| spans().find(|row| row.names == names);
    let is_step = |row: &SpanRow| {
        row.names == *names
            || row.is_child_of(&names[..names.len() - 1])
                && row.names.last().is_some_and(|name| is_aside(name))
    };
    let each_ns = spans().filter(|row| is_step(row)).map(|row| row.total_ns);
    let all_ns = each_ns.fold(0, u64::saturating_add);
    let depths = (1..names.len()).rev();
    let around = depths
        .filter_map(|depth| row(&names[..depth]))
        .find(|around| {
            let outside_ns = around.total_ns.saturating_sub(all_ns) as f64;
            outside_ns >= OUTSIDE_RATIO * around.total_ns as f64
                && outside_ns >= RUN_RATIO * summary.measured_ns as f64
        })?;
    let outside_ns = around.total_ns.saturating_sub(all_ns);
    let is_beside = |row: &&SpanRow| {
        row.is_child_of(&around.names) && !names.starts_with(&row.names) && !is_step(row)
    };
    let longest = spans().filter(is_beside).max_by_key(|row| row.total_ns);
    let part = longest.filter(|row| row.total_ns as f64 >= PART_RATIO * outside_ns as f64);
    // Its own time is a lap's without those inside, the steps among them.
    let is_own = around.self_ns as f64 >= PART_RATIO * outside_ns as f64;
    let functions = summary.functions.as_ref();
    Some(Finding::OutsideSteps {
        path: around.path.clone(),
        step_path: steps.step.path.clone(),
        total_ns: around.total_ns,
        outside_ns,
        part: part.map(|row| row.path.clone()),
        part_ns: part.map(|row| row.total_ns),
        function: is_own
            .then(|| function::of_own(functions, &around.path))
            .flatten(),
    })
}

#[cfg(test)]
#[path = "tests/around.rs"]
mod tests;
