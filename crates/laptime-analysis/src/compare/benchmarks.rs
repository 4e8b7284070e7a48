//! Two sides of benchmarks compared, each by its name: samples of functions or commands, no recordings.
//!
//! A side has one measurement of each benchmark or several; then verdicts rest on the measurements.

use std::collections::HashSet;

use super::benchmark_machines::{machine_differences, machines_of};
use super::benchmark_notes::{other_python, single_measurement, tally};
use super::benchmark_samples::SampleFile;
use super::comparison::{Comparison, Pair, Recorded, SideSummary};
use super::comparison_row::{ComparisonRow, RowSide, finite};
use super::difference::Difference;
use super::difference_unit::Basis;
use super::gate_outcome::{GateResult, of_median};
use super::limits::Statistic;
use super::note::Note;
use super::options::{FALSE_RATE, Options};
use super::row_reason::RowReason;
use crate::benchmark::verdict::{self, Judged, LEAST_THRESHOLD, Side, Verdict, judge_measured};

/// The name for what one sample measures.
const NOUN: &str = "iteration";

/// Compares the base with each of the other sides.
pub fn compare(base: &[SampleFile], others: &[Vec<SampleFile>], options: &Options) -> Comparison {
    Comparison {
        base: side_summary(base),
        changes: Vec::new(),
        pairs: others.iter().map(|new| pair(base, new, options)).collect(),
    }
}

fn side_summary(files: &[SampleFile]) -> SideSummary {
    let recordings = files.iter().map(|file| Recorded {
        name: file.name.clone(),
        program: "benchmarks".to_owned(),
        wall_ns: 0,
        from_step: None,
    });
    SideSummary {
        recordings: recordings.collect(),
    }
}

fn pair(base: &[SampleFile], new: &[SampleFile], options: &Options) -> Pair {
    let (base_names, new_names) = (names_of(base), names_of(new));
    // With one benchmark a side it is plain which are meant, whatever their names.
    let renamed = match (&base_names[..], &new_names[..]) {
        ([old], [other]) if old != other => Some((*old, *other)),
        _ => None,
    };
    let arrow = renamed.map(|(old, other)| [old, "→", other].join(" "));
    let names = match &arrow {
        Some(arrow) => vec![arrow.as_str()],
        None => names_of(base.iter().chain(new)),
    };
    let side = |files: &[SampleFile], name: &str| Side {
        units: files
            .iter()
            .filter_map(|file| file.benchmark(name))
            .map(|one| one.samples_ns.clone())
            .collect(),
    };
    let sides: Vec<(Side, Side)> = names
        .iter()
        .map(|name| {
            let (old, other) = renamed.unwrap_or((name, name));
            (side(base, old), side(new, other))
        })
        .collect();
    let mut judged: Vec<Option<Judged>> = sides
        .iter()
        .map(|(base, new)| {
            let are_both = !base.units.is_empty() && !new.units.is_empty();
            are_both.then(|| judge_measured(base, new, options.threshold_ratio))
        })
        .collect();
    let mut all: Vec<&mut Judged> = judged.iter_mut().flatten().collect();
    verdict::control_false_discoveries(&mut all, FALSE_RATE);
    let gates = options.gates.iter().map(|gate| {
        let at = names.iter().position(|name| {
            let is_renamed =
                renamed.is_some_and(|(old, other)| [old, other].contains(&&*gate.path));
            *name == gate.path || is_renamed
        });
        let judged = at.and_then(|at| judged[at].as_ref());
        let judged = judged.filter(|_| gate.statistic == Statistic::Median);
        judged.map_or_else(
            || GateResult::unknown(gate),
            |judged| of_median(gate, judged),
        )
    });
    let gates: Vec<GateResult> = gates.collect();
    let mut rows: Vec<ComparisonRow> = (names.iter().zip(&sides).zip(&judged))
        .map(|((name, sides), judged)| row(name, sides, judged.as_ref()))
        .collect();
    let differences = differences(&names, renamed, base, new, |at, first| {
        if !options.allow_different {
            rows[at].refuse(RowReason::Different(first.clone()));
        }
    });
    let mut whole = first_to_know(&rows)
        .cloned()
        .unwrap_or_else(|| row("nothing", &<_>::default(), None));
    if whole.verdict.is_none() {
        whole.verdict = Some(Verdict::NotComparable);
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        whole.reason = Some(RowReason::NoCommonBenchmark {
            base: owned(&base_names),
            new: owned(&new_names),
        });
    }
    Pair {
        new: side_summary(new),
        verdict: whole.verdict.unwrap_or(Verdict::NotComparable),
        basis: Basis::Benchmark,
        noun: NOUN.to_owned(),
        threshold_ratio: options.threshold_ratio.max(LEAST_THRESHOLD),
        cause: None,
        other_numbers: Vec::new(),
        step_to_step: None,
        changed_lap: None,
        functions: None,
        has_laps: true,
        notes: [
            renamed.map(|(base, new)| Note::OtherName {
                base: base.to_owned(),
                new: new.to_owned(),
            }),
            tally(&rows),
            other_python(base, new),
            rows.iter()
                .any(|row| row.verdict.is_some())
                .then(|| single_measurement(base, new))
                .flatten(),
        ]
        .into_iter()
        .flatten()
        .collect(),
        gates,
        differences,
        whole,
        rows,
    }
}

