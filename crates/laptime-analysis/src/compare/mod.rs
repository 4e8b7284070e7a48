//! Two sides of recordings compared: every path with its ratio and a verdict, and where the difference is.
//!
//! Comes in as [`Run`]s, read by others: a summary, and the durations of each path. Goes out as a
//! [`Comparison`], plain values for the report. A side has one run or several; then runs are what
//! verdicts rest on ([`crate::benchmark::verdict`]).

mod benchmark_notes;
pub mod benchmarks;
mod beside;
mod between;
mod cause;
mod comparable;
mod comparison;
mod comparison_row;
mod delayed;
mod gate;
mod history;
mod inside;
mod machines;
mod matched;
mod measured;
mod metrics;
mod notes;
mod on_device;
mod options;
mod recorded_with;
mod rows;
mod run;
mod typical;

pub use between::CODE as BETWEEN_STEPS;
pub use comparison::{
    Average, Beside, Cause, CausePart, Comparison, Difference, Pair, Recorded, SCHEMA,
    SCHEMA_VERSION, SideSummary, Unit,
};
pub use comparison_row::{ComparisonRow, Presence, RowSide, name_of};
pub use gate::{Gate, GateOutcome, GateResult, Limit, Statistic};
pub use history::{Change, LEAST_RECORDINGS};
pub use options::Options;
pub use run::Run;

use crate::benchmark::verdict::{self, Judged, LEAST_THRESHOLD};
use crate::summary::doubt::Doubt;
use crate::summary::span_row::RowKind;
use matched::{Matched, Paths};

pub use matched::Basis;

/// Of all verdicts faster or slower, this part may be wrong. One on a lap inside of a step decides where the step can't
/// tell: then identical programs differ in less than one of a hundred comparisons, as half of such laps say slower, and
/// not all of these agree with the step.
const FALSE_RATE: f64 = 0.02;

/// Compares the base with each of the other sides. A side without a run has no row.
pub fn compare(base: &[Run], others: &[Vec<Run>], options: &Options) -> Comparison {
    let seen = on_device::seen(base, others);
    let (base, others) = match &seen {
        Some((base, others)) => (&base[..], &others[..]),
        None => (base, others),
    };
    let note = on_device::note(seen.is_some(), base, others);
    let pairs = others.iter().map(|new| {
        let mut pair = pair(base, new, options);
        pair.notes.extend(note.clone().map(Doubt::Worded));
        pair
    });
    let pairs = pairs.collect();
    Comparison {
        schema: SCHEMA.to_owned(),
        version: SCHEMA_VERSION,
        base: SideSummary::of(base),
        changes: match others {
            [_, _, ..] => history::changes(base, others),
            _ => Vec::new(),
        },
        pairs,
    }
}

fn pair(base: &[Run], new: &[Run], options: &Options) -> Pair {
    let matched = Matched::new(base, new);
    let differs = comparable::differs(&matched);
    let is_span = |paths: &&Paths<'_>| paths.kind == RowKind::Span;
    let mut spans = matched.rows().iter().filter(is_span);
    // Of runs without laps their times are compared.
    let has_common = match spans.next() {
        Some(first) => first.are_both() || spans.any(Paths::are_both),
        None => true,
    };
    let refusal = match (has_common, differs.first()) {
        (false, _) => Some(match comparable::program(&matched) {
            Some(one) => format!(
                "These are recordings of different programs, {} and {}: they have no lap in common.",
                one.base, one.new
            ),
            None => "The recordings have no lap in common.".to_owned(),
        }),
        (true, Some(first)) if !options.allow_different => Some(first.to_string()),
        _ => None,
    };
    let mut judged: Vec<Option<Judged>> = matched
        .rows()
        .iter()
        .map(|paths| paths.judge(options.threshold_ratio))
        .collect();
    let mut periods = between::judge(&matched, options.threshold_ratio);
    let mut all: Vec<&mut Judged> = judged.iter_mut().flatten().chain(&mut periods).collect();
    verdict::control_false_discoveries(&mut all, FALSE_RATE);
    let mut rows: Vec<ComparisonRow> = (matched.rows().iter().zip(&judged))
        .map(|(paths, judged)| rows::row(&matched, paths, judged.as_ref()))
        .collect();
    let step_names = matched.step().and_then(|step| matched.find(step));
    typical::tell(
        &mut rows,
        matched.basis(),
        step_names.map(|paths| paths.names),
    );
    let mut whole = match matched.step() {
        Some(step) => rows.iter().find(|row| row.path == step).cloned(),
        None => None,
    }
    .unwrap_or_else(|| rows::of_run(&matched, options.threshold_ratio));
    let mut step_to_step = periods.and_then(|judged| between::row(&matched, &judged, &whole));
    if let Some(why) = &refusal {
        for row in rows.iter_mut().chain([&mut whole]).chain(&mut step_to_step) {
            row.refuse(why);
        }
    }
    let mut pair = Pair {
        new: SideSummary::of(new),
        verdict: between::verdict(&whole, step_to_step.as_ref()),
        basis: matched.basis(),
        noun: matched.noun().to_owned(),
        threshold_ratio: options.threshold_ratio.max(LEAST_THRESHOLD),
        cause: cause::of(&whole, &rows),
        beside: beside::of(&matched),
        notes: between::note(matched.noun(), &whole, step_to_step.as_ref(), &rows)
            .map(Doubt::Worded)
            .into_iter()
            .chain(notes::of(&matched, &whole))
            .collect(),
        gates: options
            .gates
            .iter()
            .map(|gate| gate::outcome(gate, &matched, options.threshold_ratio))
            .collect(),
        differs,
        whole,
        step_to_step,
        inside: None,
        rows,
    };
    inside::decide(&mut pair, base.len(), new.len());
    pair
}

#[cfg(test)]
#[path = "tests/between.rs"]
mod between_tests;

#[cfg(test)]
#[path = "tests/machines.rs"]
mod machines_tests;

#[cfg(test)]
#[path = "tests/on_device.rs"]
mod on_device_tests;

#[cfg(test)]
#[path = "tests/compare.rs"]
mod tests;
