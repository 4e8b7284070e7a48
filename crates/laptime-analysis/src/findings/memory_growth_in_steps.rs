//! Memory that each step leaves behind inside of its laps, with an interval, and which lap leaves it.

use super::evidence::Evidence;
use super::memory_keepers;
use super::repeated_steps::Steps;
use crate::summarize::memory_growth::Growth;
use crate::summarize::wall_time::OTHER;
use crate::summary::Summary;
use crate::summary::finding::Finding;
use crate::summary::instrumented_names::is_observed_unit;
use crate::summary::span_row::SpanRow;

/// The least number of steps that tell growth from chance.
pub const LEAST_STEPS: u64 = 12;
/// Standard errors to either side of the 95 % interval of a mean.
pub const ERRORS: f64 = 1.96;
/// The least number of bytes per step: less fills no memory.
pub const LEAST_PER_STEP: f64 = 1_024.0;
/// The part of what steps leave that must still be there at their end.
pub const STAYS_RATIO: f64 = 0.5;
/// The speed at which memory must still grow at the end, as a part of that in all.
const LATE_RATIO: f64 = 0.4;

/// Finds memory that steady steps surely leave behind.
///
/// Caches that fill and lists that double leave memory in some steps: the interval of the mean is
/// wide then, and holds zero unless there is a trend.
///
/// Memory that is freed between the steps, outside of their laps, is no growth: then the level of the process
/// doesn't rise or, where too little was noted to tell, never had that much.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let steps = uncounted_steps(evidence)?;
    let (summary, clues) = (evidence.summary, evidence.clues);
    let kept = steps.step.memory.host_memory_kept_bytes?;
    let spread = steps.step.memory.host_memory_net_stddev_bytes? as f64;
    if steps.count < LEAST_STEPS {
        return None;
    }
    let per_step = kept as f64 / steps.count as f64;
    let alone = ERRORS * spread / (steps.count as f64).sqrt();
    // Steps that are alike for a while tell less than as many that are independent.
    let together = clues.growth_in_steps.map_or(0.0, |inside| {
        per_step * inside.uncertainty / inside.bytes.abs().max(1.0)
    });
    let uncertainty = alone.max(together);
    if per_step < LEAST_PER_STEP
        || per_step <= uncertainty
        || !clues.growth_in_steps.is_none_or(is_going_on)
    {
        return None;
    }
    let stays = |bytes: i64| bytes as f64 >= STAYS_RATIO * kept as f64;
    if !clues
        .risen_bytes
        .map_or_else(|| was_there(summary, stays), stays)
    {
        return None;
    }
    let left = memory_keepers::among(&steps, with_step(&steps), kept as f64);
    Some(Finding::MemoryGrowth {
        path: steps.step.path.clone(),
        step_count: steps.count,
        per_step_bytes: per_step.round() as u64,
        uncertainty_bytes: uncertainty.round() as u64,
        kept_bytes: kept.unsigned_abs(),
        keepers: left.keepers,
        passing: left.passing,
        between: false,
    })
}

/// Returns the steps that leave memory as they do without Laptime.
///
/// Steps whose operations were counted, or that were profiled, are not asked: the first of all steps is among them,
/// which makes the optimizer's state and fills caches.
pub fn uncounted_steps<'s>(evidence: &Evidence<'s>) -> Option<Steps<'s>> {
    evidence.steps.filter(|steps| !was_aside(steps.step))
}

/// Returns the laps inside of steps, and the steps themselves, which leave memory outside of these.
fn with_step<'s>(steps: &Steps<'s>) -> impl Iterator<Item = &'s SpanRow> {
    std::iter::once(steps.step).chain(steps.inside())
}

/// Whether a lap was counted or profiled.
pub fn was_aside(row: &SpanRow) -> bool {
    row.names.iter().any(|name| is_observed_unit(name))
}

/// Whether memory still grows at the end: a buffer that is full does not.
pub fn is_going_on(growth: Growth) -> bool {
    growth.late_ratio >= LATE_RATIO
}

/// Whether what steps left was there at all, where no level tells: the process had as much at its peak, or
/// nothing outside of the laps freed it. Its peak alone is too low where it also frees what is older.
pub fn was_there(summary: &Summary, is_enough: impl Fn(i64) -> bool) -> bool {
    let mut processes = summary.processes.iter();
    let main = processes.find(|process| process.is_measured);
    let peak_bytes = main.and_then(|main| main.host_memory_peak_bytes);
    let other = summary.rows.iter().find(|row| row.is_leftover(OTHER));
    let freed_bytes = other.and_then(|row| row.memory.host_memory_kept_bytes?.checked_neg());
    peak_bytes.is_none_or(|bytes| is_enough(bytes as i64)) || !freed_bytes.is_some_and(is_enough)
}

#[cfg(test)]
#[path = "tests/memory_growth_in_steps.rs"]
pub mod tests;