/// Lists the differences between the machines of the sides, each once. `found` gets the index of a benchmark that has
/// one, and its first.
fn differences(
    names: &[&str],
    renamed: Option<(&str, &str)>,
    base: &[SampleFile],
    new: &[SampleFile],
    mut found: impl FnMut(usize, &Difference),
) -> Vec<Difference> {
    let mut all: Vec<Difference> = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let (old, other) = renamed.unwrap_or((name, name));
        let found_here = machine_differences(&machines_of(base, old), &machines_of(new, other));
        if let Some(first) = found_here.first() {
            found(at, first);
        }
        let are_new = found_here.into_iter().filter(|one| !all.contains(one));
        let are_new: Vec<Difference> = are_new.collect();
        all.extend(are_new);
    }
    all
}

/// Lists the names of the benchmarks, each once, in order.
fn names_of<'m>(files: impl IntoIterator<Item = &'m SampleFile>) -> Vec<&'m str> {
    let mut known: HashSet<&str> = HashSet::new();
    let all = files.into_iter().flat_map(|file| &file.benchmarks);
    all.map(|one| one.name.as_str())
        .filter(|name| known.insert(name))
        .collect()
}

/// Returns the row that a reader must know of first: the one that got slower most, else faster, else the least clear.
fn first_to_know(rows: &[ComparisonRow]) -> Option<&ComparisonRow> {
    let rank = |row: &ComparisonRow| -> (f64, f64) {
        let far = row.ratio.map_or(0.0, |ratio| ratio.ln().abs());
        let kind = match row.verdict {
            Some(Verdict::Slower) => 4.0,
            Some(Verdict::Faster) => 3.0,
            Some(Verdict::Inconclusive | Verdict::NotComparable) => 2.0,
            Some(Verdict::Same) => 1.0,
            None => 0.0,
        };
        (kind, far)
    };
    rows.iter().max_by(|one, other| {
        let ((kind, far), (other_kind, other_far)) = (rank(one), rank(other));
        kind.total_cmp(&other_kind).then(far.total_cmp(&other_far))
    })
}

fn row(name: &str, (base, new): &(Side, Side), judged: Option<&Judged>) -> ComparisonRow {
    let one = |side: &Side, median_ns: Option<f64>| {
        let all = || side.units.iter().flatten();
        let count = all().count();
        let mean_ns = all().sum::<f64>() / count.max(1) as f64;
        (!side.units.is_empty()).then_some(RowSide {
            median_ns: median_ns.filter(|ns| ns.is_finite()),
            mean_ns,
            own_ns: mean_ns,
            count: count as f64,
            step_ratio: 1.0,
            process_ns: None,
        })
    };
    let base = one(base, judged.map(|judged| judged.base_median));
    let new = one(new, judged.map(|judged| judged.new_median));
    let of_medians = judged.map(|judged| judged.new_median - judged.base_median);
    let name = name.to_owned();
    let mut row = ComparisonRow::new((&name.clone(), &[name]), base, new);
    row.median_difference_ns = of_medians.and_then(finite).unwrap_or(row.difference_ns);
    row.own_median_difference_ns = row.median_difference_ns;
    match judged {
        Some(judged) => row.judged(judged),
        None => row,
    }
}

#[cfg(test)]
#[path = "tests/benchmarks.rs"]
mod tests;
