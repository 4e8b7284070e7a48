//! The result of a contest: each contender's figures, and a verdict for each pair.

use super::rounds::{Ending, LEAST_ROUNDS};
use crate::benchmark::outcome::{self, larger_ns};
use crate::benchmark::verdict::{Judged, Verdict};

/// About how many rounds take as long as warm-up.
const WARM_UP_ROUNDS: usize = 4;

/// Ratio of an interval's ends up to which a contest may end early: the ratio then has two digits.
const NARROW: f64 = 1.25;

/// The result of a contest.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Each contender's figures, the base first: those of whole rounds, once there is one.
    pub contenders: Vec<outcome::Outcome>,
    /// Each pair of contenders, those with the base first.
    pub pairs: Vec<Pair>,
    /// The base against itself, in the same rounds.
    pub control: Judged,
    /// The ratio by which the base differed from itself; absent before the first round.
    pub noise_ratio: Option<f64>,
    /// Rounds, in each of which every contender had one sample or two.
    pub rounds: usize,
    /// Time that all runs may take together, in nanoseconds.
    pub budget_ns: f64,
    /// Time that all runs took, in nanoseconds.
    pub spent_ns: f64,
    /// The reason why it ended; `None` while it runs.
    pub ending: Option<Ending>,
}

/// Two contenders.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// Index of the contender that the other is compared with.
    pub base: usize,
    /// Index of the other.
    pub new: usize,
    /// The verdict.
    pub judged: Judged,
}

impl Outcome {
    /// Returns a budget that may do where this one did not: several times as much, and enough for the first look.
    pub fn larger_budget_ns(&self) -> f64 {
        let each = self.contenders.iter().map(outcome::Outcome::sample_ns);
        let again = self.contenders.first().map(outcome::Outcome::sample_ns);
        // Warm-up takes as long as some rounds.
        let rounds = LEAST_ROUNDS + WARM_UP_ROUNDS;
        let needed_ns = each.chain(again).sum::<f64>() * rounds as f64;
        larger_ns(self.budget_ns.max(self.spent_ns), needed_ns)
    }

    /// Tells whether every contender has a verdict against the base, with a ratio that is known well enough to be told.
    pub(super) fn is_known(&self) -> bool {
        let against_base = self.pairs.iter().filter(|pair| pair.base == 0);
        self.is_clear()
            && against_base
                .map(|pair| pair.judged.spread())
                .all(|spread| spread <= NARROW)
    }

    /// Tells whether every contender has a verdict against the base.
    pub fn is_clear(&self) -> bool {
        let unclear = |pair: &Pair| {
            let verdict = pair.judged.verdict;
            matches!(verdict, Verdict::Inconclusive | Verdict::NotComparable)
        };
        !self
            .pairs
            .iter()
            .any(|pair| pair.base == 0 && unclear(pair))
    }
}
