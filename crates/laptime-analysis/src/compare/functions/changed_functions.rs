//! The functions of two sides: their rows, of which those that surely changed are marked.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::alike_change::alike_ratio;
use super::function_row::{ChangedPart, FunctionRow, FunctionSide, LibraryChange};
use super::match_functions::{Callers, Matched, SideFunctions, match_functions};
use super::sampled_times::{FunctionTimes, RunTimes, SampledTime};
use super::sure_changes::{Conditions, FALSE_RATE};
use super::time_difference::{RunTime, TimeDifference, mean_ns};
use crate::summary::call_tree::CallKind;

/// Part of a function's change that a function of a package has, to be named with it.
const LIBRARY_RATIO: f64 = 0.6;

/// Samples that a function is expected to have where none of them is 5 % likely: −ln 0.05 (the rule of three).
const UNSAMPLED: f64 = 3.0;

/// The functions of two sides.
///
/// **Units** nanoseconds for each step or run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FunctionChanges {
    /// The lap whose functions these are, with those of the laps inside; `None` for the whole program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// Number of samples of the base.
    pub base_sample_count: u64,
    /// Number of samples of the other side.
    pub new_sample_count: u64,
    /// Mean time of all of it on the base.
    pub base_ns: f64,
    /// Confidence of the differences' intervals: above 0.95, as one of many functions differs by chance.
    pub confidence: f64,
    /// New over base, where all functions take longer or less by about the same ratio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alike_ratio: Option<f64>,
    /// Functions, those first whose self time changed most.
    pub rows: Vec<FunctionRow>,
}

impl FunctionChanges {
    /// Lists the functions that surely changed, the largest change first.
    pub fn changed(&self) -> impl Iterator<Item = &FunctionRow> {
        self.rows.iter().filter(|row| row.changed.is_some())
    }

    /// Returns the time that the functions add which changed otherwise than the rest of the program.
    pub fn sure_ns(&self) -> f64 {
        let stand_out = self.changed().filter(|row| row.stands_out);
        let changes = stand_out.filter_map(FunctionRow::sure_change);
        changes.map(|change| change.difference_ns).sum()
    }
}

/// The runs of both sides.
struct Sides<'r> {
    base: &'r [RunTimes],
    new: &'r [RunTimes],
}

/// Compares the functions of two sides, and finds those that changed by more than this part of the base.
pub fn compare(
    within: Option<String>,
    base: &[RunTimes],
    new: &[RunTimes],
    threshold_ratio: f64,
) -> FunctionChanges {
    let sides = Sides { base, new };
    let all = |run: &RunTimes| run.whole;
    let whole = [base, new].map(|side| times(side, all));
    let [base_ns, new_ns] = [0, 1].map(|side: usize| mean_ns(&whole[side]));
    let matched = match_functions(&functions(base), &functions(new));
    let mut rows: Vec<FunctionRow> = matched.iter().map(|one| sides.row(one)).collect();
    rows.sort_by(|one, other| {
        let size = |row: &FunctionRow| row.own.difference_ns.abs();
        size(other).total_cmp(&size(one))
    });
    let conditions = Conditions {
        threshold_ratio,
        whole_ns: [base_ns, new_ns],
        is_single: base.len() == 1 && new.len() == 1,
    };
    let confidence = conditions.mark(&mut rows);
    for row in &mut rows {
        if row.changed == Some(ChangedPart::Own) {
            row.library = sides.library(row);
        }
    }
    let samples = |side: &[RunTimes]| {
        let all = side.iter().map(|run| run.whole.sample_count);
        all.sum::<f64>() as u64
    };
    let is_none = rows.iter().all(|row| row.changed.is_none());
    FunctionChanges {
        within,
        base_sample_count: samples(base),
        new_sample_count: samples(new),
        base_ns,
        confidence,
        alike_ratio: alike_ratio(&rows, [base_ns, new_ns]).filter(|_| is_none),
        rows,
    }
}

/// Returns the functions of all runs of a side, with what called them.
fn functions(side: &[RunTimes]) -> SideFunctions<'_> {
    let mut callers: Callers<'_> = BTreeMap::new();
    for (call, times) in side.iter().flat_map(|run| &run.by_function) {
        callers.entry(call).or_default().extend(&times.callers);
    }
    SideFunctions {
        callers,
        programs: side.iter().map(|run| run.program.as_str()).collect(),
    }
}

