//! Facts that two sides of recordings must have in common: the machine, the device, types, threads, the work
//! of a step, and what was recorded beside it.
//!
//! Only facts that both sides tell are compared: what one lacks is no difference.

use std::collections::BTreeSet;

use super::difference::{Difference, Fact};
use super::recording::Run;
use super::recording_options::recording_differences;
use super::sides::Sides;
use crate::summarize::columns::device_time;
use crate::summary::span_row::SpanRow;

/// Facts about the surroundings that times depend on, and their keys in a recording.
const SURROUNDINGS: [(Fact, &str); 2] = [(Fact::Machine, "machine"), (Fact::Threads, "threads")];
/// Steps whose work differs by more than this part are steps of another size.
const WORK_RATIO: f64 = 0.001;

/// Lists the facts that differ.
pub fn differences(sides: &Sides<'_>) -> Vec<Difference> {
    let surroundings = SURROUNDINGS.into_iter().filter_map(|(fact, key)| {
        let value = |run: &Run| run.summary.environment.get(key).cloned();
        difference(fact, value, sides)
    });
    let mut all: Vec<Difference> = surroundings.collect();
    let device = |run: &Run| device_time::used(&run.summary);
    all.extend(difference(Fact::Device, device, sides));
    all.extend(difference(Fact::Arithmetic, arithmetic, sides));
    all.extend(step_work(sides));
    all.extend(recording_differences(sides));
    all
}

/// Returns the programs of both sides if these have other names: two versions of one program often do.
pub fn other_names(sides: &Sides<'_>) -> Option<[Vec<String>; 2]> {
    let program = |run: &Run| Some(run.summary.program.clone()).filter(|name| !name.is_empty());
    let names = differing_values(program, sides)?;
    // Several of one side are no reason by themselves.
    (names[0] != names[1]).then_some(names)
}

/// Returns the number types whose peaks a run knows.
fn arithmetic(run: &Run) -> Option<String> {
    let operations = run.summary.operations.iter();
    let peaks = operations.flat_map(|one| &one.flop_peaks);
    let types: BTreeSet<&str> = peaks.map(|peak| peak.label.as_str()).collect();
    let types: Vec<&str> = types.into_iter().collect();
    (!types.is_empty()).then(|| types.join(", "))
}

/// Returns a fact that the sides tell differently.
fn difference(
    fact: Fact,
    value: impl Fn(&Run) -> Option<String>,
    sides: &Sides<'_>,
) -> Option<Difference> {
    let [base, new] = differing_values(value, sides)?;
    Some(Difference::Fact { fact, base, new })
}

/// Returns the values that each side tells, if they differ. Runs of one side may differ as well: that counts for both.
fn differing_values(
    value: impl Fn(&Run) -> Option<String>,
    sides: &Sides<'_>,
) -> Option<[Vec<String>; 2]> {
    let values = |runs: &[Run]| -> BTreeSet<String> { runs.iter().filter_map(&value).collect() };
    let (base, new) = (values(sides.base), values(sides.new));
    let is_known = !base.is_empty() && !new.is_empty();
    (is_known && (base != new || base.len() > 1))
        .then(|| [base, new].map(|values| values.into_iter().collect()))
}

/// Returns the work of a step if it is other work.
fn step_work(sides: &Sides<'_>) -> Option<Difference> {
    let step = sides.find(sides.step()?)?;
    let most_flop = |side: &[(&Run, &SpanRow)]| {
        let each = side.iter().map(|(run, row)| {
            let flop = row.work.flop? as f64;
            Some(flop / sides.steps(run))
        });
        let each: Vec<f64> = each.collect::<Option<_>>()?;
        each.iter().copied().reduce(f64::max)
    };
    let (base_flop, new_flop) = (most_flop(&step.base)?, most_flop(&step.new)?);
    let is_other = (new_flop - base_flop).abs() > WORK_RATIO * base_flop.max(new_flop);
    is_other.then(|| Difference::StepWork {
        noun: sides.noun().to_owned(),
        base_flop,
        new_flop,
    })
}
