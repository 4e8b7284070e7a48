//! Recordings of a job: of one machine, or of each.

use std::path::PathBuf;

use laptime_analysis::ranks::{JobAnswer, RankSteps, answer};
use laptime_reader::ReadError;
use thiserror::Error;

use crate::recorded::Recorded;

/// Recordings of one job.
#[derive(Debug, Clone)]
pub struct Job {
    /// Where they lie.
    pub recordings: Vec<PathBuf>,
    /// Whether what is intact of damaged ones is read.
    pub salvage: bool,
}

/// Reason for which there is no answer.
#[derive(Debug, Error)]
pub enum JobError {
    /// A recording can't be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// No process told its rank and took steps.
    #[error("no process of {} is a rank that takes steps", shown(.recordings))]
    NoRanks {
        /// Where they lie.
        recordings: Vec<PathBuf>,
    },
    /// Two recordings have a process of the same rank.
    #[error("rank {rank} is in {} and in {}", .first.display(), .second.display())]
    RankTwice {
        /// Its number.
        rank: u32,
        /// One of the recordings.
        first: PathBuf,
        /// The other one.
        second: PathBuf,
    },
}

impl JobError {
    /// Returns what can be done about it; `None` of a recording that can't be read, whose reader says it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Read(_) => None,
            Self::NoRanks { .. } => Some(
                "`laptime run torchrun …` records the ranks of a machine; a process tells its rank by RANK in its \
                 environment, or by torch.distributed"
                    .to_owned(),
            ),
            Self::RankTwice { .. } => {
                Some("name the recordings of one job alone: one, or one of each machine".to_owned())
            }
        }
    }
}

impl Job {
    /// Says who holds the others up, since when, and why.
    ///
    /// **Cost** two reads of each recording, and 120 B a step of a rank.
    ///
    /// **Errors** as [`JobError`] says.
    pub fn answer(&self) -> Result<JobAnswer, JobError> {
        let mut ranks: Vec<(RankSteps, &PathBuf)> = Vec::new();
        for path in &self.recordings {
            let recorded = Recorded {
                salvage: self.salvage,
                ..Recorded::new(path)
            };
            ranks.extend(recorded.rank_steps()?.into_iter().map(|rank| (rank, path)));
        }
        ranks.sort_by_key(|(rank, _)| rank.rank);
        let twice = ranks
            .windows(2)
            .find(|pair| pair[0].0.rank == pair[1].0.rank);
        if let Some([(rank, first), (_, second)]) = twice {
            return Err(JobError::RankTwice {
                rank: rank.rank,
                first: (*first).clone(),
                second: (*second).clone(),
            });
        }
        if ranks.is_empty() {
            let recordings = self.recordings.clone();
            return Err(JobError::NoRanks { recordings });
        }
        let ranks: Vec<RankSteps> = ranks.into_iter().map(|(rank, _)| rank).collect();
        Ok(answer(&ranks))
    }
}

fn shown(recordings: &[PathBuf]) -> String {
    let each: Vec<String> = recordings
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    each.join(", ")
}
