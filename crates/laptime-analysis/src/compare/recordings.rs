//! Two sides of recordings compared: judges every path, and finds where the difference is.

use super::comparison::{Comparison, Pair, SideSummary};
use super::comparison_row::ComparisonRow;
use super::differences::{differences, other_names};
use super::options::{FALSE_RATE, Options};
use super::recording::Run;
use super::row_reason::RowReason;
use super::sides::{PathRows, Sides};
use super::{
    changed_lap, device_times, function_verdict, gate_outcome, history, locate_difference,
    median_differences, metrics, notes, one_run, resources, rows, step_gaps,
};
use crate::benchmark::verdict::{self, Judged, LEAST_THRESHOLD};
use crate::summary::span_row::RowKind;

/// Compares the base with each of the other sides. A side without a run has no row.
pub fn compare(base: &[Run], others: &[Vec<Run>], options: &Options) -> Comparison {
    let by_device = device_times::runs_by_device(base, others);
    let (base, others) = match &by_device {
        Some((base, others)) => (&base[..], &others[..]),
        None => (base, others),
    };
    let note = device_times::note(by_device.is_some(), base, others);
    let pairs = others.iter().map(|new| {
        let mut pair = pair(base, new, options);
        pair.notes.extend(note.clone());
        pair
    });
    let pairs = pairs.collect();
    Comparison {
        base: SideSummary::of_runs(base),
        changes: match others {
            [_, _, ..] => history::changes(base, others),
            _ => Vec::new(),
        },
        pairs,
    }
}

fn pair(base: &[Run], new: &[Run], options: &Options) -> Pair {
    let sides = Sides::new(base, new);
    let differences = differences(&sides);
    let refusal = if has_common_lap(&sides) {
        let first = differences.first().filter(|_| !options.allow_different);
        first.cloned().map(RowReason::Different)
    } else {
        Some(match other_names(&sides) {
            Some([base, new]) => RowReason::OtherProgram { base, new },
            None => RowReason::NoCommonLap,
        })
    };
    let mut judged: Vec<Option<Judged>> = sides
        .rows()
        .iter()
        .map(|paths| paths.judge(options.threshold_ratio))
        .collect();
    let mut periods = step_gaps::judge(&sides, options.threshold_ratio);
    let mut all: Vec<&mut Judged> = judged.iter_mut().flatten().chain(&mut periods).collect();
    verdict::control_false_discoveries(&mut all, FALSE_RATE);
    let mut rows: Vec<ComparisonRow> = (sides.rows().iter().zip(&judged))
        .map(|(paths, judged)| rows::path_row(&sides, paths, judged.as_ref()))
        .collect();
    let step = sides.step().and_then(|step| sides.find(step));
    median_differences::fill_in(&mut rows, sides.basis(), step.map(|paths| paths.names));
    one_run::doubt_rows(&sides, &mut rows);
    let mut whole = match sides.step() {
        Some(step) => rows.iter().find(|row| row.path == step).cloned(),
        None => None,
    }
    .unwrap_or_else(|| rows::whole_run_row(&sides, options.threshold_ratio));
    let mut step_to_step = periods.and_then(|judged| step_gaps::row(&sides, &judged, &whole));
    if let Some(why) = &refusal {
        for row in rows.iter_mut().chain([&mut whole]).chain(&mut step_to_step) {
            row.refuse(why.clone());
        }
    }
    let mut pair = Pair {
        new: SideSummary::of_runs(new),
        verdict: step_gaps::verdict(&whole, step_to_step.as_ref()),
        basis: sides.basis(),
        noun: sides.noun().to_owned(),
        threshold_ratio: options.threshold_ratio.max(LEAST_THRESHOLD),
        cause: locate_difference::find_cause(&whole, &rows),
        other_numbers: resources::resources(&sides)
            .into_iter()
            .chain(metrics::metrics(&sides))
            .collect(),
        notes: step_gaps::note(&whole, step_to_step.as_ref(), &rows)
            .into_iter()
            .chain(notes::notes(&sides, &whole))
            .collect(),
        gates: options
            .gates
            .iter()
            .map(|gate| gate_outcome::of_sides(gate, &sides, options.threshold_ratio))
            .collect(),
        differences,
        whole,
        step_to_step,
        changed_lap: None,
        functions: None,
        has_laps: sides.rows().iter().any(|paths| paths.kind == RowKind::Span),
        rows,
    };
    changed_lap::decide(&mut pair, base.len(), new.len());
    function_verdict::decide(&mut pair, &sides);
    pair.notes.extend(notes::on_functions(&sides, &pair));
    pair
}

/// Tells whether the sides have a lap in common. Of runs without laps their times are compared.
fn has_common_lap(sides: &Sides<'_>) -> bool {
    let is_span = |paths: &&PathRows<'_>| paths.kind == RowKind::Span;
    let mut spans = sides.rows().iter().filter(is_span).peekable();
    spans.peek().is_none() || spans.any(PathRows::are_both)
}

#[cfg(test)]
#[path = "tests/step_gaps.rs"]
mod step_gaps_tests;

#[cfg(test)]
#[path = "tests/device_times.rs"]
mod device_times_tests;

#[cfg(test)]
#[path = "tests/recordings.rs"]
mod tests;
