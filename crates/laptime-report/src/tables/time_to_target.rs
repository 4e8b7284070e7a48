//! Moments when metrics reached the thresholds that were asked about, as lines with their curves.

use laptime_analysis::{Summary, UntilSummary};

use crate::document::Figure;
use crate::quantity::{self, plural};

/// Makes a figure for each question.
pub fn figures(summary: &Summary) -> Vec<Figure> {
    let figure = |until: &UntilSummary| Figure {
        label: until.question.clone(),
        values: curve(summary, until),
        facts: facts(until),
    };
    summary.until.iter().map(figure).collect()
}

/// Returns the values of the metric that gave the answer.
fn curve(summary: &Summary, until: &UntilSummary) -> Vec<Option<f64>> {
    let is_asked = |path: &str| until.path.as_deref() == Some(path);
    let metric = summary.metrics.iter().find(|metric| is_asked(&metric.path));
    metric.map_or(Vec::new(), |metric| {
        metric.series.iter().map(|point| point.value).collect()
    })
}

fn facts(until: &UntilSummary) -> String {
    let after = |ns: u64| format!("after {}", quantity::exact(ns));
    if let (Some(at_ns), Some(value)) = (until.at_ns, until.value) {
        let mut facts = vec![after(at_ns)];
        facts.extend(until.steps.map(|steps| plural(steps, "step", "steps")));
        facts.extend(until.epochs.map(|epochs| plural(epochs, "epoch", "epochs")));
        return format!("{}: {}", facts.join(", "), quantity::plain(value));
    }
    let looked_at = plural(until.count, "value", "values");
    match (until.best, until.best_at_ns) {
        (Some(best), Some(at_ns)) => format!(
            "not reached: best of {looked_at} is {} {}",
            quantity::plain(best),
            after(at_ns)
        ),
        _ => format!("not reached: none of {looked_at} is a finite number"),
    }
}

#[cfg(test)]
#[path = "tests/time_to_target.rs"]
mod tests;
