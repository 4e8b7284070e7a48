//! From both passes: which ranks are slow, in what, since when, and what that costs.

use super::block::Blocks;
use super::pattern;
use super::suspect_steps::{PartOfStep, StepSums, SuspectSteps};
use super::suspects::{Suspect, Suspects};
use super::{Groups, SlowPart};
use std::collections::BTreeMap;

/// Answer to who holds the others up.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnosis {
    /// Parts of steps in which a rank is slower than its peers, the most costly first.
    pub slow: Vec<SlowPart>,
    /// Work of a rank that its peers don't do: saving, logging, evaluation.
    pub of_their_own: Vec<SlowPart>,
    /// Sums over all steps.
    pub sums: StepSums,
    /// How ranks share the work.
    pub groups: Groups,
}

impl Diagnosis {
    /// Puts the partial results of the second pass together, in whichever order they came.
    pub fn of(
        suspects: &Suspects,
        blocks: &Blocks,
        second: impl IntoIterator<Item = SuspectSteps>,
    ) -> Self {
        let by_number: BTreeMap<u64, SuspectSteps> =
            second.into_iter().map(|one| (one.number, one)).collect();
        let mut sums = StepSums::default();
        let mut steps: BTreeMap<Suspect, Vec<PartOfStep>> = BTreeMap::new();
        for one in by_number.into_values() {
            sums.add(&one.sums);
            for (suspect, parts) in one.parts {
                steps.entry(suspect).or_default().extend(parts);
            }
        }
        let all = steps.iter().filter_map(|(suspect, steps)| {
            let is_standing = suspects.standing.contains(suspect);
            slow_part(*suspect, steps, is_standing, blocks)
        });
        let (mut slow, of_their_own): (Vec<SlowPart>, Vec<SlowPart>) =
            all.partition(|one| one.part.is_shared_work());
        slow.sort_by_key(|one| std::cmp::Reverse(one.total_ns));
        Self {
            slow,
            of_their_own,
            sums,
            groups: Groups::of(blocks),
        }
    }

    /// Returns the share of the job's time for which slow ranks hold the others up.
    pub fn held_up_ratio(&self) -> f64 {
        let held_ns = self.sums.largest_ns - self.sums.cleared_ns;
        held_ns as f64 / self.sums.duration_ns.max(1) as f64
    }

    /// Returns the share of the job's time that goes to whoever happens to be last.
    pub fn jitter_ratio(&self) -> f64 {
        let late_ns = self.sums.cleared_ns - self.sums.typical_ns;
        late_ns as f64 / self.sums.duration_ns.max(1) as f64
    }
}

fn slow_part(
    suspect: Suspect,
    steps: &[PartOfStep],
    is_standing: bool,
    blocks: &Blocks,
) -> Option<SlowPart> {
    let (pattern, its) = pattern::of(suspect, steps, is_standing, blocks)?;
    let count = its.len().max(1) as i64;
    let total_ns = its.iter().map(|one| one.excess_ns).sum();
    Some(SlowPart {
        rank: suspect.rank,
        part: suspect.part,
        pattern,
        total_ns,
        excess_ns: total_ns / count,
        expected_ns: its.iter().map(|one| one.expected_ns).sum::<i64>() / count,
    })
}

impl StepSums {
    fn add(&mut self, other: &Self) {
        self.duration_ns += other.duration_ns;
        self.largest_ns += other.largest_ns;
        self.cleared_ns += other.cleared_ns;
        self.typical_ns += other.typical_ns;
    }
}
