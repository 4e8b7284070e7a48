//! Ranks that do the same work: all of them, stages of a pipeline, or others in each step.

use std::collections::BTreeMap;

use super::block::Blocks;
use super::{OwnPart, StepRow};

/// Share of the steps in which ranks must be grouped alike for their groups to be told.
const MOSTLY: f64 = 0.95;

/// Ranks that do the same work in the same steps, and what these take them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Group {
    /// Numbers of the ranks, in their order.
    pub ranks: Vec<u32>,
    /// What they do, where it is the same in all steps.
    pub work: Option<u64>,
    /// Steps of these ranks.
    pub rows: u64,
    /// Own work in all of them. **Units**: nanoseconds.
    pub own_ns: i64,
    /// From their starts to the next ones'; what is no work of the rank's own is waiting. **Units**: nanoseconds.
    pub duration_ns: i64,
}

/// How ranks share the work of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Groups {
    /// Nothing is known: there was no step.
    Unknown,
    /// All ranks do the same.
    Alike,
    /// The same ranks always do the same: stages of a pipeline, say. By their lowest rank.
    Fixed(Vec<Group>),
    /// Which ranks do the same changes from step to step: micro-batches, tokens of experts.
    Uneven {
        /// Steps of ranks that had enough peers to be compared.
        compared_rows: u64,
        /// Steps of ranks that had not.
        uncompared_rows: u64,
    },
}

/// The way in which ranks are grouped in most steps of a block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BlockGroups {
    /// The groups of these steps, by their lowest rank.
    pub most: Vec<Group>,
    /// Steps that are grouped like this.
    pub steps: u64,
    /// Steps in which all ranks that took them did the same.
    pub alike_steps: u64,
    /// All steps.
    pub all_steps: u64,
}

impl BlockGroups {
    /// Returns those of a block's rows.
    pub(super) fn of(rows: &[StepRow]) -> Self {
        let mut by_step: BTreeMap<u64, Vec<&StepRow>> = BTreeMap::new();
        for row in rows {
            by_step.entry(row.step).or_default().push(row);
        }
        let mut ways: BTreeMap<Vec<Vec<u32>>, Vec<&Vec<&StepRow>>> = BTreeMap::new();
        for rows in by_step.values() {
            ways.entry(grouped(rows)).or_default().push(rows);
        }
        let all_steps = by_step.len() as u64;
        let alike = (ways.iter()).filter(|(groups, _)| groups.len() == 1);
        let alike_steps = alike.map(|(_, steps)| steps.len() as u64).sum();
        // Of those in as many steps, the one with the lowest ranks first: blocks are the same on every machine.
        let most = ways.into_iter().rev().max_by_key(|(_, steps)| steps.len());
        let Some((groups, its)) = most else {
            return Self::default();
        };
        let its_steps = its.len() as u64;
        let mut most: Vec<Group> = groups
            .into_iter()
            .map(|ranks| Group {
                ranks,
                ..Group::default()
            })
            .collect();
        for row in its.into_iter().flatten() {
            if let Some(group) = most
                .iter_mut()
                .find(|group| group.ranks.binary_search(&row.rank).is_ok())
            {
                group.work = match group.rows {
                    0 => Some(row.peers),
                    _ => group.work.filter(|work| *work == row.peers),
                };
                group.rows += 1;
                group.own_ns += row.total_ns();
                group.duration_ns += row.duration_ns;
            }
        }
        Self {
            most,
            steps: its_steps,
            alike_steps,
            all_steps,
        }
    }
}

/// Returns which ranks do the same in a step, by their lowest rank.
fn grouped(rows: &[&StepRow]) -> Vec<Vec<u32>> {
    let mut by_peers: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for row in rows {
        by_peers.entry(row.peers).or_default().push(row.rank);
    }
    let mut groups: Vec<Vec<u32>> = by_peers.into_values().collect();
    for group in &mut groups {
        group.sort_unstable();
    }
    groups.sort();
    groups
}

impl Groups {
    /// Returns how the ranks of a job share its work.
    pub fn of(blocks: &Blocks) -> Self {
        let mut ways: BTreeMap<Vec<&[u32]>, (u64, Vec<Group>)> = BTreeMap::new();
        let (mut all_steps, mut alike_steps) = (0, 0);
        let (mut compared_rows, mut uncompared_rows) = (0, 0);
        for block in blocks.iter() {
            let groups = &block.groups;
            all_steps += groups.all_steps;
            alike_steps += groups.alike_steps;
            compared_rows += (block.ranks.iter())
                .map(|rank| u64::from(rank.steps))
                .sum::<u64>();
            uncompared_rows += block.uncompared_rows;
            let way = groups.most.iter().map(|group| &group.ranks[..]).collect();
            let (steps, sums) = ways.entry(way).or_default();
            *steps += groups.steps;
            if sums.is_empty() {
                sums.clone_from(&groups.most);
                continue;
            }
            for (sum, group) in sums.iter_mut().zip(&groups.most) {
                sum.work = sum.work.filter(|work| group.work == Some(*work));
                sum.rows += group.rows;
                sum.own_ns += group.own_ns;
                sum.duration_ns += group.duration_ns;
            }
        }
        if all_steps == 0 {
            return Self::Unknown;
        }
        let is_most = |steps: u64| steps as f64 >= MOSTLY * all_steps as f64;
        if is_most(alike_steps) {
            return Self::Alike;
        }
        match ways.into_values().max_by_key(|(steps, _)| *steps) {
            Some((steps, groups)) if is_most(steps) && !are_each_other(&groups) => {
                Self::Fixed(groups)
            }
            _ => Self::Uneven {
                compared_rows,
                uncompared_rows,
            },
        }
    }
}

/// Whether each rank does something else, and that in each step: no group is anything but a rank.
fn are_each_other(groups: &[Group]) -> bool {
    (groups.iter()).all(|group| group.ranks.len() == 1 && group.work.is_none())
}

impl Group {
    /// Returns the own work of a rank of the group in a step. **Units**: nanoseconds.
    pub fn own_per_step_ns(&self) -> i64 {
        self.own_ns / (self.rows.max(1) as i64)
    }

    /// Returns the time of a step in which a rank of the group waits for others. **Units**: nanoseconds.
    pub fn wait_per_step_ns(&self) -> i64 {
        (self.duration_ns - self.own_ns) / (self.rows.max(1) as i64)
    }
}

/// What a rank does in a step, of which its peers are told: the same number for the same work, on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work(u64);

impl Work {
    /// Nothing yet.
    pub const NONE: Self = Self(0xcbf2_9ce4_8422_2325);

    /// A phase of the step begins. One that goes on is the same.
    #[must_use]
    pub fn phase(self, part: OwnPart) -> Self {
        self.with(&[1, part as u8])
    }

    /// A collective is entered: its kind, the ranks of its group, and its bytes where they are told.
    #[must_use]
    pub fn collective(self, kind: &str, group: &[u32], bytes: Option<u64>) -> Self {
        let mut work = self.with(&[2]).with(kind.as_bytes());
        // The size alone: each replica's group has other ranks, and does the same.
        work = work.with(&(group.len() as u64).to_le_bytes());
        match bytes {
            Some(bytes) => work.with(&[1]).with(&bytes.to_le_bytes()),
            None => work.with(&[0]),
        }
    }

    /// Returns the number of the peers that do this.
    pub fn peers(self) -> u64 {
        self.0
    }

    /// FNV-1a, which is the same everywhere.
    fn with(self, bytes: &[u8]) -> Self {
        Self(bytes.iter().fold(self.0, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
        }))
    }
}
