//! A benchmark's plan: what to run next, told how long everything took so far.
//!
//! No clock, no program and no sleep: whoever measures asks [`Plan::next`], runs that many
//! iterations, and tells their time with [`Plan::told`]. The plan estimates the cost, chooses
//! the iterations of a sample, finds where warm-up ends ([`crate::benchmark::warm_up`]), and samples until the
//! median is known well enough or the budget ends. [`Plan::outcome`] has the figures.

pub mod contest;
mod file;
pub mod inference;
pub(crate) mod latency;
mod outcome;
pub mod verdict;
pub mod warm_up;

use crate::benchmark::warm_up::WarmUp;
use crate::statistics::quantiles;

pub use file::{Benchmark, BenchmarkFile, PairVerdict, SCHEMA, SCHEMA_VERSION};
pub(crate) use outcome::larger_ns;
pub use outcome::{Doubt, Outcome};

/// Clock quanta in a sample, at least: then the clock's steps are below 0.1 % of it.
const QUANTA: f64 = 1_000.0;
/// Samples that a budget is cut into, at most: more of them cost more to sort than they tell.
const MOST_SAMPLES: f64 = 2_000.0;
/// Single runs that a plan takes, at most: twenty of them then lie beyond the 99th percentile, and
/// looking for warm-up among more would take longer than they do.
pub const MOST_SINGLE: usize = MOST_SAMPLES as usize;
/// How much the number of iterations grows while their cost isn't known yet.
const GROWTH: u64 = 10;
/// Fewest samples to stop at because the median is known: stopping at whatever few samples
/// happen to lie close would make the interval hold the median less often than it says.
pub const LEAST_SAMPLES: usize = 30;
/// How much shorter than asked for a sample shows that the iterations were chosen wrongly.
const MISJUDGED: f64 = 4.0;
/// Runs that tell how long one takes.
const LEAST_RUNS: usize = 3;
/// Samples among which a longer warm-up is looked for at the end.
const MOST_HEAD: usize = 75;
/// Part of the budget that warm-up may take.
const WARM_UP_BUDGET: f64 = 0.5;

/// How often something is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// As often as the budget allows.
    Budget,
    /// At least so often, whatever that takes.
    AtLeast(usize),
    /// So often: neither the budget nor what is found ends it, and nothing is left out as warm-up.
    Exactly(usize),
}

impl Count {
    /// Whether so many are enough where the budget is used up.
    pub(crate) fn allows(self, count: usize) -> bool {
        match self {
            Self::Budget => true,
            Self::AtLeast(least) | Self::Exactly(least) => count >= least,
        }
    }
}

/// What a benchmark is asked for.
///
/// **Units** nanoseconds; `precision_ratio` is half the interval's width over the median.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Smallest step of the clock.
    pub quantum_ns: f64,
    /// Time that all runs may take together, warm-up included.
    pub budget_ns: f64,
    /// How well the median is to be known.
    pub precision_ratio: f64,
    /// Samples to take.
    pub count: Count,
}

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Run so many iterations; that warm-up is over isn't known yet.
    WarmUp(u64),
    /// Run so many iterations as one sample.
    Sample(u64),
    /// Nothing more.
    Done(Ending),
}

/// Why a benchmark ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The median is known as well as was asked for.
    Precise,
    /// The time is used up.
    Budget,
    /// As many samples as were asked for.
    Count,
}

/// How long a sample took.
///
/// **Units** nanoseconds for all of its iterations.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Sample {
    iterations: u64,
    wall_ns: f64,
    cpu_ns: f64,
}

/// The plan of one benchmark.
#[derive(Debug, Clone)]
pub struct Plan {
    limits: Limits,
    iterations: u64,
    is_sized: bool,
    /// Fewest samples after warm-up, where every sample is a single run.
    single: Option<usize>,
    /// Runs whose only use was to learn the cost.
    estimates: usize,
    samples: Vec<Sample>,
    /// Samples at the start that belong to warm-up, once that is known.
    warmup: Option<usize>,
    was_cut: bool,
    look_at: usize,
    spent_ns: f64,
    /// What the next run's preparation took.
    aside_ns: f64,
    ending: Option<Ending>,
}

impl Plan {
    /// One that has not begun.
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

