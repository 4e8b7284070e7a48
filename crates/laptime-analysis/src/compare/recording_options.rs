//! Options with which the runs of two sides were recorded: counting slows a program down, so that a side recorded
//! with it can't be compared with one recorded without. Sampled functions, which every run of Python has, are no such option: they
//! take a hundredth of a processor at most.
//!
//! They are told by what a recording holds, not by what was asked for: `--calls` without a call costs nothing.

use super::difference::{Difference, Extent, RecordingOption};
use super::note::Note;
use super::recording::Run;
use super::sides::Sides;
use crate::summarize::columns::device_time;
use crate::summary::span_row::SpanRow;

/// Tells whether a recording holds what one option adds.
type Has = fn(&Run) -> bool;

/// Options that record something beside laps, and whether a run has it.
const OPTIONS: [(RecordingOption, Has); 5] = [
    (RecordingOption::Modules, |run| {
        any_row(run, |row| !row.module_class.is_empty())
    }),
    (RecordingOption::Operations, |run| {
        let operations = run.summary.operations.as_ref();
        operations.is_some_and(|found| !found.counted.is_empty() || found.told.is_some())
    }),
    (RecordingOption::Memory, |run| {
        any_row(run, |row| row.memory.host_memory_kept_bytes.is_some())
    }),
    (RecordingOption::Calls, |run| {
        let functions = run.summary.functions.as_ref();
        functions.is_some_and(|found| found.exact.is_some())
    }),
    (RecordingOption::DeviceWait, |run| {
        let mut warnings = run.summary.warnings.iter();
        warnings.any(|doubt| doubt.code() == device_time::SYNCHRONIZED)
    }),
];

/// Lists the options that only one side was recorded with, or only some runs of a side.
pub fn recording_differences(sides: &Sides<'_>) -> impl Iterator<Item = Difference> {
    OPTIONS.into_iter().filter_map(|(option, has)| {
        let [base, new] = [sides.base, sides.new].map(|runs| extent(runs, has));
        let is_alike = base == new && base != Extent::SomeRuns;
        (!is_alike).then_some(Difference::Recorded { option, base, new })
    })
}

/// Notes that runs were recorded with different options.
pub fn note(sides: &Sides<'_>) -> Option<Note> {
    let options = recording_differences(sides).filter_map(|one| match one {
        Difference::Recorded { option, .. } => Some(option),
        _ => None,
    });
    let options: Vec<RecordingOption> = options.collect();
    (!options.is_empty()).then_some(Note::RecordingDiffers { options })
}

fn extent(runs: &[Run], has: Has) -> Extent {
    match runs.iter().filter(|run| has(run)).count() {
        0 => Extent::Off,
        count if count == runs.len() => Extent::On,
        _ => Extent::SomeRuns,
    }
}

fn any_row(run: &Run, has: fn(&SpanRow) -> bool) -> bool {
    run.summary.rows.iter().any(has)
}
