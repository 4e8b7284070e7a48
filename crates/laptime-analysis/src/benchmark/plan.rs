//! The plan of one benchmark: runs to make next, by the time that all runs took so far.
//!
//! It has no clock, runs no program and never sleeps: whoever measures asks [`Plan::next`], runs that many iterations, and
//! adds their time with [`Plan::add_run`]. The plan estimates the cost, chooses the iterations of a sample, finds where
//! warm-up ends, and samples until the median is known well enough or the budget ends. [`Plan::outcome`] has the figures.

use super::limits::{Count, Ending, Limits, Next};
use super::warm_up;

/// The fewest clock quanta in a sample: then the clock's steps are below 0.1 % of it.
const QUANTA: f64 = 1_000.0;
/// The most samples that a budget is cut into: more of them cost more to sort than they tell.
const MOST_SAMPLES: f64 = 2_000.0;
/// The most single runs that a plan takes: twenty of them then lie beyond the 99th percentile, and
/// looking for warm-up among more would take longer than they do.
pub const MOST_SINGLE: usize = MOST_SAMPLES as usize;
/// Factor by which the number of iterations grows while their cost isn't known yet.
const GROWTH: u64 = 10;
/// Factor by which a sample is too short if the iterations were chosen wrongly.
const MISJUDGED: f64 = 4.0;

/// Time of a sample.
///
/// **Units** nanoseconds for all of its iterations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sample {
    pub iterations: u64,
    pub wall_ns: f64,
    pub cpu_ns: f64,
}

/// The plan of one benchmark.
#[derive(Debug, Clone)]
pub struct Plan {
    pub(super) limits: Limits,
    pub(super) iterations: u64,
    pub(super) is_sized: bool,
    /// Fewest samples after warm-up, where every sample is a single run.
    pub(super) single: Option<usize>,
    /// Runs whose only use was to learn the cost.
    pub(super) estimates: usize,
    pub(super) samples: Vec<Sample>,
    /// Samples at the start that belong to warm-up, once that is known.
    pub(super) warmup: Option<usize>,
    pub(super) was_cut: bool,
    pub(super) look_at: usize,
    pub(super) spent_ns: f64,
    /// Time that preparing the next run took.
    pub(super) aside_ns: f64,
    pub(super) ending: Option<Ending>,
}

impl Plan {
    /// Returns a plan that has not begun.
    pub fn new(limits: Limits) -> Self {
        let is_counted = matches!(limits.count, Count::Exactly(_));
        Self {
            limits,
            iterations: 1,
            is_sized: is_counted,
            single: None,
            estimates: 0,
            samples: Vec::new(),
            warmup: is_counted.then_some(0),
            was_cut: false,
            look_at: warm_up::LEAST_STEPS,
            spent_ns: 0.0,
            aside_ns: 0.0,
            ending: None,
        }
    }

    /// Returns a plan whose samples are single runs, for their percentiles: at least so many after warm-up, where the
    /// budget allows, and [`MOST_SINGLE`] at most.
    pub fn of_single_runs(limits: Limits, least: usize) -> Self {
        Self {
            is_sized: true,
            single: Some(least.min(MOST_SINGLE)),
            ..Self::new(limits)
        }
    }

    /// Returns the iterations of the next run.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Sets the iterations of samples from here on.
    pub(crate) fn set_iterations(&mut self, iterations: u64) {
        self.iterations = iterations;
    }

    /// Estimates how long the benchmark takes, at most unless a number of samples is asked for; `None` while that
    /// isn't known.
    pub fn expected_ns(&self) -> Option<f64> {
        let budget_ns = self.limits.budget_ns;
        let count = self.samples.len() - self.warmup.unwrap_or(0);
        let rest = |asked: usize| {
            let left = asked.saturating_sub(count) as f64;
            (self.sample_ns() > 0.0).then(|| self.spent_ns + left * self.sample_ns())
        };
        match self.limits.count {
            Count::Budget => Some(budget_ns),
            Count::AtLeast(least) => Some(rest(least)?.max(budget_ns)),
            Count::Exactly(asked) => rest(asked),
        }
    }

    /// Counts time of preparing as spent; it prepared the run that is added next.
    pub fn spend(&mut self, ns: f64) {
        self.spent_ns += ns.max(0.0);
        self.aside_ns += ns.max(0.0);
    }

    /// Returns how long the last sample took; 0 before the first one.
    pub(crate) fn sample_ns(&self) -> f64 {
        self.samples.last().map_or(0.0, |sample| sample.wall_ns)
    }

