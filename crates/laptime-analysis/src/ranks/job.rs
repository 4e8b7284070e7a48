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

/// Mean of a rank's steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeanStep {
    /// Its number in the job.
    pub rank: u32,
    /// Process id.
    pub pid: u32,
    /// From a step's start to the next one's. **Units**: nanoseconds.
    pub step_ns: i64,
    /// Time by part, without the exchanges that lie in it. **Units**: nanoseconds.
    pub part_ns: [i64; OwnPart::COUNT],
    /// Exchanges with other processes. **Units**: nanoseconds.
    pub exchanged_ns: i64,
}

/// Answer of a job.
#[derive(Debug, Clone, PartialEq)]
pub struct JobAnswer {
    /// Steps that all of them took.
    pub step_count: u64,
    /// Ground that it rests on.
    pub basis: Basis,
    /// Mean step of each rank, in the order of the ranks.
    pub means: Vec<MeanStep>,
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
        step_count,
        basis,
        means: ranks
            .iter()
            .map(|rank| MeanStep::of(rank, step_count))
            .collect(),
        diagnosis,
    }
}

impl MeanStep {
    fn of(rank: &RankSteps, step_count: u64) -> Self {
        let steps = rank.steps.iter().take(step_count as usize);
        let count = step_count.max(1) as i64;
        let mean = |ns: &dyn Fn(&ProcessStep) -> i64| steps.clone().map(ns).sum::<i64>() / count;
        Self {
            rank: rank.rank,
            pid: rank.pid,
            step_ns: mean(&|step| step.duration_ns),
            part_ns: OwnPart::ALL.map(|part| mean(&|step| step.part_ns[part as usize])),
            exchanged_ns: mean(&|step| step.exchanged_ns),
        }
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
