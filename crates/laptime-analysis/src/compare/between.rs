//! From the start of one step to that of the next: what passes between the steps is no part of a step,
//! and time of the training all the same.
//!
//! Judged like a step is, by the same rule and on medians: an evaluation after every hundredth step makes
//! a few periods far longer, and says nothing about all others.

use laptime_core::Warning;

use super::comparison_row::{ComparisonRow, RowSide};
use super::delayed;
use super::matched::{Basis, Matched};
use super::run::Run;
use crate::benchmark::verdict::{Judged, Side, Verdict, judge_measured};
use crate::summary::nouns;
use crate::summary::spoken::spoken;

/// The code of the note.
pub const CODE: &str = "between-steps";
/// From this part of a period on, what is between steps has a row.
const LEAST_RATIO: f64 = 0.05;
/// From this part of a period's change on, what is between the steps makes it.
const MOST_RATIO: f64 = 0.5;
/// From this part of what changed between the steps on, a lap is named for it.
const NAMED_RATIO: f64 = 0.6;
/// Requests begin when someone asks: what is between them is no time of the program.
const ASKED_FOR: &str = "request";

/// The verdict on the periods; `None` where a run has none.
pub fn judge(matched: &Matched<'_>, threshold_ratio: f64) -> Option<Judged> {
    let (base, new) = sides(matched)?;
    Some(judge_measured(&base, &new, threshold_ratio))
}

fn sides(matched: &Matched<'_>) -> Option<(Side, Side)> {
    if matched.basis() == Basis::Run || matched.noun() == ASKED_FOR {
        return None;
    }
    let step = matched.step()?;
    let side = |runs: &[Run]| {
        let each = runs.iter().map(|run| run.durations.periods.get(step));
        let units = each.map(Option::<&Vec<f64>>::cloned);
        Some(Side {
            units: units.collect::<Option<_>>()?,
        })
    };
    Some((side(matched.base)?, side(matched.new)?))
}

/// The row of the periods, where what is between the steps is a part of them or of their change that counts.
pub fn row(matched: &Matched<'_>, judged: &Judged, step: &ComparisonRow) -> Option<ComparisonRow> {
    let (base, new) = sides(matched)?;
    let one = |side: &Side, median_ns: f64, step: &Option<RowSide>| {
        let step = step.as_ref()?;
        let means = side
            .units
            .iter()
            .map(|unit| unit.iter().sum::<f64>() / unit.len().max(1) as f64);
        let mean_ns = means.sum::<f64>() / side.units.len().max(1) as f64;
        median_ns.is_finite().then_some(RowSide {
            median_ns: Some(median_ns),
            mean_ns,
            own_ns: (mean_ns - step.mean_ns).max(0.0),
            count: 1.0,
            step_ratio: 1.0,
            process_ns: None,
        })
    };
    let base = one(&base, judged.base_median, &step.base)?;
    let new = one(&new, judged.new_median, &step.new)?;
    let name = format!("{} to {}", matched.noun(), matched.noun());
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
    let makes_it = is_clear(row.verdict) && is_between(&row);
    // A machine that was busy during the steps made the periods longer as well.
    let paths = matched.step().and_then(|step| matched.find(step));
    let is_kept = paths.is_some_and(|paths| delayed::explains(matched, paths, step.difference_ns));
    if is_kept && !is_between(&row) {
        row.doubt(&step.reason);
    }
    (is_large || makes_it).then_some(row)
}

/// Whether most of a period's change is between the steps.
fn is_between(row: &ComparisonRow) -> bool {
    row.own_median_difference_ns / row.median_difference_ns >= MOST_RATIO
}

fn is_clear(verdict: Option<Verdict>) -> bool {
    matches!(verdict, Some(Verdict::Faster | Verdict::Slower))
}

/// The verdict of both: that on the step, unless the periods changed by what is between the steps. Work that
/// moves out of a step makes the step faster, and the training no faster.
pub fn verdict(step: &ComparisonRow, periods: Option<&ComparisonRow>) -> Verdict {
    let told = periods.filter(|row| is_clear(row.verdict) && is_between(row));
    let both = [told.and_then(|row| row.verdict), step.verdict];
    both.into_iter()
        .flatten()
        .next()
        .unwrap_or(Verdict::Inconclusive)
}

/// Which lap took what passes between the steps, where that changed.
pub fn note(
    noun: &str,
    step: &ComparisonRow,
    periods: Option<&ComparisonRow>,
    rows: &[ComparisonRow],
) -> Option<Warning> {
    let row = periods.filter(|row| is_clear(row.verdict))?;
    let base_ns = row.base.as_ref()?.median_ns?;
    let change_ns = row.own_median_difference_ns;
    if !is_between(row) && change_ns.abs() < LEAST_RATIO * base_ns {
        return None;
    }
    let share = |row: &ComparisonRow| row.typical_difference_ns() / change_ns;
    let outside = rows.iter().filter(|row| {
        row.depth() == 0
            && !row.names.starts_with(&step.names)
            && !step.names.starts_with(&row.names)
    });
    let most = outside.max_by(|one, other| share(one).total_cmp(&share(other)));
    let said = |ns: f64| spoken(ns.abs().round() as u64);
    let way = if change_ns < 0.0 { "less" } else { "more" };
    let nouns = nouns(noun);
    let between = format!(
        "between two {nouns} {} {way} pass than before",
        said(change_ns)
    );
    Some(match most.filter(|row| share(row) >= NAMED_RATIO) {
        Some(lap) => {
            let ns = said(lap.typical_difference_ns());
            Warning::new(CODE, format!("{between}: {} takes {ns} {way}", lap.path))
        }
        None => Warning::new(
            CODE,
            format!("{between}, and no lap there tells what it is"),
        )
        .with_hint(format!(
            "a lap around what the program does between its {nouns} names it"
        )),
    })
}
