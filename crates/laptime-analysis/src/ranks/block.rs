//! Partial result of a hundred steps of all ranks: integers that merge in any order.
//!
//! Each row is held against the median of its peers in the same step, so that what makes a step longer on all ranks,
//! as longer sequences do, is no difference between them.

use std::collections::BTreeMap;

use super::block_groups::BlockGroups;
use super::{OwnPart, StepRow};

/// Steps of a block; a mask of its long steps has a bit for each.
pub const BLOCK_STEPS: u64 = 100;
/// Ranks that do the same work in a step, below which none of them is compared.
const FEWEST_PEERS: usize = 3;
/// Deviations, as the median of their distances tells them, from which on a step is long. Of Student's t with three
/// degrees of freedom, which has heavy tails, one value in 140 lies beyond.
const LONG_DEVIATIONS: f64 = 4.5;
/// Share of a step's own work from which on a part of a step is long.
const LONG_SHARE: f64 = 0.01;
/// Share of a block's steps in which a rank must have peers to be compared there.
const COMPARED: f64 = 0.25;
const BILLION: i128 = 1_000_000_000;
/// Factor from a median distance to the standard deviation of normal values.
const OF_NORMAL: f64 = 1.4826;

/// Part of a rank's steps in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PartSum {
    /// Own work. **Units**: nanoseconds.
    pub own_ns: i64,
    /// Peers' medians of the same steps. **Units**: nanoseconds.
    pub expected_ns: i64,
    /// Median of what each step's part takes above its peers' median. **Units**: billionths of that median.
    pub median_excess: i64,
    /// Steps that took far longer than those of the peers, a bit each from the block's first step on.
    pub long_steps: u128,
}

/// Rank in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockRank {
    /// Its number in the job.
    pub rank: u32,
    /// Its peers in the middle one of the steps.
    pub peers: u64,
    /// Steps in which it had enough peers.
    pub steps: u32,
    /// In the order of [`OwnPart::ALL`].
    pub parts: [PartSum; OwnPart::COUNT],
}

/// Partial result of the steps `100·number` up to the next hundred.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Its place among the blocks.
    pub number: u64,
    /// In the order of their numbers.
    pub ranks: Vec<BlockRank>,
    /// Rows of ranks that had too few peers in their step.
    pub uncompared_rows: u64,
    /// Which ranks do the same work.
    pub groups: BlockGroups,
}

/// Difference of a row from its peers, by part.
pub(super) struct Difference {
    pub(super) rank: u32,
    pub(super) step: u64,
    peers: u64,
    pub(super) own_ns: [i64; OwnPart::COUNT],
    pub(super) expected_ns: [i64; OwnPart::COUNT],
}

impl Block {
    /// Returns the partial result of a block's rows, in whichever order they come. **Cost**: linear, but for the
    /// medians of each step.
    pub fn of(number: u64, rows: &[StepRow]) -> Self {
        let (differences, uncompared_rows) = differences(rows);
        let mut by_rank: BTreeMap<u32, Vec<&Difference>> = BTreeMap::new();
        for one in &differences {
            by_rank.entry(one.rank).or_default().push(one);
        }
        let mut ranks: Vec<BlockRank> = by_rank
            .iter()
            .map(|(rank, steps)| BlockRank {
                rank: *rank,
                peers: steps[steps.len() / 2].peers,
                steps: steps.len() as u32,
                parts: OwnPart::ALL.map(|part| part_sum(steps, part as usize)),
            })
            .collect();
        for part in OwnPart::ALL.map(|part| part as usize) {
            let mut distances = Vec::with_capacity(differences.len());
            for (one, steps) in ranks.iter().zip(by_rank.values()) {
                let usual = one.parts[part].median_excess;
                distances.extend(
                    steps
                        .iter()
                        .filter_map(|step| Some((step.excess(part)? - usual).abs())),
                );
            }
            let long_from = (LONG_DEVIATIONS * OF_NORMAL * median(distances) as f64) as i64;
            for (one, steps) in ranks.iter_mut().zip(by_rank.values()) {
                one.parts[part].mark_long(steps, part, long_from);
            }
        }
        Self {
            number,
            ranks,
            uncompared_rows,
            groups: BlockGroups::of(rows),
        }
    }
}

