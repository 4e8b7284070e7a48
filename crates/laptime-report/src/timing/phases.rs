//! `DetailedTimer.print_breakdown`: phases, longest first, with their shares.

use super::layout::rule;
use crate::name::visible;

/// Width of the rules.
const WIDTH: usize = 40;

/// Phases with their seconds, and the seconds covered by at least one of them.
///
/// Phases that ran inside others have a share of the same total, so all may exceed 100 %.
pub fn breakdown(name: &str, phases: &[(&str, f64)], covered_seconds: f64) -> String {
    let mut sorted = phases.to_vec();
    sorted.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let title = format!("{} - Detailed Breakdown:", visible(name));
    let mut lines = vec![title, rule("-", WIDTH)];
    for (phase, seconds) in sorted {
        let percent = if covered_seconds > 0.0 {
            seconds / covered_seconds * 100.0
        } else {
            0.0
        };
        let phase = visible(phase);
        lines.push(format!("  {phase:<20}: {seconds:>8.2}s ({percent:5.1}%)"));
    }
    lines.push(rule("-", WIDTH));
    lines.join("\n")
}
