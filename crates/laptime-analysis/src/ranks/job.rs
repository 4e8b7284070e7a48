//! Ranks of a job side by side: what their steps are compared by, and what comes of it.

use std::collections::BTreeMap;

use super::block::{Block, Blocks};
use super::{BLOCK_STEPS, Diagnosis, OwnPart, ProcessStep, StepRow, SuspectSteps, Suspects};

/// Steps of a rank, as its recording tells them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankSteps {
    /// Its number in the job.
    pub rank: u32,
    /// Process id.
    pub pid: u32,
    /// Steps in their order.
    pub steps: Vec<ProcessStep>,
    /// Whether the work of its steps is done by a device.
    pub uses_device: bool,
}

/// Ground that an answer rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// Exchanges are told: all the rest is a rank's own work.
    Exchanges,
    /// No exchange is told: backward and optimizer hold the wait for others, and data and forward are a rank's own.
    DataAndForward,
}

/// Answer of a job.
#[derive(Debug, Clone, PartialEq)]
pub struct JobAnswer {
    /// Ranks that were compared, in their order.
    pub ranks: Vec<u32>,
    /// Steps that all of them took.
    pub step_count: u64,
    /// Ground that it rests on.
    pub basis: Basis,
    /// Who holds the others up.
    pub diagnosis: Diagnosis,
}

/// Returns the answer of ranks that exchange something with each other. **Cost**: two passes over their steps.
pub fn answer(ranks: &[RankSteps]) -> JobAnswer {
    let basis = Basis::of(ranks);
    let step_count = ranks.iter().map(|rank| rank.steps.len()).min().unwrap_or(0) as u64;
    let rows = rows(ranks, basis, step_count);
    let mut blocks = Blocks::default();
    for (number, rows) in &rows {
        blocks.add(Block::of(*number, rows));
    }
    let suspects = Suspects::of(&blocks);
    let second = (rows.iter()).map(|(number, rows)| SuspectSteps::of(*number, rows, &suspects));
    let diagnosis = Diagnosis::of(&suspects, &blocks, second);
    JobAnswer {
        ranks: ranks.iter().map(|rank| rank.rank).collect(),
        step_count,
        basis,
        diagnosis,
    }
}

impl Basis {
    fn of(ranks: &[RankSteps]) -> Self {
        let is_told = |rank: &RankSteps| {
            !rank.uses_device && rank.steps.iter().any(|step| step.exchanged_ns > 0)
        };
        if ranks.iter().all(is_told) {
            Self::Exchanges
        } else {
            Self::DataAndForward
        }
    }

    /// Whether a part is a rank's own work.
    pub fn is_own(self, part: OwnPart) -> bool {
        match self {
            Self::Exchanges => true,
            Self::DataAndForward => matches!(part, OwnPart::Data | OwnPart::Forward),
        }
    }
}

/// Returns the steps that all ranks took, block by block.
fn rows(ranks: &[RankSteps], basis: Basis, step_count: u64) -> BTreeMap<u64, Vec<StepRow>> {
    let mut blocks: BTreeMap<u64, Vec<StepRow>> = BTreeMap::new();
    for rank in ranks {
        for (step, one) in (0..step_count).zip(&rank.steps) {
            let own = |part: OwnPart| {
                let is_own = basis.is_own(part);
                if is_own {
                    one.part_ns[part as usize]
                } else {
                    0
                }
            };
            let row = StepRow {
                rank: rank.rank,
                step,
                peers: one.work.peers(),
                own_ns: OwnPart::ALL.map(own),
                duration_ns: one.duration_ns,
            };
            blocks.entry(step / BLOCK_STEPS).or_default().push(row);
        }
    }
    blocks
}