/// Returns the rows that have enough peers beside these peers' medians, and how many have not.
pub(super) fn differences(rows: &[StepRow]) -> (Vec<Difference>, u64) {
    let mut rows: Vec<&StepRow> = rows.iter().collect();
    rows.sort_by_key(|row| (row.step, row.peers, row.rank));
    let mut differences = Vec::with_capacity(rows.len());
    let mut uncompared = 0;
    for peers in rows.chunk_by(|a, b| (a.step, a.peers) == (b.step, b.peers)) {
        if peers.len() < FEWEST_PEERS {
            uncompared += peers.len() as u64;
            continue;
        }
        let expected_ns = OwnPart::ALL
            .map(|part| median(peers.iter().map(|row| row.own_ns[part as usize]).collect()));
        differences.extend(peers.iter().map(|row| Difference {
            rank: row.rank,
            step: row.step,
            peers: row.peers,
            own_ns: row.own_ns,
            expected_ns,
        }));
    }
    (differences, uncompared)
}

impl Difference {
    /// Returns how much longer a part took than on the peers, in billionths; `None` where they don't have it.
    fn excess(&self, part: usize) -> Option<i64> {
        let expected_ns = self.expected_ns[part];
        let excess_ns = i128::from(self.own_ns[part] - expected_ns);
        (expected_ns > 0).then(|| (excess_ns * BILLION / i128::from(expected_ns)) as i64)
    }
}

fn part_sum(steps: &[&Difference], part: usize) -> PartSum {
    PartSum {
        own_ns: steps.iter().map(|one| one.own_ns[part]).sum(),
        expected_ns: steps.iter().map(|one| one.expected_ns[part]).sum(),
        median_excess: median(steps.iter().filter_map(|one| one.excess(part)).collect()),
        long_steps: 0,
    }
}

impl PartSum {
    /// Marks the steps that are longer by so many billionths than the rank's usual ones, and that by a part of a step
    /// that somebody notices.
    fn mark_long(&mut self, steps: &[&Difference], part: usize, long_from: i64) {
        for one in steps {
            let Some(excess) = one.excess(part) else {
                continue;
            };
            let above = excess - self.median_excess;
            let above_ns = above as f64 * one.expected_ns[part] as f64 / BILLION as f64;
            let step_ns: i64 = one.expected_ns.iter().sum();
            if above > long_from && above_ns > LONG_SHARE * step_ns as f64 {
                self.long_steps |= 1 << (one.step % BLOCK_STEPS);
            }
        }
    }
}

/// Returns the middle value, of an even count the mean of the two; 0 of none.
pub(super) fn median(mut values: Vec<i64>) -> i64 {
    if values.is_empty() {
        return 0;
    }
    let (middle, is_even) = (values.len() / 2, values.len().is_multiple_of(2));
    let (below, &mut upper, _) = values.select_nth_unstable(middle);
    match below.iter().max() {
        Some(lower) if is_even => lower.midpoint(upper),
        _ => upper,
    }
}

/// Blocks of a job, by their numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Blocks(BTreeMap<u64, Block>);

impl Blocks {
    /// Takes a block in. The order doesn't matter; a block that came twice counts once.
    pub fn add(&mut self, block: Block) {
        self.0.insert(block.number, block);
    }

    /// Returns the ranks of each block that were compared in enough of its steps: the others' peers are chance.
    pub(super) fn compared(block: &Block) -> impl Iterator<Item = &BlockRank> {
        let fewest = block.groups.all_steps as f64 * COMPARED;
        (block.ranks.iter()).filter(move |rank| f64::from(rank.steps) >= fewest)
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &Block> + Clone {
        self.0.values()
    }
}
