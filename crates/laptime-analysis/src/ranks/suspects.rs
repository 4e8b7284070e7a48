//! From the first pass over all steps: which ranks to look at, and in which part of a step.

use std::collections::BTreeSet;

use super::block::Blocks;
use super::{OwnPart, long_steps, standing};

/// Chance that a rank of a job is named where none is slow, for each way of being slow.
const ALWAYS: f64 = 0.001;
const SOMETIMES: f64 = 0.001;
const PERIODICALLY: f64 = 0.002;

/// A rank that stands out in a part of its steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Suspect {
    /// Number of the rank.
    pub rank: u32,
    /// The part of a step.
    pub part: OwnPart,
}

/// Ranks that stand out, by the parts in which they do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Suspects {
    /// Ranks that take longer in the median step, from some step on.
    pub(super) standing: BTreeSet<Suspect>,
    /// Ranks that take longer in some steps.
    pub(super) sometimes: BTreeSet<Suspect>,
}

impl Suspects {
    /// Returns those of a job.
    pub fn of(blocks: &Blocks) -> Self {
        let each = |alpha: f64| alpha / OwnPart::COUNT as f64;
        let mut found = Self::default();
        for part in OwnPart::ALL {
            let suspect = |rank| Suspect { rank, part };
            let standing = standing::slow_ranks(blocks, part, each(ALWAYS));
            found.standing.extend(standing.into_iter().map(suspect));
            let long = long_steps::long_steps(blocks, part);
            let often = long_steps::often_slow(&long, each(SOMETIMES));
            let in_order = long_steps::periodically_slow(&long, each(PERIODICALLY));
            found
                .sometimes
                .extend(often.into_iter().chain(in_order).map(suspect));
        }
        found
    }

    /// Tells whether it is one of them.
    pub fn contains(&self, suspect: Suspect) -> bool {
        self.standing.contains(&suspect) || self.sometimes.contains(&suspect)
    }
}
