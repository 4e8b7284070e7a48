//! The plan of a contest: several contenders in turn, until it's clear which are faster.
//!
//! It has no clock and runs no program. A [`Plan`] finds iterations and warm-up of each
//! contender. After that they run in rounds: all in a random order, then in the reverse of it (ABBA for
//! two), so that a drift is the same for all. Where runs are so long that the budget ends before the
//! first look, a round has no second half. The base takes part twice; how much it differs from
//! itself is the noise floor. [`Contest::outcome`] has the verdicts.

use crate::benchmark::limits::{Count, Limits as Alone, Next as Turn};
use crate::benchmark::plan::Plan;
use crate::statistics::Random;

/// Rounds after which it is looked whether all is clear. There are few looks, ever farther apart: each has its
/// share of the errors that are allowed (Bonferroni's correction).
pub(super) const LOOKS: [usize; 8] = [8, 16, 32, 64, 128, 256, 512, 1_024];

/// The largest ratio of iterations at which contenders get equally many.
const LEVELLED: u64 = 10;

/// Limits of a contest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Smallest step of the clock, in nanoseconds.
    pub quantum_ns: f64,
    /// Time that all runs may take together, warm-up included, in nanoseconds.
    pub budget_ns: f64,
    /// Smallest difference that counts, as a part of the base.
    pub threshold_ratio: f64,
    /// Probability that an interval holds the true ratio, however often it was looked at.
    pub confidence: f64,
    /// Seed of the order in the rounds.
    pub seed: u64,
    /// The number of rounds to run.
    pub rounds: Count,
}

/// The fewest rounds that can have a verdict.
pub const LEAST_ROUNDS: usize = LOOKS[0];

/// The next thing to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Run so many iterations of this contender, and add their time.
    Run {
        /// Index of the contender; 0 is the base.
        contender: usize,
        /// Iterations to run.
        iterations: u64,
    },
    /// Do nothing more.
    Done(Ending),
}

/// The reason why a contest ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Every contender has a verdict against the base, and a ratio that is known well enough to be told.
    Clear,
    /// The time is used up.
    Budget,
    /// The rounds are as many as were asked for, or so many that more would tell little.
    Rounds,
}

/// The plan of one contest.
#[derive(Debug, Clone)]
pub struct Contest {
    pub(super) limits: Limits,
    random: Random,
    /// The plan of each contender.
    pub(super) plans: Vec<Plan>,
    /// Contenders that are to run in this round, the last one first. The index beyond the contenders is the base again.
    turns: Vec<usize>,
    /// Nanoseconds of an iteration in this round, by contender.
    round: Vec<Vec<f64>>,
    /// Nanoseconds of an iteration in each whole round, by contender.
    pub(super) rounds: Vec<Vec<Vec<f64>>>,
    /// Samples that each contender had before the first round.
    pub(super) alone: Vec<usize>,
    pub(super) spent_ns: f64,
    pub(super) ending: Option<Ending>,
}

impl Contest {
    /// Returns a contest of so many contenders that has not begun; the first is the base.
    pub fn new(contenders: usize, limits: Limits) -> Self {
        let alone = Alone {
            quantum_ns: limits.quantum_ns,
            budget_ns: limits.budget_ns / (contenders + 1) as f64,
            // Never reached: the rounds decide when it's enough.
            precision_ratio: 0.0,
            count: match limits.rounds {
                Count::AtLeast(_) => Count::Budget,
                other => other,
            },
        };
        let mut contest = Self {
            limits,
            random: Random::new(limits.seed),
            plans: vec![Plan::new(alone); contenders],
            turns: Vec::new(),
            round: vec![Vec::new(); contenders + 1],
            rounds: vec![Vec::new(); contenders + 1],
            alone: vec![0; contenders],
            spent_ns: 0.0,
            ending: (contenders == 0).then_some(Ending::Clear),
        };
        if contest.ending.is_none() && contest.cold().is_none() {
            contest.begin_round();
        }
        contest
    }

    /// Returns the next thing to do.
    pub fn next(&self) -> Next {
        if let Some(ending) = self.ending {
            return Next::Done(ending);
        }
        let contender = self.turn();
        Next::Run {
            contender,
            iterations: self.plans[contender].iterations(),
        }
    }

