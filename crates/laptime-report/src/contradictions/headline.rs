//! The first line: of the stretch that it names, with the numbers of that stretch's row, and of parts that fit.

use laptime_analysis::{SpanRow, Summary};

use super::rows::{SLACK_NS, adds_up};
use crate::quantity;
use crate::sentences::headline::UNBROKEN;

/// What stands before what a step takes in the steady state.
const AFTER: &str = "After warm-up, ";

/// What contradicts the tables.
pub fn all(summary: &Summary, headline: &str) -> Vec<String> {
    let headline = headline.replace(UNBROKEN, " ");
    let mut found = Vec::new();
    let (run, step) = match headline.split_once(" takes ") {
        Some((before, step)) => (before, Some((before, step))),
        None => (&*headline, None),
    };
    if let Some((before, step)) = step {
        found.extend(stretch(summary, before.contains(AFTER), step));
        let parts = step.split_once(": ").map(|(_, parts)| percents(parts));
        found.extend(parts.and_then(|parts| fits(summary, "a step", &parts)));
    }
    let parts = run.split_once(": ").map(|(_, parts)| parts);
    let parts = parts.filter(|parts| !parts.contains(" at a time"));
    let is_together = run.contains(" together)");
    let parts = parts.filter(|_| !is_together).map(percents);
    found.extend(parts.and_then(|parts| fits(summary, "the run", &parts)));
    found
}

/// What it says a step takes is the median of the row that it is about.
fn stretch(summary: &Summary, is_steady: bool, said: &str) -> Option<String> {
    let is_of_device = said.contains("on the device") || said.contains("on the host");
    let row: Option<&SpanRow> = if is_steady {
        summary.steady.as_ref().and_then(|steady| {
            let mut rows = steady.rows.iter();
            rows.find(|row| row.path == steady.step_path)
        })
    } else {
        summary.repeated_in_all().map(|(row, _)| row)
    };
    let median_ns = row.and_then(|row| row.p50_ns);
    let median = median_ns.map(quantity::estimate);
    let agrees = median
        .as_ref()
        .is_some_and(|median| said.starts_with(&**median));
    (!is_of_device && !agrees).then(|| {
        let whose = if is_steady {
            "the steady state"
        } else {
            "the run"
        };
        format!("the first line says {said:?}, the table of {whose} {median:?}")
    })
}

/// The shares in a list such as `63 % startup, 21 % training` or `backward 42 %, forward 37 %`.
fn percents(parts: &str) -> Vec<f64> {
    let words: Vec<&str> = parts.split_whitespace().collect();
    let pairs = words.windows(2);
    let shares = pairs.filter(|pair| pair[1].starts_with('%'));
    shares.filter_map(|pair| pair[0].parse().ok()).collect()
}

/// Each is rounded to a percent.
fn fits(summary: &Summary, what: &str, parts: &[f64]) -> Option<String> {
    let sum: f64 = parts.iter().sum();
    let slack = 100.0 * SLACK_NS / summary.measured_ns.max(1) as f64;
    let most = 101.0 + 0.5 * parts.len() as f64 + slack;
    (adds_up(summary) && sum > most).then(|| format!("the parts of {what} are {sum} % together"))
}
