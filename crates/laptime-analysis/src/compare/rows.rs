//! One row of a comparison: both sides of a path, its verdict, and by how much a step is longer.

use super::comparison_row::{ComparisonRow, RowSide, finite};
use super::delayed;
use super::matched::{self, Matched, Paths};
use super::run::Run;
use crate::benchmark::verdict::{Judged, Side, judge_measured};
use crate::statistics::quantiles;
use crate::summary::span_row::SpanRow;

/// The row of a path.
pub fn row(matched: &Matched<'_>, paths: &Paths<'_>, judged: Option<&Judged>) -> ComparisonRow {
    let base_median_ns = judged.map(|judged| judged.base_median);
    let base = side(matched, (matched.base, &paths.base), base_median_ns);
    let new_median_ns = judged.map(|judged| judged.new_median);
    let new = side(matched, (matched.new, &paths.new), new_median_ns);
    let mut row = ComparisonRow::new((paths.path, paths.names), base, new);
    paths.module_class.clone_into(&mut row.module_class);
    if let Some(judged) = judged {
        row = row.judged(judged);
    }
    if delayed::explains(matched, paths, row.difference_ns) {
        row.doubt(
            "A run a side can't tell this from a busy machine: most of the difference is time in which \
             the thread was ready and had no CPU.",
        );
    }
    row
}

/// The row of whole runs, for sides without steps.
pub fn of_run(matched: &Matched<'_>, threshold_ratio: f64) -> ComparisonRow {
    let walls = |runs: &[Run]| Side {
        units: runs
            .iter()
            .map(|run| vec![run.summary.wall_ns as f64])
            .collect(),
    };
    let (base, new) = (walls(matched.base), walls(matched.new));
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
    let run = "run".to_owned();
    let mut row = ComparisonRow::new((&run.clone(), &[run]), Some(base), Some(new));
    row.own_difference_ns = 0.0;
    row.median_difference_ns = median_ns.unwrap_or(0.0);
    row.judged(&judged)
}

/// One side's numbers, of its runs and their rows; `None` where no run of it has the path.
fn side(
    matched: &Matched<'_>,
    (runs, of): (&[Run], &[(&Run, &SpanRow)]),
    median_ns: Option<f64>,
) -> Option<RowSide> {
    if of.is_empty() {
        return None;
    }
    let each = |number: fn(&SpanRow) -> Option<f64>| {
        let known = of.iter().map(move |(run, row)| {
            let number = number(row)?;
            Some(number / matched.steps(run))
        });
        known.collect::<Option<Vec<f64>>>()
    };
    // A run that lacks the path takes no time in it.
    let of_all = |number| each(number).map(|all| all.iter().sum::<f64>() / runs.len() as f64);
    let count = of_all(|row| Some(row.count.unwrap_or(0) as f64))?;
    let own_median = || {
        let mut all: Vec<f64> = matched::side(of).units.into_iter().flatten().collect();
        all.sort_unstable_by(f64::total_cmp);
        quantiles::median(&all)
    };
    Some(RowSide {
        median_ns: median_ns.and_then(finite).or_else(own_median),
        mean_ns: of_all(|row| Some(row.total_ns as f64))?,
        own_ns: of_all(|row| Some(row.self_ns as f64))?,
        count,
        step_ratio: step_ratio(matched, runs, of).unwrap_or(count),
        process_ns: of_all(|row| row.process_ns.map(|ns| ns as f64)),
    })
}

/// In which part of the kept steps a path is; `None` where no durations in steps are kept of it.
fn step_ratio(matched: &Matched<'_>, runs: &[Run], of: &[(&Run, &SpanRow)]) -> Option<f64> {
    let step = matched.find(matched.step()?)?;
    let kept = |run: &Run, path: &str| run.durations.by_path.get(path).map_or(0, Vec::len);
    let inside = of
        .iter()
        .filter(|(_, row)| row.names.starts_with(step.names));
    let with: usize = inside.map(|(run, row)| kept(run, &row.path)).sum();
    let steps: usize = runs.iter().map(|run| kept(run, step.path)).sum();
    (with > 0 && steps > 0).then(|| with as f64 / steps as f64)
}

fn mean(all: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = all.fold((0.0, 0.0), |(count, sum), one| (count + 1.0, sum + one));
    if count > 0.0 { sum / count } else { 0.0 }
}
