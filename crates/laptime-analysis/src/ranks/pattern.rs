//! When a rank is slow: always, from a step on, every so many steps, or now and then.

use super::block::Blocks;
use super::long_steps;
use super::suspect_steps::PartOfStep;
use super::suspects::Suspect;

/// Fewest steps before a change.
const FEWEST: usize = 5;
/// Share of the steps in which a rank that is slow all the time takes at least half of what it usually takes too long.
const MOSTLY: f64 = 0.8;
/// Share of the values at either end that count as far off.
const FAR: f64 = 0.05;
/// Chance that steps without an order are said to have one: which of the two it is, where it is sure that there are
/// more of them than on the peers.
const ALPHA: f64 = 0.01;

/// Steps in which a part of a rank's step takes longer than its peers'.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// All of them.
    Always,
    /// All from this one on.
    From(u64),
    /// One in so many.
    Every {
        /// From one to the next.
        steps: u64,
        /// The first of them.
        first: u64,
    },
    /// Some without an order.
    Sometimes {
        /// How many they are.
        long: u64,
        /// How many were looked at.
        of: u64,
    },
}

impl Pattern {
    /// Returns its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::From(_) => "from",
            Self::Every { .. } => "every",
            Self::Sometimes { .. } => "sometimes",
        }
    }

    /// Returns the first of its steps; `None` where it is the job's first one, or without an order.
    pub fn first_step(self) -> Option<u64> {
        match self {
            Self::From(step) | Self::Every { first: step, .. } => Some(step),
            Self::Always | Self::Sometimes { .. } => None,
        }
    }

    /// Returns the steps from one to the next; `None` where they don't come in equal distances.
    pub fn period(self) -> Option<u64> {
        match self {
            Self::Every { steps, .. } => Some(steps),
            Self::Always | Self::From(_) | Self::Sometimes { .. } => None,
        }
    }

    /// Returns how many steps it is, of those without an order.
    pub fn long_step_count(self) -> Option<u64> {
        match self {
            Self::Sometimes { long, .. } => Some(long),
            Self::Always | Self::From(_) | Self::Every { .. } => None,
        }
    }
}

/// Returns when a suspect is slow, and the steps in which it is, of all steps in their order; `None` where a few steps
/// alone make it one.
pub fn of(
    suspect: Suspect,
    steps: &[PartOfStep],
    is_standing: bool,
    blocks: &Blocks,
) -> Option<(Pattern, Vec<PartOfStep>)> {
    let excess: Vec<f64> = steps.iter().map(|one| one.excess_ns as f64).collect();
    let from = start(&excess);
    if is_standing && is_constant(&excess[from..]) {
        let pattern = match from {
            0 => Pattern::Always,
            _ => Pattern::From(steps[from].step),
        };
        return Some((pattern, steps[from..].to_vec()));
    }
    let all = long_steps::long_steps(blocks, suspect.part);
    let long = all.get(&suspect.rank)?;
    if (long.steps.len() as u64) < long_steps::FEWEST {
        return None;
    }
    let those = |is_its: &dyn Fn(u64) -> bool| {
        let its = steps.iter().filter(|one| is_its(one.step));
        its.copied().collect()
    };
    Some(match long_steps::period(long, long.rate(), ALPHA) {
        Some((every, first)) => (
            Pattern::Every {
                steps: every,
                first,
            },
            those(&|step| step >= first && (step - first).is_multiple_of(every)),
        ),
        None => (
            Pattern::Sometimes {
                long: long.steps.len() as u64,
                of: long.of,
            },
            those(&|step| long.steps.binary_search(&step).is_ok()),
        ),
    })
}

/// Returns where a rank became slow, 0 if it was from the beginning.
fn start(excess: &[f64]) -> usize {
    let at = change(&clipped(excess));
    let (before, after) = excess.split_at(at);
    let is_new =
        before.len() >= FEWEST && after.len() >= FEWEST && median(before) < median(after) / 2.0;
    if is_new { at } else { 0 }
}

/// Tells whether most steps take longer than the peers', by what is usual for these.
fn is_constant(excess: &[f64]) -> bool {
    let usual = median(excess);
    let long = excess.iter().filter(|one| **one > usual / 2.0).count();
    usual > 0.0 && long as f64 >= MOSTLY * excess.len() as f64
}

/// Returns the values with the farthest at either end put nearer: one that is far off is no change.
fn clipped(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |share: f64| sorted.get((share * sorted.len() as f64) as usize).copied();
    let (Some(low), Some(high)) = (at(FAR), at(1.0 - FAR)) else {
        return values.to_vec();
    };
    values.iter().map(|value| value.clamp(low, high)).collect()
}

/// Returns where a series is best cut into two levels (least squares), 0 for none.
fn change(values: &[f64]) -> usize {
    let count = values.len() as f64;
    let total: f64 = values.iter().sum();
    let (mut sum, mut best, mut at) = (0.0, 0.0, 0);
    for (index, value) in values
        .iter()
        .enumerate()
        .take(values.len().saturating_sub(1))
    {
        sum += value;
        let (left, right) = (index as f64 + 1.0, count - index as f64 - 1.0);
        let gain = (sum / left - (total - sum) / right).powi(2) * left * right / count;
        if gain > best {
            (best, at) = (gain, index + 1);
        }
    }
    at
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}