    /// One whose samples are single runs, for their percentiles: at least so many after warm-up, where the
    /// budget allows, and [`MOST_SINGLE`] at most.
    pub fn of_single_runs(limits: Limits, least: usize) -> Self {
        Self {
            is_sized: true,
            single: Some(least.min(MOST_SINGLE)),
            ..Self::new(limits)
        }
    }

    /// Iterations of the next run.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// From here on, a sample has so many iterations.
    pub(crate) fn set_iterations(&mut self, iterations: u64) {
        self.iterations = iterations;
    }

    /// About how long it takes, at most unless a number of samples is asked for; `None` while that
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

    /// Counts what preparing took as spent; the run that is told next was prepared by it.
    pub fn spend(&mut self, ns: f64) {
        self.spent_ns += ns.max(0.0);
        self.aside_ns += ns.max(0.0);
    }

    /// How long the last sample took; 0 before the first one.
    pub(crate) fn sample_ns(&self) -> f64 {
        self.samples.last().map_or(0.0, |sample| sample.wall_ns)
    }

    /// What to do next.
    pub fn next(&self) -> Next {
        match (self.ending, self.warmup) {
            (Some(ending), _) => Next::Done(ending),
            (None, Some(_)) => Next::Sample(self.iterations),
            (None, None) => Next::WarmUp(self.iterations),
        }
    }

    /// Takes in how long the iterations that [`Plan::next`] asked for took, by the wall clock and
    /// in CPU time of the process.
    pub fn told(&mut self, wall_ns: f64, cpu_ns: f64) {
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

    /// How many times as long a sample has to be: measured for so many quanta, and with what prepares
    /// it such a part of the budget.
    fn missing(&self, wall_ns: f64, aside_ns: f64) -> f64 {
        let by_clock = QUANTA * self.limits.quantum_ns / wall_ns;
        let by_budget = self.limits.budget_ns / MOST_SAMPLES / (wall_ns + aside_ns);
        by_clock.max(by_budget)
    }

    /// A long first call, such as one that imports or compiles, chose too few iterations.
    fn forget_size(&mut self) {
        self.is_sized = false;
        self.estimates += self.samples.len();
        self.samples.clear();
        self.look_at = warm_up::LEAST_STEPS;
    }

    /// Chooses the iterations of a sample. False if these were too few to be one.
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

    /// Looks for the end of warm-up: seldom, since every look goes through all samples.
    fn find_warmup(&mut self, is_over: bool) {
        let is_late = self.spent_ns >= WARM_UP_BUDGET * self.limits.budget_ns;
        let count = self.samples.len();
        // Of runs this long too few fit into the budget to tell warm-up from the rest.
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

    /// Whether the median is known well enough; asked of ever more samples.
    fn is_precise(&mut self) -> bool {
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

    /// Leaves out what turned out to be warm-up still, by all that came later; whether there was any.
    fn extend_warmup(&mut self) -> bool {
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

    /// How long every sample took, as if all had as many iterations as the next one.
    fn durations(&self, from: usize) -> Vec<u64> {
        let samples = self.samples[from..].iter();
        let scale = |sample: &Sample| self.iterations as f64 / sample.iterations as f64;
        samples
            .map(|sample| (sample.wall_ns * scale(sample)) as u64)
            .collect()
    }

    /// Nanoseconds for one iteration, of every sample after warm-up.
    fn per_iteration(&self) -> Vec<f64> {
        let samples = self.samples[self.warmup.unwrap_or(0)..].iter();
        samples
            .map(|sample| sample.wall_ns / sample.iterations as f64)
            .collect()
    }

    /// The figures so far; `None` before the first sample.
    pub fn outcome(&self) -> Option<Outcome> {
        outcome::of(self)
    }

    /// The figures of what came after so many samples, and after warm-up.
    pub(crate) fn outcome_since(&self, samples: usize) -> Option<Outcome> {
        let warmup = self.warmup.unwrap_or(0).max(samples);
        let later = Self {
            warmup: Some(warmup.min(self.samples.len())),
            ..self.clone()
        };
        later.outcome()
    }

    /// How many samples were taken.
    pub(crate) fn sample_count(&self) -> usize {
        self.samples.len()
    }
}

/// The next number of 1, 2, 5, 10, 20, …: a sample of 100 runs is easier to speak of than one of 83.
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
#[path = "tests/benchmark.rs"]
mod tests;
