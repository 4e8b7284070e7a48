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
    pub rank: u32,
    pub part: OwnPart,
}

/// Returns the ranks that stand out, by the parts in which they do.
pub fn suspects(blocks: &Blocks) -> BTreeSet<Suspect> {
    let each = |alpha: f64| alpha / OwnPart::COUNT as f64;
    let mut found = BTreeSet::new();
    for part in OwnPart::ALL {
        let mut ranks = standing::slow_ranks(blocks, part, each(ALWAYS));
        let long = long_steps::long_steps(blocks, part);
        ranks.extend(long_steps::often_slow(&long, each(SOMETIMES)));
        ranks.extend(long_steps::periodically_slow(&long, each(PERIODICALLY)));
        found.extend(ranks.into_iter().map(|rank| Suspect { rank, part }));
    }
    found
}
