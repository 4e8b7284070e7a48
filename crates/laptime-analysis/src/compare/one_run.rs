//! Takes back verdicts that one run a side can't give: what a slower machine, or a busy one, does to all laps.
//!
//! Intervals within one run say nothing about the machine, whose speed differs from run to run: neighbours, clocks and
//! caches. It changes all laps, if not all alike. So a lap counts where its change goes beyond the part that all
//! others have in common, by more than this part again and by [`LAP_RATIO`]. During a run on a busy machine laps differ in
//! how often they lost their CPU: then only a change counts that no load explains ([`LOAD_RATIO`]).

use super::comparison_row::ComparisonRow;
use super::recording::Run;
use super::row_reason::RowReason;
use super::sides::Sides;
use crate::benchmark::verdict::Verdict;
use crate::summary::finding::Finding;
use crate::summary::span_row::RowKind;

/// Ratio by which a lap must change against all others: laps of one program did by less on machines that others used.
const LAP_RATIO: f64 = 0.10;
/// Ratio by which a step must change beyond what all its laps have in common.
const STEP_RATIO: f64 = 0.05;
/// Ratio that no machine's speed changes by: laps that all changed by more did so by themselves.
const SPEED_RATIO: f64 = 2.0;
/// Ratio of times that load on the machine doesn't explain.
const LOAD_RATIO: f64 = 3.0;
/// Part of its time that a thread was ready and had no CPU, from which on the machine was busy.
const KEPT_RATIO: f64 = 0.05;
/// Part of a step below which a lap says nothing about the machine's speed: its own noise is larger.
const LEAST_PART: f64 = 0.01;

/// A lap without others inside, with its change.
struct Leaf {
    names: Vec<String>,
    change: f64,
}

/// Takes back verdicts on laps, and then on the step around them.
pub fn doubt_rows(sides: &Sides<'_>, rows: &mut [ComparisonRow]) {
    if sides.base.len() > 1 && sides.new.len() > 1 {
        return;
    }
    if is_busy(sides) {
        for row in rows {
            doubt_busy(row);
        }
        return;
    }
    let leaves = leaves(sides, rows);
    let step = sides.step().and_then(|path| {
        let at = rows.iter().position(|row| row.path == path)?;
        Some((at, rows[at].names.clone()))
    });
    for row in rows.iter_mut() {
        let is_around_step =
            (step.as_ref()).is_some_and(|(_, names)| names.starts_with(&row.names));
        let others = leaves.iter().filter(|leaf| {
            !leaf.names.starts_with(&row.names) && !row.names.starts_with(&leaf.names)
        });
        if let Some(common) = common(others.map(|leaf| leaf.change))
            && !is_around_step
        {
            let needed = LAP_RATIO.ln_1p().max(common.abs());
            doubt_alike(row, common, needed);
        }
    }
    if let Some((at, names)) = step {
        doubt_step(rows, at, &names, &leaves);
    }
}

/// Takes back the verdict on a step that changed as all its laps did.
fn doubt_step(rows: &mut [ComparisonRow], at: usize, names: &[String], leaves: &[Leaf]) {
    let inside = leaves.iter().filter(|leaf| leaf.names.starts_with(names));
    if inside.clone().count() < 2 {
        return;
    }
    let Some(common) = common(leaves.iter().map(|leaf| leaf.change)) else {
        return;
    };
    let step = &rows[at];
    let is_named = rows.iter().any(|row| {
        row.depth() > step.depth() && row.names.starts_with(names) && row.verdict == step.verdict
    });
    let is_own = step.own_median_difference_ns / step.median_difference_ns >= 0.5;
    let is_unlike = common.abs() <= STEP_RATIO.ln_1p() || is_named || is_own;
    let needed = if is_unlike {
        STEP_RATIO.ln_1p()
    } else {
        f64::INFINITY
    };
    // Where the laps have nothing in common, the step has its verdict by its own interval.
    if common != 0.0 {
        doubt_alike(&mut rows[at], common, needed);
    }
}

