//! The first line: of the stretch that it names, with the numbers of that stretch's row, and of parts that fit.

use laptime_analysis::Summary;
use laptime_analysis::summary::headline::{
    Headline, LargestParts, Part, StepDuration, StepHeadline, StepPart, Whole,
};

use super::rows::{SLACK_NS, adds_up};
use crate::quantity;

/// Parts are no more than the whole, but for this much.
const FIT_RATIO: f64 = 1.01;
/// And for so much of each part.
const ROUNDING_RATIO: f64 = 0.005;

/// Returns what contradicts the tables.
pub fn all(summary: &Summary, headline: &Headline) -> Vec<String> {
    let mut found = Vec::new();
    if let StepPart::Told(step) = &headline.step {
        found.extend(stretch(summary, step));
        let between = step.iteration.into_iter().map(|one| one.between_ratio);
        found.extend(fits(
            summary,
            "a step",
            &step.parts,
            between.chain(step.outside_ratio),
        ));
    }
    let mut parts = headline.parts.named.iter();
    let are_shares = !parts.any(|part| part.is_several_at_once);
    if are_shares && headline.whole == Whole::Wall {
        let waiting = headline.waiting.iter().map(|waiting| waiting.ratio);
        found.extend(fits(summary, "the run", &headline.parts, waiting));
    }
    found
}

/// Checks that what it says a step takes is the mean of the row in the table that is shown.
fn stretch(summary: &Summary, step: &StepHeadline) -> Option<String> {
    let StepDuration::OnHost {
        mean_ns: said_ns,
        has_device_times: false,
        ..
    } = step.duration
    else {
        return None;
    };
    let row = if step.is_steady {
        summary.steady.as_ref().and_then(|steady| {
            let mut rows = steady.rows.iter();
            rows.find(|row| row.path == steady.step_path)
        })
    } else {
        summary.repeated_in_all().map(|(row, _)| row)
    };
    let table_ns = row.and_then(|row| row.mean_ns);
    (table_ns != Some(said_ns)).then(|| {
        let whose = if step.is_steady {
            "the steady state"
        } else {
            "the run"
        };
        format!(
            "the first line says {}, the table of {whose} {:?}",
            quantity::estimate(said_ns),
            table_ns.map(quantity::estimate)
        )
    })
}

/// Checks that parts are no more than the whole.
fn fits(
    summary: &Summary,
    what: &str,
    parts: &LargestParts,
    further: impl Iterator<Item = f64>,
) -> Option<String> {
    let LargestParts { named, others } = parts;
    let ratios: Vec<f64> = (named.iter().map(|Part { ratio, .. }| *ratio))
        .chain(others.map(|others| others.ratio))
        .chain(further)
        .collect();
    let sum: f64 = ratios.iter().sum();
    let slack = SLACK_NS / summary.measured_ns.max(1) as f64;
    let most = FIT_RATIO + ROUNDING_RATIO * ratios.len() as f64 + slack;
    let is_more = adds_up(summary) && sum > most;
    is_more.then(|| format!("the parts of {what} are {:.0} % together", 100.0 * sum))
}
