//! Ranks that do the same work: all of them, stages of a pipeline, or others in each step.

use std::collections::BTreeMap;

use super::block::Blocks;
use super::block_groups::Group;

/// Share of the steps in which ranks must be grouped alike for their groups to be told.
const MOSTLY: f64 = 0.95;

/// How ranks share the work of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Groups {
    /// Nothing is known: there was no step.
    Unknown,
    /// All ranks do the same.
    Alike,
    /// Stages of a pipeline, say: the same ranks always do the same. By their lowest rank.
    Fixed(Vec<Group>),
    /// Which ranks do the same changes from step to step: micro-batches, tokens of experts.
    Uneven {
        /// Steps of ranks that had enough peers to be compared.
        compared_rows: u64,
        /// Steps of ranks that had not.
        uncompared_rows: u64,
    },
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
