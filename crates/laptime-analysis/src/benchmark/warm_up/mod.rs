//! The end of warm-up, and changes after it: rules over the durations of the first steps.
//!
//! Warm-up is a change at the start. First all places are looked for where the steps go to another level and keep it
//! ([`changes`]). A level that ends early is warm-up; a later change refuses nothing: it is a doubt beside the
//! numbers. Before the first of the changes that are left, a short or decaying beginning is cut off ([`warm_up_end`]).
//!
//! Only clear changes are told: a change at a place where there is none is worse than none. `examples/steadiness`
//! shows how often the rules are right.

use laptime_core::Unavailable;

use crate::statistics::quantiles::median_of as median;
use crate::statistics::{Question, TooFew};

mod after_warm_up;
mod changes;
mod levels;
mod trend;
mod warm_up_end;

pub use after_warm_up::Later;
pub use changes::Change;
pub(crate) use trend::Line;
use trend::{MEDIAN_TO_MEAN_ERROR, noise};
pub use warm_up_end::LEAST_STEPS;

/// The part of the steps in which warm-up ends; a level that ends later is none.
const HEAD_RATIO: f64 = 0.4;
/// Standard errors by which the halves of the rest must differ for its trend to be told.
const TREND_ERRORS: f64 = 3.0;
/// Ratio from the first third to the last from which on a trend is told: a machine's clock speed and
/// caches settle by less, and they move with whatever else runs.
const TREND_RATIO: f64 = 0.10;
/// The part of all pairs of a step of the first third and one of the last that must differ as the
/// trend does: where steps scatter further than they drift, a line through them tells nothing.
const TREND_PAIRS: f64 = 0.8;

/// The end of warm-up, and changes after it.
#[derive(Debug, Clone, PartialEq)]
pub struct WarmUp {
    /// The first steady step, from 0.
    pub steps: usize,
    /// Changes of the steps after it, if they did not keep their level.
    pub later: Option<Later>,
}

/// Returns the index of the first steady step, or why there is none.
///
/// **Units** any, the same for all durations.
pub fn first_steady(durations: &[u64]) -> Result<usize, Unavailable> {
    find(durations).map(|found| found.steps)
}

/// Finds where warm-up ends, or why that can't be told.
///
/// **Units** any, the same for all durations. **Cost** 5 ms for 512 steps.
pub fn find(durations: &[u64]) -> Result<WarmUp, Unavailable> {
    find_among(durations, "step")
}

/// Finds where warm-up ends, as [`find`] does; `noun` is the name for one step.
pub fn find_among(durations: &[u64], noun: &str) -> Result<WarmUp, Unavailable> {
    if durations.len() < LEAST_STEPS {
        let few = TooFew {
            count: durations.len(),
            noun,
            question: Question::WarmUp,
            needed: LEAST_STEPS,
        };
        return Err(few.into());
    }
    let steps: Vec<f64> = durations.iter().map(|duration| *duration as f64).collect();
    let scratch = &mut Vec::new();
    let most = (HEAD_RATIO * steps.len() as f64) as usize;
    // Changes are looked for first and cut off: fitted together with the rest, they lift or tilt the line that the head
    // is held against, and warm-up seems to go on up to them.
    let mut cuts = changes::find(&steps, scratch);
    let early = changes::one_way(&steps, &cuts, most, scratch);
    let level = cuts.drain(..early).next_back().unwrap_or(0);
    let before = &steps[..cuts.first().copied().unwrap_or(steps.len())];
    let first = level.max(warm_up_end::end(before, most, scratch));
    let later = if cuts.is_empty() {
        trend(&steps[first..], scratch).map(Later::Trend)
    } else {
        Some(Later::Changes(changes::with_sizes(
            &steps, first, &cuts, scratch,
        )))
    };
    Ok(WarmUp {
        steps: first,
        later,
    })
}

impl WarmUp {
    /// Returns the warm-up with a trend only where it is worth a word to the reader of a report: large, and
    /// clear against the scatter of the steps. A plan that measures on until it is sure asks for less.
    #[must_use]
    pub fn worth_telling(self, durations: &[u64]) -> Self {
        let Some(Later::Trend(ratio)) = self.later else {
            return self;
        };
        let steps: Vec<f64> = durations[self.steps..]
            .iter()
            .map(|step| *step as f64)
            .collect();
        let [first, last] = thirds(&steps);
        let is_told =
            ratio.abs() >= TREND_RATIO && changes::parted(first, last, ratio > 0.0) >= TREND_PAIRS;
        Self {
            later: self.later.filter(|_| is_told),
            ..self
        }
    }
}

/// Returns the first and the last third of the steps.
fn thirds(steps: &[f64]) -> [&[f64]; 2] {
    let third = steps.len() / 3;
    [&steps[..third], &steps[steps.len() - third..]]
}

/// Returns the ratio by which the median of the last third lies above that of the first, where a line through the steps goes
/// that way. The ends of the line itself are durations of no step.
fn trend(steps: &[f64], scratch: &mut Vec<f64>) -> Option<f64> {
    let deviation = noise(steps, scratch);
    let line = Line::through(steps, deviation, scratch);
    let rise = line.at(steps.len() - 1) - line.start;
    let half = steps.len() as f64 / 2.0;
    let error = MEDIAN_TO_MEAN_ERROR * deviation * (2.0 / half).sqrt();
    let [first, last] = thirds(steps).map(|third| median(third.iter().copied(), scratch));
    let is_clear = rise.abs() / 2.0 > TREND_ERRORS * error;
    (is_clear && rise * (last - first) > 0.0 && first > 0.0).then(|| last / first - 1.0)
}

#[cfg(test)]
#[path = "tests/simulated.rs"]
mod simulated;

#[cfg(test)]
#[path = "tests/warm_up.rs"]
mod tests;
