//! Processes that train side by side: which one is slower, in which part of a step.

use laptime_analysis::{RankDifference, RankName};

use crate::quantity::coarse;
use crate::sentences::rank_names;

/// Puts the difference between ranks into words.
pub fn in_words(difference: &RankDifference) -> String {
    match difference {
        RankDifference::Work {
            slow,
            fast,
            part,
            slow_ns,
            fast_ns,
            wait,
        } => {
            let part = part.as_deref().unwrap_or("code outside of phases");
            let took = format!(
                "its {part} takes {} per step where {} needs {}",
                coarse(*slow_ns),
                called(fast),
                coarse(*fast_ns),
            );
            match wait {
                Some(wait) => format!(
                    "{} holds the others up: {took}; they wait {} of each step in their {}",
                    called(slow),
                    coarse(wait.per_step_ns),
                    wait.part,
                ),
                None => format!("{} is slower: {took}", called(slow)),
            }
        }
        RankDifference::Step {
            slow,
            fast,
            slow_ns,
            fast_ns,
        } => format!(
            "{} is slower: its step takes {}, that of {} takes {}",
            called(slow),
            coarse(*slow_ns),
            called(fast),
            coarse(*fast_ns),
        ),
    }
}

fn called(name: &RankName) -> String {
    rank_names::called(name.pid, name.rank.as_deref())
}
