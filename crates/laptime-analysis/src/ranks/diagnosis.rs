//! From both passes: which ranks are slow, in what, since when, and what that costs.

use super::block::Blocks;
use super::pattern;
use super::suspect_steps::{PartOfStep, SuspectSteps};
use super::suspects::{Suspect, Suspects};
use super::{Groups, Share, SlowPart, StepSums};
use std::collections::BTreeMap;

/// Answer to who holds the others up.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnosis {
    /// Parts of steps in which a rank is slower than its peers, the most costly first.
    pub slow: Vec<SlowPart>,
    /// Work of a rank that its peers don't do: saving, logging, evaluation.
    pub of_their_own: Vec<SlowPart>,
    /// Time of all steps, the median of the ranks. **Units**: nanoseconds.
    pub duration_ns: i64,
    /// Share of it for which slow ranks hold the others up.
    pub held_up: Share,
    /// Share of it for which the others wait for what a rank does alone.
    pub alone: Share,
    /// Share of it that goes to whoever happens to be last.
    pub jitter: Share,
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
        let mut steps: BTreeMap<Suspect, Vec<PartOfStep>> = BTreeMap::new();
        let mut sums: Vec<StepSums> = Vec::new();
        for one in by_number.into_values() {
            sums.extend(one.sums);
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
            duration_ns: sums.iter().map(|one| one.duration_ns).sum(),
            held_up: Share::of(&sums, StepSums::held_up_ns),
            alone: Share::of(&sums, StepSums::alone_ns),
            jitter: Share::of(&sums, StepSums::jitter_ns),
            groups: Groups::of(blocks),
        }
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
