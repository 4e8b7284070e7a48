//! Numbers beside the times: memory, operations, CPU time, and what was learned.

use super::comparison::{Beside, Unit};
use super::matched::{Matched, Paths};
use super::metrics;
use super::run::Run;
use crate::statistics::quantiles::median_of;
use crate::summary::process::ProcessSummary;
use crate::summary::span_row::SpanRow;

/// How a number is read from a run or a row.
type OfRun = fn(&Run) -> Option<f64>;
type OfRow = fn(&SpanRow) -> Option<f64>;

/// Numbers of the run's processes.
const OF_RUN: [(&str, OfRun); 2] = [
    ("peak resident memory", |run| {
        largest(run, |process| process.resident_peak_bytes)
    }),
    ("peak host memory", |run| {
        largest(run, |process| process.host_memory_peak_bytes)
    }),
];
/// Numbers of all steps together.
const OF_STEPS: [(&str, Unit, OfRow); 4] = [
    ("CPU time", Unit::Ns, |row| number(row.process_ns)),
    ("host memory kept", Unit::Bytes, |row| {
        row.memory.host_memory_kept_bytes.map(|bytes| bytes as f64)
    }),
    ("device time", Unit::Ns, |row| number(row.device.device_ns)),
    ("FLOP", Unit::Flop, |row| {
        row.work.flop.map(|flop| flop as f64)
    }),
];
/// Numbers of a single step.
const OF_STEP: [(&str, Unit, OfRow); 3] = [
    ("host memory", Unit::Bytes, |row| {
        number(row.memory.host_memory_peak_max_bytes)
    }),
    ("device memory", Unit::Bytes, |row| {
        let bytes = row.device.device_memory_peak_max_bytes;
        bytes.map(|bytes| bytes as f64)
    }),
    ("FLOP/s", Unit::FlopPerS, |row| row.work.flop_per_s),
];

/// All that either side has.
pub fn of(matched: &Matched<'_>) -> Vec<Beside> {
    let mut all: Vec<Beside> = Vec::new();
    if let Some(step) = matched.step().and_then(|step| matched.find(step)) {
        all.extend(of_step(matched, step));
    }
    for (name, number) in OF_RUN {
        let of = |runs: &[Run]| typical(runs.iter().map(number));
        all.extend(beside(name, Unit::Bytes, of(matched.base), of(matched.new)));
    }
    all.extend(metrics::of(matched));
    all
}

fn of_step(matched: &Matched<'_>, step: &Paths<'_>) -> Vec<Beside> {
    let noun = matched.noun();
    let each = OF_STEPS.iter().filter_map(|(name, unit, number)| {
        let of = |side: &[(&Run, &SpanRow)]| {
            let steps = side.iter().map(|(run, row)| {
                let number = number(row)?;
                Some(number / matched.steps(run))
            });
            typical(steps)
        };
        beside(
            &format!("{name} per {noun}"),
            *unit,
            of(&step.base),
            of(&step.new),
        )
    });
    let single = OF_STEP.iter().filter_map(|(name, unit, number)| {
        let of = |side: &[(&Run, &SpanRow)]| typical(side.iter().map(|(_, row)| number(row)));
        let name = match unit {
            Unit::Bytes => format!("peak {name} in a {noun}"),
            _ => (*name).to_owned(),
        };
        beside(&name, *unit, of(&step.base), of(&step.new))
    });
    each.chain(single).collect()
}

/// A number that a side has, at least.
pub fn beside(name: &str, unit: Unit, base: Option<f64>, new: Option<f64>) -> Option<Beside> {
    (base.is_some() || new.is_some()).then(|| Beside {
        name: name.to_owned(),
        unit,
        base,
        new,
    })
}

/// The median of the runs; `None` where one has none.
pub fn typical(each: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let all: Vec<f64> = each.collect::<Option<_>>()?;
    (!all.is_empty()).then(|| median_of(all.into_iter(), &mut Vec::new()))
}

fn number(of: Option<u64>) -> Option<f64> {
    of.map(|number| number as f64)
}

fn largest(run: &Run, of: fn(&ProcessSummary) -> Option<u64>) -> Option<f64> {
    number(run.summary.processes.iter().filter_map(of).max())
}
