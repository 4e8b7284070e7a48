//! The line about the latest steps of a training, for somebody who watches it run.

use laptime_analysis::StepWindow;

use crate::Shown;
use crate::document::names::visible;
use crate::quantity::{self, Precision};

/// Short names of phases: the line is read next to many like it.
const SHORT: [(&str, &str); 4] = [
    ("forward", "fwd"),
    ("backward", "bwd"),
    ("optimizer", "opt"),
    ("communication", "comm"),
];

/// Most phases that a line names.
const MOST_PHASES: usize = 6;

/// Writes `step 1200 | 212 ms (p95 230) | data 3% fwd 31% bwd 52% opt 9% | 1.2 GiB peak`, without what isn't known.
///
/// `resident_peak_bytes` is the most resident memory of the process so far.
pub fn step_line(name: &str, window: &StepWindow, resident_peak_bytes: Option<u64>) -> String {
    #[cfg(any(test, feature = "checked"))]
    crate::contradictions::refuse_window(window);
    let mut parts = vec![format!("{} {}", visible(name), window.step), time(window)];
    let phases = phases(window);
    if !phases.is_empty() {
        parts.push(phases.join(" "));
    }
    if let Some(bytes) = resident_peak_bytes {
        parts.push(format!("{} peak", quantity::bytes(bytes)));
    }
    if let Some(flop_per_s) = window.flop_per_s {
        parts.push(quantity::si(flop_per_s, "FLOP/s"));
    }
    if let Some(ratio) = window.mfu_ratio {
        parts.push(format!("MFU {}", quantity::percent(ratio).inline()));
    }
    Shown::line(&parts.join(" | ")).into_string()
}

/// Formats the mean and, where there are several steps, the 95th percentile in the same unit.
fn time(window: &StepWindow) -> String {
    let mean = quantity::duration(window.mean_ns, Precision::Estimate);
    let p95 = window.p95_ns.filter(|_| window.count > 1);
    let Some(p95) = p95.map(|ns| quantity::duration(ns, Precision::Estimate)) else {
        return mean.inline();
    };
    let p95 = if p95.unit == mean.unit {
        format!("{}{}", p95.whole, p95.fraction)
    } else {
        p95.inline()
    };
    format!("{} (p95 {p95})", mean.inline())
}

/// Returns the phases with most of the time, in the order of a step, as whole percents.
fn phases(window: &StepWindow) -> Vec<String> {
    let percent = |ratio: f64| (ratio * 100.0).round();
    let mut largest: Vec<f64> = window
        .phases
        .iter()
        .map(|phase| phase.share_ratio)
        .collect();
    largest.sort_by(|one, other| other.total_cmp(one));
    let least = largest.get(MOST_PHASES - 1).copied().unwrap_or(0.0);
    let shown = window
        .phases
        .iter()
        .filter(|phase| phase.share_ratio >= least && percent(phase.share_ratio) > 0.0);
    let text = shown.map(|phase| {
        let short = SHORT.iter().find(|(name, _)| *name == phase.name);
        let name = short.map_or_else(|| visible(&phase.name), |(_, short)| (*short).to_owned());
        format!("{name} {}%", percent(phase.share_ratio))
    });
    text.collect()
}

#[cfg(test)]
mod tests {
    use laptime_analysis::StepPhase;

    use super::*;

    fn window(count: u64) -> StepWindow {
        let shares = [
            ("data", 0.031),
            ("forward", 0.31),
            ("backward", 0.52),
            ("a\nb", 0.004),
            ("optimizer", 0.09),
        ];
        StepWindow {
            step: 1_200,
            count,
            total_ns: 212_000_000 * count,
            mean_ns: 212_000_000,
            p95_ns: Some(230_000_000),
            max_ns: 240_000_000,
            phases: shares
                .map(|(name, share_ratio)| StepPhase {
                    name: name.to_owned(),
                    total_ns: 0,
                    share_ratio,
                })
                .to_vec(),
            host_memory_peak_bytes: None,
            flop_per_s: None,
            mfu_ratio: None,
        }
    }

    #[test]
    fn a_line_says_time_shares_and_memory() {
        insta::assert_snapshot!(
            step_line("step", &window(50), Some(1_288_490_188)),
            @"step 1200 | 212 ms (p95 230) | data 3% fwd 31% bwd 52% opt 9% | 1.20 GiB peak"
        );
    }

    #[test]
    fn what_is_absent_is_left_out() {
        let bare = StepWindow {
            phases: Vec::new(),
            ..window(1)
        };
        insta::assert_snapshot!(step_line("step", &bare, None), @"step 1200 | 212 ms");
    }

    #[test]
    fn operations_stand_at_the_end() {
        let counted = StepWindow {
            phases: Vec::new(),
            flop_per_s: Some(12.3e12),
            mfu_ratio: Some(0.412),
            ..window(1)
        };
        insta::assert_snapshot!(
            step_line("a\u{1b}[2J", &counted, None),
            @r"a\u{1b}[2J 1200 | 212 ms | 12.3 TFLOP/s | MFU 41.2 %"
        );
    }
}
