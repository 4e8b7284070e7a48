//! Doubts about a steady state: what its steps did, and whether a busy machine is the reason.
//!
//! A step that loses a part of its time to others takes that much longer. Where this accounts for
//! most of a change, the machine is named as its reason. Where the thread got its CPU and the
//! change is there all the same, that is said too; where nothing was noted, nothing is claimed.

use std::ops::Range;

use crate::benchmark::warm_up::{Change, Later, WarmUp};
use crate::reading::first_steps::{Series, Step};
use crate::reading::process::Process;
use crate::reading::recorder_samples::CpuWait;
use crate::summary::doubt::{CpuLoss, CpuTaker, StepsDoubt, StepsReason};

/// From this part of the time on, being kept from the CPU makes numbers unreliable.
const BUSY_RATIO: f64 = 0.1;
/// Up to this part it is no reason for anything that is worth telling.
const LITTLE_RATIO: f64 = 0.02;
/// The part of a change that being kept from the CPU must account for to be its reason.
const MOSTLY: f64 = 0.5;

/// All that take CPU time.
const TAKERS: [CpuTaker; 2] = [CpuTaker::OtherThreads, CpuTaker::Host];

/// Returns the part of a time that somebody took; `None` where it isn't known.
fn taken_ratio(taker: CpuTaker, kept: CpuWait) -> Option<f64> {
    match taker {
        CpuTaker::OtherThreads => Some(kept.delayed_ratio),
        CpuTaker::Host => kept.stolen_ratio,
    }
}

/// Returns what was taken between two ticks from the thread that takes the steps; `None` where it isn't known.
fn taken(process: &Process, series: &Series, from: u64, to: u64) -> Option<CpuWait> {
    let mut tracks = process.features.tracks.0.iter();
    let thread = tracks.find(|track| track.track == series.track)?.thread;
    let ns_per_tick = process.facts.anchors.mean_ns_per_tick();
    process
        .features
        .recorder_samples
        .cpu_wait(thread, from, to, ns_per_tick)
}

/// Returns what was taken from it from a first step to the end.
pub fn since(process: &Process, series: &Series, first: Step) -> Option<CpuWait> {
    taken(
        process,
        series,
        first.start,
        process.spans.last_end.max(first.start),
    )
}

/// Finds what there is to doubt about the steps that are steady.
pub fn doubt(
    process: &Process,
    series: &Series,
    steps: &[Step],
    found: &WarmUp,
    noun: &str,
) -> Option<StepsDoubt> {
    let whole = since(process, series, steps[found.steps]);
    let Some(later) = &found.later else {
        return whole.and_then(|whole| unreliable(whole, noun));
    };
    let change = LargestChange::new(later, found.steps, steps.len());
    let [before, after] = [change.before.clone(), change.after.clone()].map(|part| {
        let last = steps[part.end - 1];
        let end = last.start.saturating_add(last.duration);
        taken(process, series, steps[part.start].start, end)
    });
    let numbered = match later {
        Later::Changes(changes) => Later::Changes(
            changes
                .iter()
                .map(|change| Change {
                    at: process.number(series, change.at, steps[change.at]) as usize,
                    ..*change
                })
                .collect(),
        ),
        trend @ Later::Trend(_) => trend.clone(),
    };
    let looked_at = steps.len() as u64;
    Some(StepsDoubt::Changed {
        later: numbered,
        noun: noun.to_owned(),
        looked_at_count: (series.count > looked_at).then_some(looked_at),
        reason: reason(change.ratio, whole, before.zip(after)),
    })
}

/// A change, and the steps before and after it that are held against each other.
struct LargestChange {
    ratio: f64,
    before: Range<usize>,
    after: Range<usize>,
}

