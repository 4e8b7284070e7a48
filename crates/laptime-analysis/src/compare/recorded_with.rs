//! What two sides recorded beside laps: counting and sampling slow a program down, so a side with it is
//! no measure of one without.
//!
//! Told by what a recording holds, not by what was asked for: `--calls` without a call costs nothing.

use laptime_core::Warning;

use super::comparison::Difference;
use super::matched::Matched;
use super::run::Run;
use crate::summarize::columns::device_time;
use crate::summary::span_row::SpanRow;

/// Whether a run has something.
type Has = fn(&Run) -> bool;

/// What may be recorded, as it is called, the option that asks for it, and whether a run has it.
const OPTIONS: [(&str, &str, Has); 6] = [
    ("recording of modules", "--modules", |run| {
        any_row(run, |row| !row.module_class.is_empty())
    }),
    ("counting of operations", "--ops", |run| {
        let operations = run.summary.operations.as_ref();
        operations.is_some_and(|found| !found.counted.is_empty() || found.told.is_some())
    }),
    ("counting of memory", "--memory", |run| {
        any_row(run, |row| row.memory.host_memory_kept_bytes.is_some())
    }),
    ("sampling of stacks", "--stacks", |run| {
        let functions = run.summary.functions.as_ref();
        functions.is_some_and(|found| found.sample_count > 0)
    }),
    ("counting of calls", "--calls", |run| {
        let functions = run.summary.functions.as_ref();
        functions.is_some_and(|found| found.exact.is_some())
    }),
    ("waiting for the device", "LAPTIME_DEVICE=sync", |run| {
        let mut warnings = run.summary.warnings.iter();
        warnings.any(|warning| warning.code() == device_time::SYNCHRONIZED)
    }),
];

/// What one side recorded and the other did not, or only some of its runs did.
pub fn differs<'m>(matched: &'m Matched<'_>) -> impl Iterator<Item = Difference> + 'm {
    of_options(matched).map(|(what, option, [base, new])| Difference {
        what: format!("{what} ({option})"),
        base: base.to_owned(),
        new: new.to_owned(),
    })
}

/// What to do about it.
pub fn note(matched: &Matched<'_>) -> Option<Warning> {
    let options: Vec<&str> = of_options(matched).map(|(_, option, _)| option).collect();
    (!options.is_empty()).then(|| {
        let options = options.join(" and ");
        Warning::new(
            "recorded-otherwise",
            format!("recording with {options} takes time itself, and not all runs were recorded that way"),
        )
        .with_hint(format!(
            "record both sides with {options}, or both without; --allow-different compares them as they are"
        ))
    })
}

/// The options that differ, with what the sides have of them.
fn of_options<'m>(
    matched: &'m Matched<'_>,
) -> impl Iterator<Item = (&'static str, &'static str, [&'static str; 2])> + 'm {
    OPTIONS.iter().filter_map(|(what, option, has)| {
        let sides = [matched.base, matched.new].map(|runs| word(runs, *has));
        let is_alike = sides[0] == sides[1] && sides[0] != SOME;
        (!is_alike).then_some((*what, *option, sides))
    })
}

/// Of a side of which some runs have it.
const SOME: &str = "on in some runs";

fn word(runs: &[Run], has: Has) -> &'static str {
    match runs.iter().filter(|run| has(run)).count() {
        0 => "off",
        count if count == runs.len() => "on",
        _ => SOME,
    }
}

fn any_row(run: &Run, has: fn(&SpanRow) -> bool) -> bool {
    run.summary.rows.iter().any(has)
}
