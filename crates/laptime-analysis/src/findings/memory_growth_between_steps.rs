//! Memory that is left behind between the steps, outside of their laps, and which lap leaves it.

use super::evidence::Evidence;
use super::memory_growth_in_steps::{
    self, ERRORS, LEAST_PER_STEP, LEAST_STEPS, STAYS_RATIO, is_going_on, uncounted_steps,
    was_aside, was_there,
};
use super::memory_keepers;
use super::repeated_steps::Steps;
use crate::summarize::memory_growth::Growth;
use crate::summary::finding::Finding;
use crate::summary::span_row::SpanRow;

/// The widest interval, as a part of the growth: a rise that is no line, such as a cache that fills once, has a wider one.
const SURE_RATIO: f64 = 0.2;

/// Finds what is left between the steps: by the level of the process, where enough of it was noted, else by a lap.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let steps = uncounted_steps(evidence)?;
    match evidence.clues.level_growth {
        Some(growth) => by_level(evidence, &steps, growth),
        None => by_lap(evidence, &steps),
    }
}

/// Returns what each step leaves inside of its laps, and half the width of the interval of that; 0 where that is no
/// finding.
fn left_in_steps(evidence: &Evidence<'_>) -> (u64, u64) {
    match memory_growth_in_steps::find(evidence) {
        Some(Finding::MemoryGrowth {
            per_step_bytes,
            uncertainty_bytes,
            ..
        }) => (per_step_bytes, uncertainty_bytes),
        _ => (0, 0),
    }
}

/// Returns the laps beside the steps and around them.
fn laps_beside<'s>(steps: &Steps<'s>) -> impl Iterator<Item = &'s SpanRow> {
    steps.outside().filter(|row| !was_aside(row))
}

/// Finds a level of the whole process that rises by more than what is found inside the steps.
fn by_level(evidence: &Evidence<'_>, steps: &Steps<'_>, growth: Growth) -> Option<Finding> {
    let (known, doubt) = left_in_steps(evidence);
    let of_each = |bytes: f64| bytes / steps.count as f64;
    let per_step = of_each(growth.bytes) - known as f64;
    let uncertainty = of_each(growth.uncertainty).hypot(doubt as f64);
    let is_sure = is_going_on(growth)
        && per_step - uncertainty >= LEAST_PER_STEP
        && uncertainty <= SURE_RATIO * per_step;
    let kept = per_step * steps.count as f64;
    if !is_sure {
        return None;
    }
    let left = memory_keepers::among(steps, laps_beside(steps), kept);
    Some(Finding::MemoryGrowth {
        path: steps.step.path.clone(),
        step_count: steps.count,
        per_step_bytes: per_step.round() as u64,
        uncertainty_bytes: uncertainty.round() as u64,
        kept_bytes: kept.round() as u64,
        keepers: left.keepers,
        passing: left.passing,
        between: true,
    })
}

/// Finds a lap beside the steps that leaves memory which neither the steps nor the other laps free.
fn by_lap(evidence: &Evidence<'_>, steps: &Steps<'_>) -> Option<Finding> {
    let kept = |row: &SpanRow| row.memory.host_memory_kept_bytes.unwrap_or(0);
    let is_beside = |row: &&SpanRow| row.depth() == steps.step.depth();
    let beside_steps = || laps_beside(steps).filter(is_beside);
    let lap = beside_steps().max_by_key(|row| kept(row))?;
    let (count, spread) = (
        lap.count? as f64,
        lap.memory.host_memory_net_stddev_bytes? as f64,
    );
    let each = kept(lap) as f64 / count;
    let uncertainty = ERRORS * spread / count.sqrt();
    let of_each_step = count / steps.count as f64;
    let all = beside_steps()
        .map(kept)
        .fold(kept(steps.step), i64::saturating_add);
    let stays = |bytes: i64| bytes as f64 >= STAYS_RATIO * kept(lap) as f64;
    let is_found = steps.count >= LEAST_STEPS
        && each * of_each_step >= LEAST_PER_STEP
        && each > uncertainty
        && stays(all)
        && was_there(evidence.summary, stays);
    if !is_found {
        return None;
    }
    let left = memory_keepers::among(steps, laps_beside(steps), kept(lap) as f64);
    Some(Finding::MemoryGrowth {
        path: steps.step.path.clone(),
        step_count: steps.count,
        per_step_bytes: (each * of_each_step).round() as u64,
        uncertainty_bytes: (uncertainty * of_each_step).round() as u64,
        kept_bytes: kept(lap).unsigned_abs(),
        keepers: left.keepers,
        passing: left.passing,
        between: true,
    })
}
