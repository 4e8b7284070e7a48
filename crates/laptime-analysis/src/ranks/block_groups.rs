//! Ranks that do the same work in the steps of a block.

use std::collections::BTreeMap;

use super::StepRow;

/// Ranks that do the same work in the same steps, and what these take them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Group {
    /// Numbers of the ranks, in their order.
    pub ranks: Vec<u32>,
    /// Number of their work, where it is the same in all steps.
    pub work: Option<u64>,
    /// Steps of these ranks.
    pub rows: u64,
    /// Own work in all of them. **Units**: nanoseconds.
    pub own_ns: i64,
    /// From their starts to the next ones'; what is no work of the rank's own is waiting. **Units**: nanoseconds.
    pub duration_ns: i64,
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
