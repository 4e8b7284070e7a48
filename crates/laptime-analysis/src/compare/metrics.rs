//! Whether both sides learned the same: each metric's last value, and the time to a value that both reached.

use super::beside::{beside, typical};
use super::comparison::{Beside, Unit};
use super::matched::Matched;
use super::run::Run;
use crate::summary::Metric;
use crate::summary::spoken::significant;
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
/// Those that are better the smaller they are.
const SMALLER: [&str; 7] = ["loss", "err", "perplexity", "ppl", "mse", "mae", "nll"];

/// Metrics that both sides recorded.
pub fn of(matched: &Matched<'_>) -> Vec<Beside> {
    let Some(first) = matched.base.first() else {
        return Vec::new();
    };
    let paths = first.summary.metrics.iter().map(|metric| &metric.path);
    paths.flat_map(|path| of_path(matched, path)).collect()
}

fn of_path(matched: &Matched<'_>, path: &str) -> Vec<Beside> {
    let find = |run: &'_ Run| {
        let mut metrics = run.summary.metrics.iter();
        metrics.find(|metric| metric.path == path).cloned()
    };
    let all = |runs: &[Run]| runs.iter().map(find).collect::<Option<Vec<Metric>>>();
    let (Some(base), Some(new)) = (all(matched.base), all(matched.new)) else {
        return Vec::new();
    };
    let last = |side: &[Metric]| typical(side.iter().map(|metric| metric.last));
    let name = format!("{path}, last");
    let mut told: Vec<Beside> = beside(&name, Unit::Metric, last(&base), last(&new))
        .into_iter()
        .collect();
    told.extend(time_to_same(path, &base, &new));
    told
}

/// The time to the best value that all runs reached.
fn time_to_same(path: &str, base: &[Metric], new: &[Metric]) -> Option<Beside> {
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
    let of = |side: &[Metric]| typical(side.iter().map(reached));
    let name = format!("time to {path} {} {}", relation.name(), significant(target));
    // A curve that was thinned out may have lost the moment.
    let (base, new) = (of(base)?, of(new)?);
    beside(&name, Unit::Ns, Some(base), Some(new))
}

/// Which values of a metric are good, by its name; `None` where that doesn't tell.
fn relation(path: &str) -> Option<Relation> {
    let name = path.rsplit('/').next()?.to_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    match (has(&LARGER), has(&SMALLER)) {
        (true, false) => Some(Relation::AtLeast),
        (false, true) => Some(Relation::AtMost),
        _ => None,
    }
}
