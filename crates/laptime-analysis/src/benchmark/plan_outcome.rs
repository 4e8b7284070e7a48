//! The figures of a plan: the median of its samples, and its doubts.

use super::outcome::{Doubt, Outcome, noun};
use super::plan::Plan;
use super::warm_up;
use crate::statistics::quantiles;

/// CPU time below this part of wall time is a doubt: the program waited, or the machine was busy.
const LEAST_CPU_RATIO: f64 = 0.90;

impl Plan {
    /// Returns the figures so far; `None` before the first sample.
    pub fn outcome(&self) -> Option<Outcome> {
        let samples_ns = self.per_iteration();
        let mut sorted = samples_ns.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let warmup = self.warmup.unwrap_or(0);
        let last = self.samples.last();
        let iterations = last.map_or(self.iterations, |sample| sample.iterations);
        Some(Outcome {
            median_ns: quantiles::median(&sorted)?,
            interval_ns: quantiles::median_interval(&sorted),
            samples_ns,
            iterations,
            warmup: warmup + self.estimates,
            ending: self.ending,
            budget_ns: self.limits.budget_ns,
            asked_precision_ratio: self.limits.precision_ratio,
            doubts: doubts(self, warmup, noun(iterations)),
        })
    }

    /// Returns the figures of so many samples that come after so many others, and after warm-up.
    pub(crate) fn outcome_of(&self, before: usize, count: usize) -> Option<Outcome> {
        let end = self.samples.len().min(before.saturating_add(count));
        let part = Self {
            warmup: Some(self.warmup.unwrap_or(0).max(before).min(end)),
            samples: self.samples[..end].to_vec(),
            ..self.clone()
        };
        part.outcome()
    }
}

fn doubts(plan: &Plan, warmup: usize, noun: &str) -> Vec<Doubt> {
    let samples = &plan.samples[warmup..];
    let wall: f64 = samples.iter().map(|sample| sample.wall_ns).sum();
    let cpu: f64 = samples.iter().map(|sample| sample.cpu_ns).sum();
    let cpu_ratio = cpu / wall;
    let waited = (cpu_ratio < LEAST_CPU_RATIO).then_some(Doubt::Waited(cpu_ratio));
    let steadiness = match warm_up::find_among(&plan.durations(warmup), noun) {
        _ if plan.was_cut => Some(Doubt::NeverSteady),
        Ok(found) => {
            let clear = found.worth_telling(&plan.durations(warmup));
            clear.later.map(Doubt::Changed)
        }
        // Few samples of a plan that knew where warm-up ended are no doubt about that.
        Err(_) if warmup > 0 => None,
        Err(why) => Some(Doubt::Unknown(why)),
    };
    waited.into_iter().chain(steadiness).collect()
}
