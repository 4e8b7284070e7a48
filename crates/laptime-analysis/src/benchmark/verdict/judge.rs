//! The rule of a verdict: holds the ratio of two sides, with its interval, against a threshold.
//!
//! It is Kruschke's (*Rejecting or accepting parameter values in Bayesian estimation*, 2018): faster or slower where the
//! whole interval lies beyond the threshold, the same where all of it lies within, else inconclusive. A wide interval of few
//! units can lie beyond it by chance, so that chance must also be small ([`FALSE_VERDICTS`]).

use super::estimate::Estimate;
use super::interval;
use super::judgement::{Judged, Verdict};
use super::reason::Reason;
use super::side::{Side, VerdictOptions};
use crate::statistics::quantiles;

/// Probability that identical code is called faster or slower, as a part of the probability that the interval
/// misses the true ratio: 1 % with an interval of 95 %.
pub const FALSE_VERDICTS: f64 = 0.2;

/// Ratio by which two runs of one program are assumed to differ where there is one a side: smaller changes can't be told
/// then. Identical benchmarks and trainings did, measured minutes apart on machines that others used as well. If a
/// side has several runs, the difference between them counts instead.
const SINGLE_RATIO: f64 = 0.05;

/// Compares two sides.
///
/// **Units** any, the same for both sides. **Cost** sorts every unit's values once.
pub fn judge(base: &Side, new: &Side, asked: &VerdictOptions) -> Judged {
    let estimate = Estimate::from_sides(base, new, asked);
    let threshold_ratio = asked.applied_threshold();
    let (verdict, reason) = verdict_on(&estimate, asked, threshold_ratio);
    Judged {
        base_median: estimate.base_median,
        new_median: estimate.new_median,
        ratio: estimate.ratio,
        interval: estimate.interval,
        p_value: estimate.p_value,
        threshold_ratio,
        verdict,
        reason,
        unit: estimate.unit,
    }
}

/// Compares two sides that were measured one after the other: recordings, or files of benchmarks.
pub fn judge_measured(base: &Side, new: &Side, threshold_ratio: f64) -> Judged {
    let is_single = base.units.len() == 1 && new.units.len() == 1;
    let asked = VerdictOptions {
        threshold_ratio,
        noise_ratio: is_single.then_some(SINGLE_RATIO),
        ..VerdictOptions::default()
    };
    let judged = judge(base, new, &asked);
    match judged.reason {
        Reason::WithinNoise { noise_ratio } if is_single => {
            judged.with_verdict(Verdict::Inconclusive, Reason::SingleRun { noise_ratio })
        }
        Reason::BeyondNoise { noise_ratio } if is_single => {
            let verdict = judged.verdict;
            judged.with_verdict(verdict, Reason::BeyondSingleRun { noise_ratio })
        }
        Reason::Across { threshold_ratio } => {
            let runs_ratio = range(base).max(range(new));
            let differ = Reason::RunsDiffer {
                threshold_ratio,
                runs_ratio,
            };
            if runs_ratio > threshold_ratio {
                judged.with_verdict(Verdict::Inconclusive, differ)
            } else {
                judged
            }
        }
        _ => judged,
    }
}

/// Returns by how much the median of a side's longest unit lies above that of its shortest, as a part of that.
fn range(side: &Side) -> f64 {
    let medians = || {
        let each = side.units.iter();
        each.filter_map(|unit| quantiles::median(&interval::sorted(unit)))
    };
    let (shortest, longest) = medians().fold((f64::INFINITY, 0.0_f64), |(low, high), one| {
        (low.min(one), high.max(one))
    });
    if shortest > 0.0 && longest > 0.0 {
        longest / shortest - 1.0
    } else {
        0.0
    }
}

fn verdict_on(
    estimate: &Estimate,
    asked: &VerdictOptions,
    threshold_ratio: f64,
) -> (Verdict, Reason) {
    let (low, high) = match &estimate.interval {
        Ok(interval) => *interval,
        Err(reason) if reason.is_about_input() => return (Verdict::NotComparable, reason.clone()),
        Err(reason) => return (Verdict::Inconclusive, reason.clone()),
    };
    // Mirrored: swapping the sides turns faster into slower and changes nothing else. A noisy machine
    // makes both harder to say, but never a difference that counts the same.
    let (limit, quiet_limit) = (1.0 + threshold_ratio, 1.0 + asked.quiet_threshold());
    let beyond = match (low > limit, high < 1.0 / limit) {
        (true, _) => Verdict::Slower,
        (_, true) => Verdict::Faster,
        _ if low >= 1.0 / quiet_limit && high <= quiet_limit => {
            let threshold_ratio = asked.quiet_threshold();
            return (Verdict::Same, Reason::Within { threshold_ratio });
        }
        _ => return (Verdict::Inconclusive, reason_across(low, high, asked)),
    };
    let allowed = FALSE_VERDICTS * (1.0 - asked.confidence);
    match estimate.p_value {
        Some(p_value) if p_value > allowed => {
            (Verdict::Inconclusive, Reason::ChanceLikely { p_value })
        }
        _ if threshold_ratio > asked.quiet_threshold() => {
            let noise_ratio = threshold_ratio;
            (beyond, Reason::BeyondNoise { noise_ratio })
        }
        _ => (beyond, Reason::Beyond { threshold_ratio }),
    }
}

/// Returns why an interval that reaches across the threshold tells nothing.
fn reason_across(low: f64, high: f64, asked: &VerdictOptions) -> Reason {
    let limit = 1.0 + asked.quiet_threshold();
    match asked.noise_ratio {
        Some(noise_ratio) if low > limit || high < 1.0 / limit => {
            Reason::WithinNoise { noise_ratio }
        }
        _ => Reason::Across {
            threshold_ratio: asked.quiet_threshold(),
        },
    }
}