impl LargestChange {
    /// Takes a trend from its first third to its last and, of several changes, the largest.
    fn new(later: &Later, first: usize, count: usize) -> Self {
        match later {
            Later::Trend(ratio) => {
                let third = (count - first) / 3;
                Self {
                    ratio: *ratio,
                    before: first..first + third,
                    after: count - third..count,
                }
            }
            Later::Changes(changes) => {
                let size = |change: &Change| (1.0 + change.ratio).ln().abs();
                let largest = (0..changes.len())
                    .max_by(|one, other| size(&changes[*one]).total_cmp(&size(&changes[*other])));
                let index = largest.unwrap_or_default();
                let at = |index: usize| changes.get(index).map_or(count, |change| change.at);
                Self {
                    ratio: changes.get(index).map_or(0.0, |change| change.ratio),
                    before: index.checked_sub(1).map_or(first, at)..at(index),
                    after: at(index)..at(index + 1),
                }
            }
        }
    }
}

/// Finds what took the CPU during the steps of warm-up, where that was much of their time.
pub fn of_warm_up(
    process: &Process,
    series: &Series,
    (first, steady): (Step, Step),
    noun: &str,
) -> Option<StepsDoubt> {
    let taken = taken(process, series, first.start, steady.start)?;
    most(taken).map(|loss| StepsDoubt::BusyWarmUp {
        loss,
        noun: noun.to_owned(),
    })
}

/// Finds a busy machine below a run without steady steps to tell it by, in the first measured process.
pub fn of_main(processes: &[Process], measured: &[usize]) -> Option<StepsDoubt> {
    let main = &processes[*measured.first()?];
    let ns_per_tick = main.facts.anchors.mean_ns_per_tick();
    unreliable(
        main.features.recorder_samples.first_cpu_wait(ns_per_tick)?,
        "",
    )
}

/// Finds a machine that was busy all the time.
fn unreliable(whole: CpuWait, noun: &str) -> Option<StepsDoubt> {
    most(whole).map(|loss| StepsDoubt::BusyMachine {
        loss,
        noun: noun.to_owned(),
    })
}

/// Returns who took the most, if that is enough to make numbers unreliable.
fn most(whole: CpuWait) -> Option<CpuLoss> {
    let each = TAKERS.into_iter().filter_map(|taker| {
        let ratio = taken_ratio(taker, whole)?;
        Some(CpuLoss { taker, ratio })
    });
    let busy = each.filter(|loss| loss.ratio >= BUSY_RATIO);
    busy.max_by(|one, other| one.ratio.total_cmp(&other.ratio))
}

/// Finds the reason of a change, as far as what was taken tells it: in all, and before and after.
fn reason(
    change_ratio: f64,
    whole: Option<CpuWait>,
    parts: Option<(CpuWait, CpuWait)>,
) -> StepsReason {
    let busier = parts.and_then(|(before, after)| {
        TAKERS.into_iter().find_map(|taker| {
            let before_ratio = taken_ratio(taker, before)?;
            let after_ratio = taken_ratio(taker, after)?;
            let is_reason = accounts_for(before_ratio, after_ratio, change_ratio);
            is_reason.then_some(StepsReason::BusyMachine {
                taker,
                before_ratio,
                after_ratio,
            })
        })
    });
    let partly = || whole.and_then(most).map(StepsReason::PartlyBusyMachine);
    let little = || {
        let whole = whole?;
        let most_ratio = whole.delayed_ratio.max(whole.stolen_ratio.unwrap_or(1.0));
        (most_ratio <= LITTLE_RATIO).then_some(StepsReason::NotTheCpu {
            delayed_ratio: whole.delayed_ratio,
        })
    };
    busier
        .or_else(partly)
        .or_else(little)
        .unwrap_or(StepsReason::NotKnown)
}

/// Whether steps that lose these parts of their time, before and after, change mostly by this ratio.
fn accounts_for(before: f64, after: f64, seen: f64) -> bool {
    let expected = (1.0 - before) / (1.0 - after).max(f64::EPSILON) - 1.0;
    expected / seen >= MOSTLY
}

#[cfg(test)]
#[path = "tests/busy_machine.rs"]
mod tests;
