//! `print_speedup_analysis`: how many times faster than the baseline the others are.

use laptime_analysis::timing::speedup;

use super::layout::rule;
use crate::name::visible;

/// Width of the rules.
const WIDTH: usize = 60;

/// Timers with their seconds, fastest first, against the one at `baseline`; `None` without timers.
pub fn speedup_analysis(timers: &[(&str, f64)], baseline: Option<usize>) -> String {
    let mut lines = vec![
        rule("=", WIDTH),
        "SPEEDUP ANALYSIS".to_owned(),
        rule("=", WIDTH),
    ];
    let base = baseline.and_then(|index| timers.get(index));
    lines.push(match base {
        Some((name, seconds)) => format!("Baseline: {} ({seconds:.2}s)", visible(name)),
        None => "Baseline: – (no timers)".to_owned(),
    });
    lines.push(rule("-", WIDTH));
    let mut others: Vec<(&str, f64)> = timers
        .iter()
        .enumerate()
        .filter(|(index, _)| Some(*index) != baseline)
        .map(|(_, timer)| *timer)
        .collect();
    others.sort_by(|(_, one), (_, other)| one.total_cmp(other));
    let base_seconds = base.map_or(0.0, |(_, seconds)| *seconds);
    for (name, seconds) in others {
        let said = match speedup(base_seconds, seconds) {
            Some(ratio) if ratio >= 1.0 => format!("{ratio:5.2}x faster"),
            Some(ratio) => format!("{:5.2}x slower", 1.0 / ratio),
            None => format!("{:>5}  (a time of zero has no ratio)", "–"),
        };
        lines.push(format!("{:<20} : {said}", visible(name)));
    }
    lines.push(rule("=", WIDTH));
    lines.join("\n")
}
