//! A verdict on whether one side is faster than the other, with its reason.
//!
//! [`judge`] takes in two sides of values and returns a [`Judged`]: the ratio of the medians
//! with its interval ([`estimate`]), held against a threshold. The rule is Kruschke's (*Rejecting or
//! accepting parameter values in Bayesian estimation*, 2018): faster or slower where the whole
//! interval lies beyond the threshold, the same where all of it lies within, else inconclusive. A
//! wide interval of few units can lie beyond it by chance, so that chance must also be small
//! ([`FALSE_VERDICTS`]). Many comparisons at once: [`control_false_discoveries`].

mod discoveries;
mod estimate;
mod interval;
mod reason;

use serde::Serialize;

pub use discoveries::control_false_discoveries;
pub use reason::{Reason, SideName};

use estimate::Estimate;

/// Smallest difference that is spoken of: alignment of code and memory alone moves times by as much
/// (Mytkowicz et al., *Producing wrong data without doing anything obviously wrong*, 2009).
pub const LEAST_THRESHOLD: f64 = 0.01;
/// Probability that identical code is called faster or slower, as a part of the probability that the interval
/// misses the true ratio: 1 % with an interval of 95 %.
pub const FALSE_VERDICTS: f64 = 0.2;

/// Ratio by which two runs of one program are assumed to differ where there is one a side: smaller changes can't be told
/// then. Identical benchmarks and trainings did, measured minutes apart on machines that others used as well. If a
/// side has several runs, the difference between them counts instead.
const SINGLE_RATIO: f64 = 0.05;

/// One side of a comparison.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Side {
    /// Units of inference (runs, processes or ABBA blocks), each with the values measured in it, in
    /// their order.
    ///
    /// **Units** nanoseconds, or any other as long as it is the same everywhere.
    pub units: Vec<Vec<f64>>,
}

/// Options of a verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VerdictOptions {
    /// Smallest difference that counts, as a part of the base; [`LEAST_THRESHOLD`] at least.
    pub threshold_ratio: f64,
    /// The ratio by which the base differed from itself in an A/A control, if there was one.
    pub noise_ratio: Option<f64>,
    /// Probability that the interval holds the true ratio.
    pub confidence: f64,
    /// Whether the units of both sides with the same index were measured side by side.
    pub are_paired: bool,
}

impl Default for VerdictOptions {
    fn default() -> Self {
        Self {
            threshold_ratio: LEAST_THRESHOLD,
            noise_ratio: None,
            confidence: crate::statistics::quantiles::CONFIDENCE,
            are_paired: false,
        }
    }
}

impl VerdictOptions {
    /// Returns the threshold that applies: the one that was asked for, or more on a noisier machine.
    pub fn applied_threshold(&self) -> f64 {
        let noise = self.noise_ratio.filter(|ratio| ratio.is_finite());
        noise.map_or(self.quiet_threshold(), |noise| {
            noise.max(self.quiet_threshold())
        })
    }

    /// Returns the threshold that would apply without noise.
    fn quiet_threshold(&self) -> f64 {
        if self.threshold_ratio.is_finite() {
            self.threshold_ratio.max(LEAST_THRESHOLD)
        } else {
            LEAST_THRESHOLD
        }
    }
}

/// The verdict of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The new side takes less time, by more than the threshold.
    Faster,
    /// The new side takes more time, by more than the threshold.
    Slower,
    /// Any difference is smaller than the threshold.
    Same,
    /// The measurements don't tell.
    Inconclusive,
    /// The sides can't be held against each other.
    NotComparable,
}

impl Verdict {
    /// Returns the verdict as it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Same => "same",
            Self::Inconclusive => "inconclusive",
            Self::NotComparable => "not comparable",
        }
    }

    /// Returns the verdict as programs read it.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Same => "same",
            Self::Inconclusive => "inconclusive",
            Self::NotComparable => "not-comparable",
        }
    }
}

/// The units that an interval is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnitKind {
    /// Values within the only unit of each side: it says nothing about other runs.
    WithinOne,
    /// Units of both sides: it tells the ratio that other units would have.
    Across,
}

/// A comparison with its verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// Median of the base, over the medians of its units; not a number where it has no values.
    pub base_median: f64,
    /// Median of the new side.
    pub new_median: f64,
    /// New over base: the ratio of the medians or, where units were measured side by side, the median of
    /// their ratios. Not a number where there is none.
    pub ratio: f64,
    /// Interval that holds the true ratio with the confidence asked for, or why there is none.
    pub interval: Result<(f64, f64), Reason>,
    /// Probability that identical sides differ by chance at least as much.
    pub p_value: Option<f64>,
    /// Difference that counts, as a part of the base: asked for, or more on a noisier machine.
    pub threshold_ratio: f64,
    /// The verdict.
    pub verdict: Verdict,
    /// The reason of the verdict.
    pub reason: Reason,
    /// The units that the interval is about.
    pub unit: UnitKind,
}

impl Judged {
    /// Returns the judgement with another verdict.
    #[must_use]
    fn with_verdict(self, verdict: Verdict, reason: Reason) -> Self {
        Self {
            verdict,
            reason,
            ..self
        }
    }
}

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
        each.filter_map(|unit| crate::statistics::quantiles::median(&interval::sorted(unit)))
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

#[cfg(test)]
#[path = "tests/verdict.rs"]
mod tests;