    /// Adds the time of the iterations that [`Contest::next`] asked for, by the wall clock and in
    /// CPU time of the process.
    pub fn add_run(&mut self, wall_ns: f64, cpu_ns: f64) {
        if self.ending.is_some() {
            return;
        }
        let contender = self.turn();
        let iterations = self.plans[contender].iterations() as f64;
        let was_cold = self.cold().is_some();
        self.plans[contender].add_run(wall_ns, cpu_ns);
        self.spent_ns += wall_ns.max(self.limits.quantum_ns);
        if !was_cold {
            let who = self.turns.pop().unwrap_or(contender);
            self.round[who].push(wall_ns / iterations);
            if self.turns.is_empty() {
                self.end_round();
            }
        }
        let is_counted = matches!(self.limits.rounds, Count::Exactly(_));
        let is_spent = !is_counted && self.spent_ns >= self.limits.budget_ns;
        if self.ending.is_none() && is_spent && self.limits.rounds.allows(self.rounds[0].len()) {
            self.ending = Some(Ending::Budget);
        }
        if self.turns.is_empty() && self.ending.is_none() && self.cold().is_none() {
            self.begin_round();
        }
    }

    /// Counts time of preparing as spent; it prepared the run that is added next.
    pub fn spend(&mut self, ns: f64) {
        self.spent_ns += ns.max(0.0);
        if self.ending.is_none() {
            let contender = self.turn();
            self.plans[contender].spend(ns);
        }
    }

    /// Estimates how long the contest takes, at least, if it goes on as until now; `None` while that isn't known.
    pub fn expected_ns(&self) -> Option<f64> {
        let is_known = self.plans.iter().all(|plan| plan.sample_ns() > 0.0);
        let least = match self.limits.rounds {
            Count::Budget => return Some(self.limits.budget_ns),
            Count::AtLeast(least) | Count::Exactly(least) => least,
        };
        let left = least.saturating_sub(self.rounds[0].len()) as f64;
        let begun: usize = self.round.iter().map(Vec::len).sum();
        let done = begun as f64 / self.round.len() as f64;
        let total_ns = self.spent_ns + (left - done).max(0.0) * self.round_ns();
        is_known.then(|| match self.limits.rounds {
            Count::Exactly(_) => total_ns,
            _ => total_ns.max(self.limits.budget_ns),
        })
    }

    /// Estimates how long a round without its second half takes.
    fn round_ns(&self) -> f64 {
        let each = (0..self.round.len()).map(|who| self.plans[who % self.plans.len()].sample_ns());
        each.sum()
    }

    /// Returns the contender whose turn it is.
    fn turn(&self) -> usize {
        let in_round = || self.turns.last().map_or(0, |who| who % self.plans.len());
        self.cold().unwrap_or_else(in_round)
    }

    /// Returns the first contender whose warm-up isn't over.
    fn cold(&self) -> Option<usize> {
        let is_cold = |plan: &Plan| matches!(plan.next(), Turn::WarmUp(_));
        self.plans.iter().position(is_cold)
    }

    /// Gives contenders that take about as long equally many runs in a sample: costs of a sample beside its
    /// runs, and costs that grow with every run, are then the same for all.
    fn level(&mut self) {
        let all = || self.plans.iter().map(Plan::iterations);
        let (least, most) = (all().min().unwrap_or(1), all().max().unwrap_or(1));
        if most <= least.saturating_mul(LEVELLED) {
            for plan in &mut self.plans {
                plan.set_iterations(most);
            }
        }
    }

    fn begin_round(&mut self) {
        if self.rounds[0].is_empty() {
            self.level();
            self.alone = self.plans.iter().map(Plan::sample_count).collect();
        }
        let mut order: Vec<usize> = (0..self.round.len()).collect();
        self.random.shuffle(&mut order);
        self.turns.clone_from(&order);
        if self.are_mirrored() {
            self.turns.extend(order.iter().rev());
        }
    }

    /// Tells whether the first look comes within the budget if rounds have their second half.
    fn are_mirrored(&self) -> bool {
        if matches!(self.limits.rounds, Count::Exactly(_)) {
            return false;
        }
        let left_ns = self.limits.budget_ns - self.spent_ns;
        let missing = LEAST_ROUNDS.saturating_sub(self.rounds[0].len());
        missing as f64 * 2.0 * self.round_ns() <= left_ns
    }

    fn end_round(&mut self) {
        for (rounds, round) in self.rounds.iter_mut().zip(&mut self.round) {
            rounds.push(std::mem::take(round));
        }
        let count = self.rounds[0].len();
        if let Count::Exactly(asked) = self.limits.rounds {
            self.ending = (count >= asked).then_some(Ending::Rounds);
        } else if LOOKS.contains(&count) && self.outcome().is_some_and(|outcome| outcome.is_known())
        {
            self.ending = Some(Ending::Clear);
        } else if LOOKS.last() == Some(&count) {
            self.ending = Some(Ending::Rounds);
        }
    }
}

#[cfg(test)]
#[path = "tests/rounds.rs"]
mod tests;
