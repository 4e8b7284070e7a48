//! Partial result of the second pass over a block: what each suspect took above its peers, and what that cost the others.

use std::collections::BTreeMap;

use super::block::{Difference, differences};
use super::suspects::{Suspect, Suspects};
use super::{OwnPart, StepRow, StepSums};

/// A suspect's part in one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartOfStep {
    /// Number of the step.
    pub step: u64,
    /// Time above its peers' median. **Units**: nanoseconds.
    pub excess_ns: i64,
    /// The peers' median. **Units**: nanoseconds.
    pub expected_ns: i64,
}

/// Partial result of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuspectSteps {
    /// The block's place among the blocks.
    pub number: u64,
    /// Time of each suspect, in the order of the steps.
    pub parts: BTreeMap<Suspect, Vec<PartOfStep>>,
    /// Sums over the block's steps, [`SUM_STEPS`] at a time in their order.
    pub sums: Vec<StepSums>,
}

/// Steps of a sum. How much sums differ tells how sure they are.
const SUM_STEPS: u64 = 10;

impl SuspectSteps {
    /// Returns what the rows of a block tell of the suspects.
    pub fn of(number: u64, rows: &[StepRow], suspects: &Suspects) -> Self {
        let (differences, _) = differences(rows);
        let mut parts: BTreeMap<Suspect, Vec<PartOfStep>> = BTreeMap::new();
        let durations: BTreeMap<(u64, u32), i64> = rows
            .iter()
            .map(|row| ((row.step, row.rank), row.duration_ns))
            .collect();
        let mut by_step: BTreeMap<u64, Vec<&Difference>> = BTreeMap::new();
        for one in &differences {
            by_step.entry(one.step).or_default().push(one);
        }
        let mut sums: BTreeMap<u64, StepSums> = BTreeMap::new();
        for (step, ranks) in &by_step {
            let (mut largest_ns, mut without_slow_ns, mut without_any_ns) = (0, 0, 0);
            for one in ranks {
                let total_ns: i64 = one.own_ns.iter().sum();
                let (mut slower_ns, mut alone_ns) = (0, 0);
                for part in OwnPart::ALL {
                    let suspect = Suspect {
                        rank: one.rank,
                        part,
                    };
                    if !suspects.contains(suspect) {
                        continue;
                    }
                    let expected_ns = one.expected_ns[part as usize];
                    let excess_ns = one.own_ns[part as usize] - expected_ns;
                    if part.is_shared_work() {
                        slower_ns += excess_ns.max(0);
                    } else {
                        alone_ns += excess_ns.max(0);
                    }
                    let of_step = PartOfStep {
                        step: *step,
                        excess_ns,
                        expected_ns,
                    };
                    parts.entry(suspect).or_default().push(of_step);
                }
                largest_ns = total_ns.max(largest_ns);
                without_slow_ns = (total_ns - slower_ns).max(without_slow_ns);
                without_any_ns = (total_ns - slower_ns - alone_ns).max(without_any_ns);
            }
            let totals = ranks.iter().map(|one| one.own_ns.iter().sum());
            let durations = ranks
                .iter()
                .filter_map(|one| durations.get(&(*step, one.rank)));
            *sums.entry(step / SUM_STEPS).or_default() += StepSums {
                duration_ns: super::block::median(durations.copied().collect()),
                typical_ns: super::block::median(totals.collect()),
                largest_ns,
                without_slow_ns,
                without_any_ns,
            };
        }
        Self {
            number,
            parts,
            sums: sums.into_values().collect(),
        }
    }
}
