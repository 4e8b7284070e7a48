//! One path on both sides: its numbers, their differences, and the verdict on it.

use serde::Serialize;

use super::row_reason::RowReason;
use crate::benchmark::verdict::{Judged, Verdict};

/// The sides that have a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Presence {
    /// Both sides.
    Both,
    /// The new side only.
    Added,
    /// The base only.
    Removed,
}

/// One path on both sides.
///
/// **Units** nanoseconds; ratios are new over base.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonRow {
    /// Names joined by `/`, with `/` and `\` inside a name escaped.
    pub path: String,
    /// Names from the outermost to this one.
    pub names: Vec<String>,
    /// Name of the module's class, where it is a network's module; empty for any other.
    pub module_class: String,
    /// The sides that have it.
    pub presence: Presence,
    /// The base's numbers.
    pub base: Option<RowSide>,
    /// The other side's numbers.
    pub new: Option<RowSide>,
    /// New median over base median.
    pub ratio: Option<f64>,
    /// Lower end of the ratio's 95 % interval.
    pub ratio_low: Option<f64>,
    /// Upper end of the ratio's 95 % interval.
    pub ratio_high: Option<f64>,
    /// Probability of such a difference between sides that are alike.
    pub p_value: Option<f64>,
    /// The verdict; `None` for a path of one side.
    pub verdict: Option<Verdict>,
    /// The reason of the verdict; `None` until it is judged.
    pub reason: Option<RowReason>,
    /// Mean time for each step or run that is added; below zero where it is less. A side without the
    /// path has 0.
    pub difference_ns: f64,
    /// The part of `difference_ns` that is not in the paths inside: those of all rows add up.
    pub own_difference_ns: f64,
    /// Time that the path adds to a typical step: the difference of medians, times the part of the steps that have it;
    /// without steps, `difference_ns`. A path beside the steps, such as an evaluation, has the difference of one span.
    pub median_difference_ns: f64,
    /// The part of `median_difference_ns` that is not in the paths inside. A path that fewer than half of the steps have is
    /// no part of a typical one.
    pub own_median_difference_ns: f64,
}

impl ComparisonRow {
    /// Returns a row with both sides' numbers and no verdict. Differences of medians are left at 0: whoever knows the unit
    /// that medians are given for fills them in.
    pub(crate) fn new(
        (path, names): (&str, &[String]),
        base: Option<RowSide>,
        new: Option<RowSide>,
    ) -> Self {
        let (presence, reason) = match (&base, &new) {
            (Some(_), None) => (Presence::Removed, Some(RowReason::OnlyBase)),
            (None, _) => (Presence::Added, Some(RowReason::OnlyNew)),
            _ => (Presence::Both, None),
        };
        let more = |part: fn(&RowSide) -> f64| {
            let one = |side: &Option<RowSide>| side.as_ref().map_or(0.0, part);
            one(&new) - one(&base)
        };
        Self {
            path: path.to_owned(),
            names: names.to_vec(),
            module_class: String::new(),
            presence,
            difference_ns: more(|side| side.mean_ns),
            own_difference_ns: more(|side| side.own_ns),
            median_difference_ns: 0.0,
            own_median_difference_ns: 0.0,
            base,
            new,
            ratio: None,
            ratio_low: None,
            ratio_high: None,
            p_value: None,
            verdict: None,
            reason,
        }
    }

    /// Takes over a judgement. Only finite numbers can be written as JSON.
    pub(crate) fn judged(mut self, judged: &Judged) -> Self {
        self.ratio = finite(judged.ratio);
        let interval = judged.interval.as_ref().ok();
        self.ratio_low = interval.and_then(|(low, _)| finite(*low));
        self.ratio_high = interval.and_then(|(_, high)| finite(*high));
        self.p_value = judged.p_value.and_then(finite);
        self.verdict = Some(judged.verdict);
        self.reason = Some(RowReason::Durations(judged.reason.clone()));
        self
    }

    /// Returns how deep the row stands in the tree; 0 for outermost rows.
    pub fn depth(&self) -> usize {
        self.names.len().saturating_sub(1)
    }

    /// Returns the time that the path adds to a usual step; below zero where it is less. A path that only some steps have
    /// counts by how many have it, and one that fewer than half have is not usual.
    pub fn typical_difference_ns(&self) -> f64 {
        let is_usual = [&self.base, &self.new]
            .into_iter()
            .flatten()
            .any(|side| side.step_ratio >= 0.5);
        if is_usual {
            self.difference_of_medians_ns()
        } else {
            0.0
        }
    }

    /// Returns the time that the path adds to a step by medians, however few steps have it.
    pub(crate) fn difference_of_medians_ns(&self) -> f64 {
        let typical = |side: &Option<RowSide>| {
            side.as_ref().map_or(0.0, |side| {
                side.median_ns
                    .map_or(side.mean_ns, |median| median * side.step_ratio)
            })
        };
        typical(&self.new) - typical(&self.base)
    }

    /// Takes back that it got faster or slower, for the reason that is named.
    pub(crate) fn doubt(&mut self, why: impl Into<Option<RowReason>>) {
        if matches!(self.verdict, Some(Verdict::Faster | Verdict::Slower)) {
            self.verdict = Some(Verdict::Inconclusive);
            self.reason = why.into();
        }
    }

    /// Withdraws the verdict, for the reason that is named.
    pub(crate) fn refuse(&mut self, why: RowReason) {
        if self.verdict.is_some() {
            self.verdict = Some(Verdict::NotComparable);
            self.reason = Some(why);
        }
    }
}

/// One side of a row.
///
/// **Units** nanoseconds; of several runs, the mean of their means.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RowSide {
    /// Median time in a step that has it; outside of steps, median time of one span.
    pub median_ns: Option<f64>,
    /// Mean time for each step or run.
    pub mean_ns: f64,
    /// Mean self time per step or run: what no path inside covers.
    pub own_ns: f64,
    /// Spans for each step or run.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub count: f64,
    /// Part of the steps that have it; outside of steps, spans for each of them.
    #[serde(skip)]
    pub step_ratio: f64,
    /// CPU time of the process for each step or run, where it was measured.
    pub process_ns: Option<f64>,
}

/// Returns a number if JSON can write it.
pub(crate) fn finite(number: f64) -> Option<f64> {
    Some(number).filter(|number| number.is_finite())
}