    /// Returns the next thing to do.
    pub fn next(&self) -> Next {
        match (self.ending, self.warmup) {
            (Some(ending), _) => Next::Done(ending),
            (None, Some(_)) => Next::Sample(self.iterations),
            (None, None) => Next::WarmUp(self.iterations),
        }
    }

    /// Adds the time of the iterations that [`Plan::next`] asked for, by the wall clock and in CPU time of the process.
    pub fn add_run(&mut self, wall_ns: f64, cpu_ns: f64) {
        // A clock that goes back costs the budget something all the same, or it would never end.
        let wall_ns = wall_ns.max(self.limits.quantum_ns);
        self.spent_ns += wall_ns;
        let is_over = self.spent_ns >= self.limits.budget_ns;
        let is_sized_by_time = self.warmup.is_none() && self.single.is_none();
        let aside_ns = std::mem::take(&mut self.aside_ns);
        let missing = self.missing(wall_ns, aside_ns);
        if is_sized_by_time && missing > MISJUDGED {
            self.forget_size();
        }
        if !self.is_sized && !self.size(missing) && !is_over {
            self.estimates += 1;
            return;
        }
        self.samples.push(Sample {
            iterations: self.iterations,
            wall_ns,
            cpu_ns,
        });
        if self.warmup.is_none() {
            self.find_warmup(is_over);
        }
        let count = self.samples.len() - self.warmup.unwrap_or(0);
        if let Count::Exactly(asked) = self.limits.count {
            self.ending = (count >= asked).then_some(Ending::Count);
        } else if self.is_precise() {
            self.ending = Some(Ending::Precise);
        } else if self.single.is_some() && count >= MOST_SINGLE {
            self.warmup.get_or_insert(0);
            self.extend_warmup();
            self.ending = Some(Ending::Count);
        } else if is_over && self.limits.count.allows(count) {
            self.extend_warmup();
            self.ending = Some(Ending::Budget);
        }
    }

    /// Returns how many times as long a sample has to be: measured for so many quanta, and with what prepares
    /// it such a part of the budget.
    fn missing(&self, wall_ns: f64, aside_ns: f64) -> f64 {
        let by_clock = QUANTA * self.limits.quantum_ns / wall_ns;
        let by_budget = self.limits.budget_ns / MOST_SAMPLES / (wall_ns + aside_ns);
        by_clock.max(by_budget)
    }

    /// Forgets the samples so far: a long first call, such as one that imports or compiles, chose too few iterations.
    fn forget_size(&mut self) {
        self.is_sized = false;
        self.estimates += self.samples.len();
        self.samples.clear();
        self.look_at = warm_up::LEAST_STEPS;
    }

    /// Chooses the iterations of a sample, and returns whether these were enough for one.
    fn size(&mut self, missing: f64) -> bool {
        if missing <= 1.0 {
            self.is_sized = true;
            return true;
        }
        // A first run may be many times as long as the rest: only a long one tells the cost.
        if missing > GROWTH as f64 {
            self.iterations = self.iterations.saturating_mul(GROWTH);
        } else {
            self.iterations = rounded_up(self.iterations as f64 * missing);
        }
        false
    }

    /// Returns how long every sample took, as if all had as many iterations as the next one.
    pub(super) fn durations(&self, from: usize) -> Vec<u64> {
        let samples = self.samples[from..].iter();
        let scale = |sample: &Sample| self.iterations as f64 / sample.iterations as f64;
        samples
            .map(|sample| (sample.wall_ns * scale(sample)) as u64)
            .collect()
    }

    /// Returns the nanoseconds for one iteration, of every sample after warm-up.
    pub(super) fn per_iteration(&self) -> Vec<f64> {
        let samples = self.samples[self.warmup.unwrap_or(0)..].iter();
        samples
            .map(|sample| sample.wall_ns / sample.iterations as f64)
            .collect()
    }

    /// Returns how many samples were taken.
    pub(crate) fn sample_count(&self) -> usize {
        self.samples.len()
    }
}

/// Rounds up to a number of 1, 2, 5, 10, 20, …: a sample of 100 runs is easier to speak of than one of 83.
fn rounded_up(wanted: f64) -> u64 {
    let mut power = 1_u64;
    loop {
        for digit in [1, 2, 5] {
            let number = power.saturating_mul(digit);
            if number as f64 >= wanted || number == u64::MAX {
                return number;
            }
        }
        power = power.saturating_mul(10);
    }
}

#[cfg(test)]
#[path = "tests/simulated.rs"]
mod simulated;

#[cfg(test)]
#[path = "tests/plan.rs"]
mod tests;
