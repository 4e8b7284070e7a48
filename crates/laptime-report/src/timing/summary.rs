//! `print_timing_summary`: every timer with its share of the total.

use laptime_analysis::timing::shares;

use super::layout::rule;
use crate::name::visible;

/// Width of the rules.
const WIDTH: usize = 60;
/// Width of the names, unless one is longer.
const NAME: usize = 25;
/// What stands below the last rule but one.
const TOTAL: &str = "Total time:";
const AVERAGE: &str = "Average per dataset:";

/// A timer of the summary.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<'n> {
    /// The timer's name.
    pub name: &'n str,
    /// Seconds that the timer ran.
    pub seconds: f64,
    /// In how many other timers it ran; those of more than none are left out of the total.
    pub depth: usize,
}

/// The summary of a section whose time was spent on a number of data sets.
pub fn summary(section: &str, rows: &[Row<'_>], datasets: u64) -> String {
    let shares = shares(rows.iter().map(|row| (row.seconds, row.depth > 0)));
    let labels: Vec<String> = rows
        .iter()
        .map(|row| format!("{}{}:", "  ".repeat(row.depth), visible(row.name)))
        .collect();
    let widest = labels.iter().map(|label| label.chars().count()).max();
    let width = widest.unwrap_or(0).max(NAME);
    let title = format!("TIMING SUMMARY - {}", visible(section));
    let mut lines = vec![rule("=", WIDTH), title, rule("=", WIDTH)];
    for ((row, label), ratio) in rows.iter().zip(&labels).zip(&shares.ratios) {
        let (seconds, percent) = (row.seconds, ratio * 100.0);
        lines.push(format!("{label:<width$}{seconds:>8.2}s ({percent:5.1}%)"));
    }
    let total = shares.total_seconds;
    let average = total / datasets as f64;
    lines.push(rule("-", WIDTH));
    lines.push(format!("{TOTAL:<width$}{total:>8.2}s"));
    lines.push(format!("{AVERAGE:<width$}{average:>8.2}s"));
    lines.push(rule("=", WIDTH));
    lines.join("\n")
}
