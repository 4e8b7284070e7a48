//! Which rank holds the others up, since when, and why: from the steps of all ranks of a job.
//!
//! [`Block::of`] takes the rows of all ranks in a hundred steps and makes a small partial result of integers.
//! Partial results are merged in any order by [`Blocks`], of which [`Suspects`] are made.
//! What these cost and when they are slow needs their names first: a second pass over the rows.
//! Ranks are compared with their peers alone, that do the same work in the same step.

mod block;
mod block_groups;
mod diagnosis;
mod groups;
mod job;
mod limit;
mod long_steps;
mod outliers;
mod own_part;
mod pattern;
mod process_steps;
mod slow_part;
mod standing;
mod step_row;
mod step_sums;
mod suspect_steps;
mod suspects;
mod work;

pub use block::{BLOCK_STEPS, Block, BlockRank, Blocks, PartSum};
pub use block_groups::{BlockGroups, Group};
pub use diagnosis::Diagnosis;
pub use groups::Groups;
pub use job::{Basis, JobAnswer, MeanStep, RankSteps, answer};
pub use limit::{Limit, LimitResult, Limited};
pub use own_part::OwnPart;
pub use pattern::Pattern;
pub use process_steps::{ProcessStep, StepsPass};
pub use slow_part::SlowPart;
pub use step_row::StepRow;
pub use step_sums::{Share, StepSums};
pub use suspect_steps::{PartOfStep, SuspectSteps};
pub use suspects::{Suspect, Suspects};
pub use work::Work;

#[cfg(test)]
mod tests;
