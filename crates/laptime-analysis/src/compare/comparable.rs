//! What two sides must have in common: the machine, the device, types, threads, the work of a step, and
//! what was recorded beside it.
//!
//! Only what both recordings tell is held against each other: what one lacks is no difference.

use std::collections::BTreeSet;

use super::comparison::Difference;
use super::matched::{Matched, Paths};
use super::recorded_with;
use super::run::Run;
use crate::summarize::columns::device_time;
use crate::summary::span_row::{RowKind, SpanRow};
use crate::summary::spoken::grouped;

/// Facts about the surroundings that times depend on, and what they are called.
const FACTS: [(&str, &str); 2] = [
    ("machine", "machine"),
    ("threads", "number of threads that compute"),
];
/// Steps whose work differs by more than this part are steps of another size.
const WORK_RATIO: f64 = 0.001;

/// Everything that differs.
pub fn differs(matched: &Matched<'_>) -> Vec<Difference> {
    // First of all: that two programs were recorded with other options is no news.
    let mut differs: Vec<Difference> = program(matched).into_iter().collect();
    differs.extend(FACTS.iter().filter_map(|(key, what)| {
        let told = |run: &Run| run.summary.environment.get(*key).cloned();
        difference(what, told, matched)
    }));
    let computed_on = |run: &Run| device_time::used(&run.summary);
    differs.extend(difference("device", computed_on, matched));
    let devices = |run: &Run| {
        let peaks = run
            .summary
            .operations
            .iter()
            .flat_map(|one| &one.flop_peaks);
        let devices: BTreeSet<&str> = peaks.map(|peak| peak.label.as_str()).collect();
        let devices: Vec<&str> = devices.into_iter().collect();
        (!devices.is_empty()).then(|| devices.join(", "))
    };
    differs.extend(difference("arithmetic", devices, matched));
    differs.extend(work(matched));
    differs.extend(recorded_with::differs(matched));
    differs
}

/// Programs of other names that have less than half of their paths in common, or none at all. A program
/// that was renamed has most of them.
pub fn program(matched: &Matched<'_>) -> Option<Difference> {
    let rows = matched.rows().iter();
    let spans: Vec<bool> = rows
        .filter(|paths| paths.kind == RowKind::Span)
        .map(Paths::are_both)
        .collect();
    let common = spans.iter().filter(|are_both| **are_both).count();
    let told = |run: &Run| Some(run.summary.program.clone()).filter(|name| !name.is_empty());
    let names = difference("program", told, matched)?;
    // Several of one side are no reason by themselves.
    let is_another = spans.is_empty() || 2 * common < spans.len();
    (names.base != names.new && is_another).then_some(names)
}

/// A fact that the sides tell differently. Runs of one side may differ as well: that is said of both.
fn difference(
    what: &str,
    told: impl Fn(&Run) -> Option<String>,
    matched: &Matched<'_>,
) -> Option<Difference> {
    let of = |runs: &[Run]| -> BTreeSet<String> { runs.iter().filter_map(&told).collect() };
    let (base, new) = (of(matched.base), of(matched.new));
    let is_known = !base.is_empty() && !new.is_empty();
    let joined = |all: BTreeSet<String>| all.into_iter().collect::<Vec<_>>().join(" and ");
    (is_known && (base != new || base.len() > 1)).then(|| Difference {
        what: what.to_owned(),
        base: joined(base),
        new: joined(new),
    })
}

/// Whether a step does other work.
fn work(matched: &Matched<'_>) -> Option<Difference> {
    let step = matched.find(matched.step()?)?;
    let of = |side: &[(&Run, &SpanRow)]| {
        let each = side.iter().map(|(run, row)| {
            let flop = row.work.flop? as f64;
            Some(flop / matched.steps(run))
        });
        let each: Vec<f64> = each.collect::<Option<_>>()?;
        each.iter().copied().reduce(f64::max)
    };
    let (base, new) = (of(&step.base)?, of(&step.new)?);
    ((new - base).abs() > WORK_RATIO * base.max(new)).then(|| Difference {
        what: format!("work of a {}", matched.noun()),
        base: format!("{} FLOP", grouped(base)),
        new: format!("{} FLOP", grouped(new)),
    })
}
