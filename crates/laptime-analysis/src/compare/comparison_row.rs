//! One path on both sides: its numbers, by what they differ, and the verdict on it.
//!
//! The field names are those of the published schema (`docs/comparison.schema.json`).

use serde::Serialize;

use crate::benchmark::verdict::{Judged, Verdict};

/// On which sides a path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Presence {
    /// On both.
    Both,
    /// Only on the new one.
    Added,
    /// Only on the base.
    Removed,
}

/// One path on both sides.
///
/// **Units** nanoseconds; ratios are new over base.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparisonRow {
    /// The names joined by `/`, with `/` and `\` inside a name escaped.
    pub path: String,
    /// The names from the outermost to this one.
    pub names: Vec<String>,
    /// Name of the module's class, where it is a network's; empty for any other.
    pub module_class: String,
    /// On which sides it is.
    pub presence: Presence,
    /// The base's numbers.
    pub base: Option<RowSide>,
    /// The other side's.
    pub new: Option<RowSide>,
    /// New median over base median.
    pub ratio: Option<f64>,
    /// Lower end of the ratio's 95 % interval.
    pub ratio_low: Option<f64>,
    /// Upper end of the ratio's 95 % interval.
    pub ratio_high: Option<f64>,
    /// How likely such a difference is without any.
    pub p_value: Option<f64>,
    /// What came of it; `None` for a path of one side.
    pub verdict: Option<Verdict>,
    /// Why, as a sentence.
    pub reason: String,
    /// Mean time for each step or run that is added; below zero where it is less. A side without the
    /// path has 0.
    pub difference_ns: f64,
    /// The same, without what the paths inside take: all of them add up.
    pub own_difference_ns: f64,
    /// By how much a typical step is longer through it: of medians, times the part of the steps that
    /// have it; without steps, `difference_ns`. Of a path beside the steps, such as an evaluation, by how much one span
    /// is longer.
    pub median_difference_ns: f64,
    /// The same, without what the paths inside take. What fewer than half of the steps have is no part of a typical one.
    pub own_median_difference_ns: f64,
}

impl ComparisonRow {
    /// A row with both sides' numbers and no verdict. What medians differ by is for whoever knows what
    /// they are of.
    pub(crate) fn new(
        (path, names): (&str, &[String]),
        base: Option<RowSide>,
        new: Option<RowSide>,
    ) -> Self {
        let (presence, reason) = match (&base, &new) {
            (Some(_), None) => (Presence::Removed, "Only the base has it."),
            (None, _) => (Presence::Added, "Only the new side has it."),
            _ => (Presence::Both, ""),
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
            reason: reason.to_owned(),
        }
    }

    /// Takes over what was judged. Only finite numbers can be written as JSON.
    pub(crate) fn judged(mut self, judged: &Judged) -> Self {
        self.ratio = finite(judged.ratio);
        let interval = judged.interval.as_ref().ok();
        self.ratio_low = interval.and_then(|(low, _)| finite(*low));
        self.ratio_high = interval.and_then(|(_, high)| finite(*high));
        self.p_value = judged.p_value.and_then(finite);
        self.verdict = Some(judged.verdict);
        self.reason = judged.reason.to_string();
        self
    }

    /// How deep it stands in the tree; 0 for outermost rows.
    pub fn depth(&self) -> usize {
        self.names.len().saturating_sub(1)
    }

    /// By how much a usual step is longer through it; below zero where it is shorter. What is in some
    /// steps only counts by how many have it, and what is in fewer than half is not usual.
    pub fn typical_difference_ns(&self) -> f64 {
        let is_usual = [&self.base, &self.new]
            .into_iter()
            .flatten()
            .any(|side| side.step_ratio >= 0.5);
        if is_usual { self.of_medians_ns() } else { 0.0 }
    }

    /// The same, however few steps have it.
    pub(crate) fn of_medians_ns(&self) -> f64 {
        let typical = |side: &Option<RowSide>| {
            side.as_ref().map_or(0.0, |side| {
                side.median_ns
                    .map_or(side.mean_ns, |median| median * side.step_ratio)
            })
        };
        typical(&self.new) - typical(&self.base)
    }

    /// Takes back that it got faster or slower, for the reason that is named.
    pub(crate) fn doubt(&mut self, why: &str) {
        if matches!(self.verdict, Some(Verdict::Faster | Verdict::Slower)) {
            self.verdict = Some(Verdict::Inconclusive);
            why.clone_into(&mut self.reason);
        }
    }

    /// Withdraws the verdict, for the reason that is named.
    pub(crate) fn refuse(&mut self, why: &str) {
        if self.verdict.is_some() {
            self.verdict = Some(Verdict::NotComparable);
            why.clone_into(&mut self.reason);
        }
    }
}

/// One side of a row.
///
/// **Units** nanoseconds; of several runs, the mean of their means.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RowSide {
    /// Median time in a step that has it; outside of steps, of one span.
    pub median_ns: Option<f64>,
    /// Mean time for each step or run.
    pub mean_ns: f64,
    /// The same, without what the paths inside take.
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

/// A verdict as programs read it.
pub const fn name_of(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Faster => "faster",
        Verdict::Slower => "slower",
        Verdict::Same => "same",
        Verdict::Inconclusive => "inconclusive",
        Verdict::NotComparable => "not-comparable",
    }
}

/// A number that JSON can say.
pub(crate) fn finite(number: f64) -> Option<f64> {
    Some(number).filter(|number| number.is_finite())
}
