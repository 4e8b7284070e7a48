//! The time from the start of one step to that of the next: what passes between the steps is no part of a step, and time
//! of the training all the same.
//!
//! It is judged like a step, by the same rule and on medians: an evaluation after every hundredth step makes a few periods
//! far longer, and says nothing about all others.

use super::comparison_row::{ComparisonRow, RowSide};
use super::cpu_delay;
use super::difference_unit::Basis;
use super::note::Note;
use super::one_run;
use super::recording::Run;
use super::sides::Sides;
use crate::benchmark::verdict::{Judged, Side, Verdict, judge_measured};

/// Part of a period from which on the time between steps has a row.
const LEAST_RATIO: f64 = 0.05;
/// Least share of a period's change that lies between the steps for that to be its reason.
const MOST_RATIO: f64 = 0.5;
/// Part of the change between the steps from which on a lap is named for it.
const NAMED_RATIO: f64 = 0.6;
/// Requests begin when someone asks: the time between them is none of the program's.
const REQUEST: &str = "request";

/// Judges the periods; `None` where a run has none.
pub fn judge(sides: &Sides<'_>, threshold_ratio: f64) -> Option<Judged> {
    let (base, new) = periods(sides)?;
    Some(judge_measured(&base, &new, threshold_ratio))
}

fn periods(sides: &Sides<'_>) -> Option<(Side, Side)> {
    if sides.basis() == Basis::Run || sides.noun() == REQUEST {
        return None;
    }
    let step = sides.step()?;
    let side = |runs: &[Run]| {
        let each = runs.iter().map(|run| run.durations.periods.get(step));
        let units = each.map(Option::<&Vec<f64>>::cloned);
        Some(Side {
            units: units.collect::<Option<_>>()?,
        })
    };
    Some((side(sides.base)?, side(sides.new)?))
}

/// Returns the row of the periods, where the time between the steps is a part of them, or of their change, that counts.
pub fn row(sides: &Sides<'_>, judged: &Judged, step: &ComparisonRow) -> Option<ComparisonRow> {
    let (base, new) = periods(sides)?;
    let base = row_side(&base, judged.base_median, step.base.as_ref()?)?;
    let new = row_side(&new, judged.new_median, step.new.as_ref()?)?;
    let name = [sides.noun(), "to", sides.noun()].join(" ");
    let median_difference_ns = judged.new_median - judged.base_median;
    let mut row =
        ComparisonRow::new((&name.clone(), &[name]), Some(base), Some(new)).judged(judged);
    row.median_difference_ns = median_difference_ns;
    row.own_median_difference_ns = median_difference_ns - step.median_difference_ns;
    let gap = |side: &RowSide, step: &Option<RowSide>| {
        let step_ns = step.as_ref().and_then(|step| step.median_ns)?;
        Some((side.median_ns? - step_ns) / side.median_ns?)
    };
    let is_part = |ratio: Option<f64>| ratio.is_some_and(|ratio| ratio >= LEAST_RATIO);
    let is_large = is_part(gap(&base, &step.base)) || is_part(gap(&new, &step.new));
    let makes_it = is_clear(row.verdict) && is_mostly_gap(&row);
    // A machine that was busy during the steps made the periods longer as well.
    let paths = sides.step().and_then(|step| sides.find(step));
    let is_delay = paths.is_some_and(|paths| cpu_delay::explains(sides, paths, step.difference_ns));
    if (is_delay || one_run::is_doubted(step)) && !is_mostly_gap(&row) {
        row.doubt(step.reason.clone());
    }
    if one_run::is_busy(sides) {
        one_run::doubt_busy(&mut row);
    }
    (is_large || makes_it).then_some(row)
}

/// Returns the periods of a side; own time is what passes between the steps.
fn row_side(periods: &Side, median_ns: f64, step: &RowSide) -> Option<RowSide> {
    let means = periods
        .units
        .iter()
        .map(|unit| unit.iter().sum::<f64>() / unit.len().max(1) as f64);
    let mean_ns = means.sum::<f64>() / periods.units.len().max(1) as f64;
    median_ns.is_finite().then_some(RowSide {
        median_ns: Some(median_ns),
        mean_ns,
        own_ns: (mean_ns - step.mean_ns).max(0.0),
        count: 1.0,
        step_ratio: 1.0,
        process_ns: None,
    })
}

/// Tells whether most of a period's change is between the steps.
fn is_mostly_gap(row: &ComparisonRow) -> bool {
    row.own_median_difference_ns / row.median_difference_ns >= MOST_RATIO
}

fn is_clear(verdict: Option<Verdict>) -> bool {
    matches!(verdict, Some(Verdict::Faster | Verdict::Slower))
}

/// Returns the verdict on steps and periods together: that on the step, unless the periods changed by the time between
/// the steps. Work that moves out of a step makes the step faster, and the training no faster.
pub fn verdict(step: &ComparisonRow, periods: Option<&ComparisonRow>) -> Verdict {
    let of_gaps = periods.filter(|row| is_clear(row.verdict) && is_mostly_gap(row));
    let both = [of_gaps.and_then(|row| row.verdict), step.verdict];
    both.into_iter()
        .flatten()
        .next()
        .unwrap_or(Verdict::Inconclusive)
}

/// Notes which lap took the time that passes between the steps, where that changed.
pub fn note(
    step: &ComparisonRow,
    periods: Option<&ComparisonRow>,
    rows: &[ComparisonRow],
) -> Option<Note> {
    let row = periods.filter(|row| is_clear(row.verdict))?;
    let base_ns = row.base.as_ref()?.median_ns?;
    let change_ns = row.own_median_difference_ns;
    if !is_mostly_gap(row) && change_ns.abs() < LEAST_RATIO * base_ns {
        return None;
    }
    let share = |row: &ComparisonRow| row.typical_difference_ns() / change_ns;
    let outside = rows.iter().filter(|row| {
        row.depth() == 0
            && !row.names.starts_with(&step.names)
            && !step.names.starts_with(&row.names)
    });
    let most = outside.max_by(|one, other| share(one).total_cmp(&share(other)));
    let lap = most.filter(|row| share(row) >= NAMED_RATIO);
    Some(Note::StepGaps {
        change_ns,
        lap: lap.map(|lap| (lap.path.clone(), lap.typical_difference_ns())),
    })
}
