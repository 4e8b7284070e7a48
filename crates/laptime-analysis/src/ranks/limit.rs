//! Limits to what a job may lose, read as they are typed: `standing > 2 %`.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use super::{JobAnswer, Share};
use crate::compare::GateOutcome;

/// Loss that has a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limited {
    /// Time for which slow ranks hold the others up.
    Standing,
    /// Time that goes to whoever happens to be last.
    Jitter,
}

impl Limited {
    /// All of them, by the name that is typed.
    pub const NAMES: [(&'static str, Self); 2] =
        [("standing", Self::Standing), ("jitter", Self::Jitter)];

    fn share(self, job: &JobAnswer) -> Share {
        match self {
            Self::Standing => job.diagnosis.held_up,
            Self::Jitter => job.diagnosis.jitter,
        }
    }
}

/// Limit to a loss.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// The loss.
    pub of: Limited,
    /// The share of the job's time that it may take.
    pub ratio: f64,
    /// The limit as it was typed.
    typed: String,
}

/// Limit with its outcome.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LimitResult {
    /// The limit as it was typed.
    pub limit: String,
    /// Whether it is kept: exceeded only if the whole interval lies above it.
    pub outcome: GateOutcome,
}

impl Limit {
    /// Holds a job against it.
    pub fn hold(&self, job: &JobAnswer) -> LimitResult {
        let share = self.of.share(job);
        let outcome = match share.interval {
            _ if share.ratio == 0.0 => GateOutcome::Kept,
            Some((low, _)) if low > self.ratio => GateOutcome::Exceeded,
            Some((_, high)) if high <= self.ratio => GateOutcome::Kept,
            _ => GateOutcome::Unclear,
        };
        LimitResult {
            limit: self.typed.clone(),
            outcome,
        }
    }
}

impl FromStr for Limit {
    type Err = String;

    /// Reads a limit, such as `standing > 2 %`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |what: String| {
            format!("{what}: write LOSS > PERCENT, such as 'standing > 2 %' or 'jitter > 10 %'")
        };
        let parted = text.split_once('>');
        let (name, limit) = parted.ok_or_else(|| wrong("there is no >".to_owned()))?;
        let name = name.trim();
        let known = Limited::NAMES.iter().find(|(known, _)| *known == name);
        let (_, of) =
            known.ok_or_else(|| wrong(format!("{name:?} is neither standing nor jitter")))?;
        let number = limit.trim().strip_suffix('%').map(str::trim);
        let percent = number.and_then(|number| number.parse::<f64>().ok());
        let percent = percent.filter(|percent| (0.0..=100.0).contains(percent));
        let percent =
            percent.ok_or_else(|| wrong(format!("{:?} is no percentage", limit.trim())))?;
        Ok(Self {
            of: *of,
            ratio: percent / 100.0,
            typed: text.trim().to_owned(),
        })
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.typed)
    }
}
