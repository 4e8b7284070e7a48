//! Rows of a comparison: both sides of a path, or of the whole run, with the verdict.

use super::comparison_row::{ComparisonRow, RowSide, finite};
use super::cpu_delay;
use super::recording::Run;
use super::row_reason::RowReason;
use super::sides::{PathRows, Sides, run_durations};
use crate::benchmark::verdict::{Judged, Side, Verdict, judge_measured};
use crate::statistics::quantiles;
use crate::summary::span_row::SpanRow;

/// The path of a whole run, from its launch to its exit.
pub const WHOLE_RUN: &str = "run";

/// Returns the row of a path.
pub fn path_row(sides: &Sides<'_>, paths: &PathRows<'_>, judged: Option<&Judged>) -> ComparisonRow {
    let base_median_ns = judged.map(|judged| judged.base_median);
    let base = row_side(sides, (sides.base, &paths.base), base_median_ns);
    let new_median_ns = judged.map(|judged| judged.new_median);
    let new = row_side(sides, (sides.new, &paths.new), new_median_ns);
    let mut row = ComparisonRow::new((paths.path, paths.names), base, new);
    paths.module_class.clone_into(&mut row.module_class);
    if let Some(judged) = judged {
        row = row.judged(judged);
    }
    if cpu_delay::explains(sides, paths, row.difference_ns) {
        row.doubt(RowReason::CpuDelay);
    }
    row
}

/// Returns the row of whole runs, for sides without steps.
pub fn whole_run_row(sides: &Sides<'_>, threshold_ratio: f64) -> ComparisonRow {
    let (base, new) = (walls(sides.base), walls(sides.new));
    let judged = judge_measured(&base, &new, threshold_ratio);
    let one = |side: &Side, median_ns: f64| {
        let mean_ns = mean(side.units.iter().flatten().copied());
        RowSide {
            median_ns: finite(median_ns),
            mean_ns,
            own_ns: mean_ns,
            count: 1.0,
            step_ratio: 1.0,
            process_ns: None,
        }
    };
    let (base, new) = (one(&base, judged.base_median), one(&new, judged.new_median));
    let median_ns = finite(judged.new_median - judged.base_median);
    let run = WHOLE_RUN.to_owned();
    let mut row = ComparisonRow::new((&run.clone(), &[run]), Some(base), Some(new));
    row.own_difference_ns = 0.0;
    row.median_difference_ns = median_ns.unwrap_or(0.0);
    row = row.judged(&judged);
    if sides.base.len() == 1 && sides.new.len() == 1 && row.verdict == Some(Verdict::Inconclusive) {
        row.reason = Some(RowReason::OneRunASide);
    }
    row
}

/// Returns the wall times of runs.
pub fn walls(runs: &[Run]) -> Side {
    let each = runs.iter().map(|run| vec![run.summary.wall_ns as f64]);
    Side {
        units: each.collect(),
    }
}

/// Returns the numbers of a side with these runs, of those that have the path; `None` where none has.
fn row_side(
    sides: &Sides<'_>,
    (runs, having): (&[Run], &[(&Run, &SpanRow)]),
    median_ns: Option<f64>,
) -> Option<RowSide> {
    if having.is_empty() {
        return None;
    }
    let each = |number: fn(&SpanRow) -> Option<f64>| {
        let known = having.iter().map(move |(run, row)| {
            let number = number(row)?;
            Some(number / sides.steps(run))
        });
        known.collect::<Option<Vec<f64>>>()
    };
    // A run that lacks the path takes no time in it.
    let of_all = |number| each(number).map(|all| all.iter().sum::<f64>() / runs.len() as f64);
    let count = of_all(|row| Some(row.count.unwrap_or(0) as f64))?;
    let own_median = || {
        let mut all: Vec<f64> = run_durations(having).units.into_iter().flatten().collect();
        all.sort_unstable_by(f64::total_cmp);
        quantiles::median(&all)
    };
    Some(RowSide {
        median_ns: median_ns.and_then(finite).or_else(own_median),
        mean_ns: of_all(|row| Some(row.total_ns as f64))?,
        own_ns: of_all(|row| Some(row.self_ns as f64))?,
        count,
        step_ratio: step_ratio(sides, runs, having).unwrap_or(count),
        process_ns: of_all(|row| row.process_ns.map(|ns| ns as f64)),
    })
}

/// Returns the share of the kept steps that have a path; `None` where no durations of it in steps are kept.
fn step_ratio(sides: &Sides<'_>, runs: &[Run], having: &[(&Run, &SpanRow)]) -> Option<f64> {
    let step = sides.find(sides.step()?)?;
    let count = |run: &Run, path: &str| run.durations.by_path.get(path).map_or(0, Vec::len);
    let inside = having
        .iter()
        .filter(|(_, row)| row.names.starts_with(step.names));
    let with: usize = inside.map(|(run, row)| count(run, &row.path)).sum();
    let steps: usize = runs.iter().map(|run| count(run, step.path)).sum();
    (with > 0 && steps > 0).then(|| with as f64 / steps as f64)
}

fn mean(all: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = all.fold((0.0, 0.0), |(count, sum), one| (count + 1.0, sum + one));
    if count > 0.0 { sum / count } else { 0.0 }
}
