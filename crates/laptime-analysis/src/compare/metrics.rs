//! Metrics of both sides: the last value of each, and the time to a value that all runs reached.

use super::other_number::{NumberKind, OtherNumber, median_of_runs};
use super::recording::Run;
use super::sides::Sides;
use crate::summary::Metric;
use crate::time_to_target::relation::Relation;

/// Parts of the names of metrics that are better the larger they are.
const LARGER: [&str; 9] = [
    "acc",
    "auc",
    "f1",
    "score",
    "precision",
    "recall",
    "iou",
    "bleu",
    "reward",
];
/// Parts of the names of metrics that are better the smaller they are.
const SMALLER: [&str; 7] = ["loss", "err", "perplexity", "ppl", "mse", "mae", "nll"];

/// Lists the numbers of the metrics that every run recorded.
pub fn metrics(sides: &Sides<'_>) -> Vec<OtherNumber> {
    let Some(first) = sides.base.first() else {
        return Vec::new();
    };
    let paths = first.summary.metrics.iter().map(|metric| &metric.path);
    paths.flat_map(|path| metric(sides, path)).collect()
}

fn metric(sides: &Sides<'_>, path: &str) -> Vec<OtherNumber> {
    let find = |run: &'_ Run| {
        let mut metrics = run.summary.metrics.iter();
        metrics.find(|metric| metric.path == path).cloned()
    };
    let all = |runs: &[Run]| runs.iter().map(find).collect::<Option<Vec<Metric>>>();
    let (Some(base), Some(new)) = (all(sides.base), all(sides.new)) else {
        return Vec::new();
    };
    let last = |side: &[Metric]| median_of_runs(side.iter().map(|metric| metric.last));
    let kind = NumberKind::LastValue {
        metric: path.to_owned(),
    };
    let last = OtherNumber::of_sides(kind, last(&base), last(&new));
    last.into_iter()
        .chain(time_to_best(path, &base, &new))
        .collect()
}

/// Returns the time to the best value that all runs reached.
fn time_to_best(path: &str, base: &[Metric], new: &[Metric]) -> Option<OtherNumber> {
    let relation = relation(path)?;
    let best = |metric: &Metric| match relation {
        Relation::AtLeast => metric.max,
        _ => metric.min,
    };
    let bests: Vec<f64> = base.iter().chain(new).map(best).collect::<Option<_>>()?;
    let worst = |one: f64, other: f64| {
        if relation.is_better(one, other) {
            other
        } else {
            one
        }
    };
    let target = bests.into_iter().reduce(worst)?;
    let reached = |metric: &Metric| {
        let mut points = metric.series.iter();
        let is_there =
            |value: Option<f64>| value.is_some_and(|value| relation.holds(value, target));
        points
            .find(|point| is_there(point.value))
            .map(|point| point.at_ns as f64)
    };
    let median = |side: &[Metric]| median_of_runs(side.iter().map(reached));
    // A curve that was thinned out may have lost the moment.
    let (base, new) = (median(base)?, median(new)?);
    let kind = NumberKind::TimeToValue {
        metric: path.to_owned(),
        relation,
        value: target,
    };
    OtherNumber::of_sides(kind, Some(base), Some(new))
}

/// Returns which values of a metric are good, by its name; `None` where that doesn't tell.
fn relation(path: &str) -> Option<Relation> {
    let name = path.rsplit('/').next()?.to_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    match (has(&LARGER), has(&SMALLER)) {
        (true, false) => Some(Relation::AtLeast),
        (false, true) => Some(Relation::AtMost),
        _ => None,
    }
}