/// Takes back a verdict on a change that isn't beyond the common one by so much; both are logarithms.
fn doubt_alike(row: &mut ComparisonRow, common: f64, needed: f64) {
    if near_end(row).is_none_or(|(sign, near)| (near - common) * sign <= needed) {
        let ratio = common.exp();
        row.doubt(RowReason::OtherLapsAlike { ratio });
    }
}

/// Takes back a verdict that was found on a busy machine.
pub fn doubt_busy(row: &mut ComparisonRow) {
    if near_end(row).is_none_or(|(sign, near)| near * sign <= LOAD_RATIO.ln()) {
        row.doubt(RowReason::BusyMachine);
    }
}

/// Tells whether a recording of two sides, of which one is a single run, tells that the machine was busy.
pub fn is_busy(sides: &Sides<'_>) -> bool {
    let is_single = sides.base.len() == 1 || sides.new.len() == 1;
    let was_kept = |run: &Run| {
        let steady = run.summary.steady.as_ref();
        let ratio = steady.and_then(|steady| steady.kept_ratio);
        ratio.is_some_and(|ratio| ratio >= KEPT_RATIO)
    };
    is_single
        && sides
            .runs()
            .any(|run| was_kept(run) || has_busy_finding(run))
}

/// Tells whether a recording says of itself that the machine was busy.
pub fn has_busy_finding(run: &Run) -> bool {
    let mut findings = run.summary.findings.iter();
    findings.any(|finding| matches!(finding, Finding::Unsteady { is_busy: true, .. }))
}

/// Returns the direction of a row's change, and the logarithm of the interval's end that is nearer to none.
fn near_end(row: &ComparisonRow) -> Option<(f64, f64)> {
    let ratio = row.ratio?;
    let near = if ratio > 1.0 {
        row.ratio_low?
    } else {
        row.ratio_high?
    };
    Some((ratio.ln().signum(), near.ln()))
}

/// Lists the laps of both sides without others inside, but not the shortest.
fn leaves(sides: &Sides<'_>, rows: &[ComparisonRow]) -> Vec<Leaf> {
    let base_ns = |row: &ComparisonRow| row.base.as_ref().map_or(0.0, |side| side.mean_ns);
    let step = rows
        .iter()
        .find(|row| Some(row.path.as_str()) == sides.step());
    let longest = || rows.iter().map(base_ns).fold(0.0, f64::max);
    let whole_ns = step.map_or_else(longest, base_ns);
    let is_leaf = |row: &ComparisonRow| {
        let mut others = rows.iter();
        !others.any(|other| other.depth() > row.depth() && other.names.starts_with(&row.names))
    };
    let spans = rows.iter().zip(sides.rows());
    let spans = spans.filter(|(_, paths)| paths.kind == RowKind::Span);
    spans
        .filter(|(row, _)| base_ns(row) >= LEAST_PART * whole_ns && is_leaf(row))
        .filter_map(|(row, _)| {
            // Few spans have no interval, and noise of their own.
            row.ratio_low?;
            let change = row.ratio.filter(|ratio| *ratio > 0.0)?.ln();
            let names = row.names.clone();
            Some(Leaf { names, change })
        })
        .collect()
}

/// Returns the part of a change that laps have in common, as a logarithm: the smallest, or 0 where they changed both ways.
/// `None` without a lap.
fn common(changes: impl Iterator<Item = f64>) -> Option<f64> {
    let ends = changes.fold(None, |ends, change: f64| {
        let (low, high) = ends.unwrap_or((change, change));
        Some((change.min(low), change.max(high)))
    });
    let (low, high) = ends?;
    let common = if low > 0.0 { low } else { high.min(0.0) };
    Some(common).map(|one| {
        if one.abs() > SPEED_RATIO.ln() {
            0.0
        } else {
            one
        }
    })
}

/// Tells whether a row's verdict was taken back here.
pub fn is_doubted(row: &ComparisonRow) -> bool {
    let reason = row.reason.as_ref();
    let is_clear = matches!(row.verdict, Some(Verdict::Faster | Verdict::Slower));
    !is_clear
        && reason.is_some_and(|reason| {
            matches!(
                reason,
                RowReason::OtherLapsAlike { .. } | RowReason::BusyMachine
            )
        })
}

#[cfg(test)]
#[path = "tests/one_run.rs"]
mod tests;