/// Returns the time below which a function of a side without a sample of it most likely is.
fn unsampled_below_ns(side: &[RunTimes]) -> Option<f64> {
    let per_ns: f64 = side.iter().map(RunTimes::samples_per_ns).sum();
    (per_ns > 0.0).then(|| UNSAMPLED / per_ns)
}

/// Returns a time of each run.
fn times(side: &[RunTimes], part: impl Fn(&RunTimes) -> SampledTime) -> Vec<RunTime> {
    let each = side.iter();
    each.map(|run| RunTime::new(part(run), run.whole, run.unit_count))
        .collect()
}

impl Sides<'_> {
    /// Compares a time of a function that has a name on each side.
    fn difference(
        &self,
        base: Option<&CallKind>,
        new: Option<&CallKind>,
        part: impl Fn(&FunctionTimes) -> SampledTime,
    ) -> TimeDifference {
        let of_side = |side: &[RunTimes], call: Option<&CallKind>| {
            times(side, |run| {
                let known = call.and_then(|call| run.by_function.get(call));
                known.map_or_else(SampledTime::default, &part)
            })
        };
        TimeDifference::of_sides(&of_side(self.base, base), &of_side(self.new, new))
    }

    fn row(&self, one: &Matched) -> FunctionRow {
        let (before, now) = (one.base.as_ref(), one.new.as_ref());
        let base = before.map(|call| side(self.base, call));
        let new = now.map(|call| side(self.new, call));
        let call = now.or(before).cloned();
        FunctionRow {
            before: one.base.clone().filter(|_| before != now && now.is_some()),
            call: call.unwrap_or(CallKind::Import {
                module: String::new(),
            }),
            unsampled_below_ns: match (before, now) {
                (None, _) => unsampled_below_ns(self.base),
                (_, None) => unsampled_below_ns(self.new),
                _ => None,
            },
            base,
            new,
            own: self.difference(before, now, |times| times.own),
            total: self.difference(before, now, |times| times.total),
            changed: None,
            doubt: None,
            stands_out: false,
            library: None,
        }
    }

    /// Finds the function of a package that makes most of a change of a function's self time.
    fn library(&self, row: &FunctionRow) -> Option<LibraryChange> {
        let base = row.before.as_ref().unwrap_or(&row.call);
        let runs = self.base.iter().chain(self.new);
        let of_row = runs.filter_map(|run| {
            let known = run.by_function.get(&row.call);
            known.or_else(|| run.by_function.get(base))
        });
        let libraries: BTreeSet<&CallKind> =
            of_row.flat_map(|times| times.libraries.keys()).collect();
        let changes = libraries.into_iter().map(|library| {
            let part = |times: &FunctionTimes| times.libraries.get(library).copied();
            let part = |times: &FunctionTimes| part(times).unwrap_or_default();
            (library, self.difference(Some(base), Some(&row.call), part))
        });
        let share = |change: &TimeDifference| change.difference_ns / row.own.difference_ns;
        let (library, change) =
            changes.max_by(|one, other| share(&one.1).total_cmp(&share(&other.1)))?;
        let is_most = share(&change) >= LIBRARY_RATIO && change.p_value <= FALSE_RATE;
        is_most.then(|| LibraryChange {
            call: library.clone(),
            difference_ns: change.difference_ns,
        })
    }
}

/// Returns the mean times of a function on a side.
fn side(runs: &[RunTimes], call: &CallKind) -> FunctionSide {
    let known = || runs.iter().filter_map(|run| run.by_function.get(call));
    let mean = |part: fn(&FunctionTimes) -> SampledTime| {
        mean_ns(&times(runs, |run| {
            run.by_function
                .get(call)
                .map_or_else(SampledTime::default, part)
        }))
    };
    let longest = known().max_by(|one, other| one.total.ns.total_cmp(&other.total.ns));
    FunctionSide {
        line: longest.map_or(0, |times| times.line),
        self_ns: mean(|times| times.own),
        total_ns: mean(|times| times.total),
        sample_count: known().map(|times| times.total.sample_count).sum::<f64>() as u64,
    }
}

#[cfg(test)]
#[path = "tests/changed_functions.rs"]
mod tests;
