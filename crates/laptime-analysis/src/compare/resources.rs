//! Resources that runs and steps of two sides use beside time: memory, operations, and CPUs.

use super::other_number::{NumberKind, OtherNumber, median_of_runs};
use super::recording::Run;
use super::sides::{PathRows, Sides};
use crate::summary::process::ProcessSummary;
use crate::summary::span_row::SpanRow;

/// Reads a number of a run.
type RunNumber = fn(&Run) -> Option<f64>;
/// Reads a number of a row.
type RowNumber = fn(&SpanRow) -> Option<f64>;

/// Numbers of the run's processes.
const RUN_NUMBERS: [(NumberKind, RunNumber); 2] = [
    (NumberKind::PeakResidentMemory, |run| {
        largest(run, |process| process.resident_peak_bytes)
    }),
    (NumberKind::PeakHostMemory, |run| {
        largest(run, |process| process.host_memory_peak_bytes)
    }),
];
/// Numbers of all steps together, which are divided by the steps.
const SUMS_OF_STEPS: [(NumberKind, RowNumber); 4] = [
    (NumberKind::StepCpuTime, |row| number(row.process_ns)),
    (NumberKind::StepHostMemoryKept, |row| {
        row.memory.host_memory_kept_bytes.map(|bytes| bytes as f64)
    }),
    (NumberKind::StepDeviceTime, |row| {
        number(row.device.device_ns)
    }),
    (NumberKind::StepFlop, |row| {
        row.work.flop.map(|flop| flop as f64)
    }),
];
/// Numbers of a single step.
const STEP_NUMBERS: [(NumberKind, RowNumber); 3] = [
    (NumberKind::StepPeakHostMemory, |row| {
        number(row.memory.host_memory_peak_max_bytes)
    }),
    (NumberKind::StepPeakDeviceMemory, |row| {
        let bytes = row.device.device_memory_peak_max_bytes;
        bytes.map(|bytes| bytes as f64)
    }),
    (NumberKind::FlopPerS, |row| row.work.flop_per_s),
];

/// Lists the resources that a side tells, at least: those of a step before those of the run.
pub fn resources(sides: &Sides<'_>) -> Vec<OtherNumber> {
    let mut all: Vec<OtherNumber> = Vec::new();
    if let Some(step) = sides.step().and_then(|step| sides.find(step)) {
        all.extend(step_resources(sides, step));
    }
    for (kind, number) in RUN_NUMBERS {
        let median = |runs: &[Run]| median_of_runs(runs.iter().map(number));
        let (base, new) = (median(sides.base), median(sides.new));
        all.extend(OtherNumber::of_sides(kind, base, new));
    }
    all
}

fn step_resources(sides: &Sides<'_>, step: &PathRows<'_>) -> Vec<OtherNumber> {
    let sums = SUMS_OF_STEPS.into_iter().filter_map(|(kind, number)| {
        let median = |side: &[(&Run, &SpanRow)]| {
            let steps = side.iter().map(|(run, row)| {
                let number = number(row)?;
                Some(number / sides.steps(run))
            });
            median_of_runs(steps)
        };
        OtherNumber::of_sides(kind, median(&step.base), median(&step.new))
    });
    let single = STEP_NUMBERS.into_iter().filter_map(|(kind, number)| {
        let median =
            |side: &[(&Run, &SpanRow)]| median_of_runs(side.iter().map(|(_, row)| number(row)));
        OtherNumber::of_sides(kind, median(&step.base), median(&step.new))
    });
    sums.chain(single).collect()
}

fn number(whole: Option<u64>) -> Option<f64> {
    whole.map(|number| number as f64)
}

fn largest(run: &Run, bytes: fn(&ProcessSummary) -> Option<u64>) -> Option<f64> {
    number(run.summary.processes.iter().filter_map(bytes).max())
}
