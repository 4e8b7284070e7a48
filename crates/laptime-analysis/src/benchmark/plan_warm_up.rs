//! Warm-up and precision of a plan: decides how many samples at the start are left out, and when the median is known.

use super::plan::Plan;
use super::warm_up::{self, WarmUp};
use crate::statistics::quantiles;

/// Fewest samples to stop at because the median is known: stopping at whatever few samples
/// happen to lie close would make the interval hold the median less often than it says.
pub const LEAST_SAMPLES: usize = 30;
/// Runs that tell how long one takes.
const LEAST_RUNS: usize = 3;
/// Samples among which a longer warm-up is looked for at the end.
const MOST_HEAD: usize = 75;
/// Part of the budget that warm-up may take.
const WARM_UP_BUDGET: f64 = 0.5;

impl Plan {
    /// Looks for the end of warm-up: seldom, since every look goes through all samples.
    pub(super) fn find_warmup(&mut self, is_over: bool) {
        let is_late = self.spent_ns >= WARM_UP_BUDGET * self.limits.budget_ns;
        let count = self.samples.len();
        // Too few runs as long as this fit into the budget to tell warm-up from the rest.
        let shortest = self.samples.iter().map(|sample| sample.wall_ns);
        let all_ns = shortest.fold(f64::INFINITY, f64::min) * warm_up::LEAST_STEPS as f64;
        if count >= LEAST_RUNS && all_ns > self.limits.budget_ns {
            self.warmup = Some(0);
            return;
        }
        if count < self.look_at && !is_late {
            return;
        }
        self.look_at = count + count / 2;
        let found = warm_up::find(&self.durations(0));
        match found {
            Ok(WarmUp { steps, later: None }) if count - steps >= warm_up::LEAST_STEPS => {
                self.warmup = Some(steps);
            }
            Ok(WarmUp { steps, .. }) if is_late => {
                self.warmup = Some(steps);
                self.was_cut = true;
            }
            Err(_) if is_over => self.warmup = Some(0),
            _ => {}
        }
        self.look_at = if self.warmup.is_some() {
            0
        } else {
            self.look_at
        };
    }

    /// Tells whether the median is known well enough. It looks at ever more samples, ever more seldom.
    pub(super) fn is_precise(&mut self) -> bool {
        let Some(warmup) = self.warmup else {
            return false;
        };
        let count = self.samples.len() - warmup;
        let least = self.single.unwrap_or(0).max(LEAST_SAMPLES);
        if count < self.look_at.max(least) {
            return false;
        }
        self.look_at = count + count / 4;
        let mut sorted = self.per_iteration();
        sorted.sort_unstable_by(f64::total_cmp);
        let median = quantiles::median(&sorted).unwrap_or_default();
        let is_narrow = quantiles::median_interval(&sorted)
            .is_ok_and(|(low, high)| (high - low) / 2.0 <= self.limits.precision_ratio * median);
        is_narrow && !self.extend_warmup()
    }

    /// Leaves out further samples that turned out to be warm-up, by all that came later. Returns whether there were any.
    pub(super) fn extend_warmup(&mut self) -> bool {
        let Some(warmup) = self.warmup.filter(|_| !self.was_cut) else {
            return false;
        };
        let mut head = self.durations(warmup);
        head.truncate(MOST_HEAD);
        let count = head.len();
        match warm_up::find(&head) {
            Ok(WarmUp { steps, later: None })
                if steps > 0 && count - steps >= warm_up::LEAST_STEPS =>
            {
                self.warmup = Some(warmup + steps);
                true
            }
            _ => false,
        }
    }
}
