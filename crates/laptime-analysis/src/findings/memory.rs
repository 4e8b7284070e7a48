//! Memory that grows: what steps leave behind, with an interval, and which lap leaves it.

use super::Clues;
use super::keepers;
use super::steps::Steps;
use crate::summarize::memory_growth::Growth;
use crate::summarize::wall_time::OTHER;
use crate::summary::Summary;
use crate::summary::aside::is_aside;
use crate::summary::finding::Finding;
use crate::summary::span_row::SpanRow;

/// Fewest steps that tell growth from chance.
const LEAST_STEPS: u64 = 12;
/// Standard errors to either side of the 95 % interval of a mean.
const ERRORS: f64 = 1.96;
/// Less than this per step fills no memory.
const LEAST_PER_STEP: f64 = 1_024.0;
/// The part of what steps leave that must still be there at their end.
const STAYS_RATIO: f64 = 0.5;
/// A rise that is no line, such as a cache that fills once, has a wider interval than this part of it.
const SURE_RATIO: f64 = 0.2;
/// How fast memory must still grow at the end, as a part of how fast it grows in all.
const LATE_RATIO: f64 = 0.4;

/// What steps leave behind, inside of their laps and between them; the larger first.
///
/// Steps whose operations were counted, or that were profiled, are not asked: the first of all steps is among them,
/// which makes the optimizer's state and fills caches.
pub fn growth(summary: &Summary, clues: &Clues) -> [Option<Finding>; 2] {
    if Steps::of(summary).is_some_and(|steps| was_aside(steps.step)) {
        return [None, None];
    }
    let inside = growth_inside(summary, clues);
    let between = match clues.growth {
        Some(growth) => growth_between(summary, growth, inside.as_ref()),
        None => growth_of_lap(summary),
    };
    if left(inside.as_ref()) < left(between.as_ref()) {
        [between, inside]
    } else {
        [inside, between]
    }
}

/// What each step leaves, and half the width of the interval of that; nothing where nothing was found.
fn left(found: Option<&Finding>) -> (u64, u64) {
    match found {
        Some(Finding::MemoryGrowth {
            per_step_bytes,
            uncertainty_bytes,
            ..
        }) => (*per_step_bytes, *uncertainty_bytes),
        _ => (0, 0),
    }
}

/// What the steps of the steady state leave behind, if they surely do.
///
/// Caches that fill and lists that double leave memory in some steps: the interval of the mean is
/// wide then, and holds zero unless there is a trend.
///
/// What is freed between the steps, outside of their laps, is no growth: then the level of the process
/// doesn't rise or, where too little was noted to tell, never had that much.
fn growth_inside(summary: &Summary, clues: &Clues) -> Option<Finding> {
    let steps = Steps::of(summary)?;
    let kept = steps.step.memory.host_memory_kept_bytes?;
    let spread = steps.step.memory.host_memory_net_stddev_bytes? as f64;
    if steps.count < LEAST_STEPS {
        return None;
    }
    let per_step = kept as f64 / steps.count as f64;
    let alone = ERRORS * spread / (steps.count as f64).sqrt();
    // Steps that are alike for a while tell less than as many that are independent.
    let together = clues.inside.map_or(0.0, |inside| {
        per_step * inside.uncertainty / inside.bytes.abs().max(1.0)
    });
    let uncertainty = alone.max(together);
    if per_step < LEAST_PER_STEP || per_step <= uncertainty || !clues.inside.is_none_or(goes_on) {
        return None;
    }
    let stays = |bytes: i64| bytes as f64 >= STAYS_RATIO * kept as f64;
    if !clues
        .risen_bytes
        .map_or_else(|| was_there(summary, stays), stays)
    {
        return None;
    }
    let left = keepers::of(&steps, with_own(&steps), kept as f64);
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

/// The laps inside of steps, and the steps themselves: what they leave outside of these.
fn with_own<'s>(steps: &Steps<'s>) -> impl Iterator<Item = &'s SpanRow> {
    std::iter::once(steps.step).chain(steps.inside())
}

/// Laps beside the steps and around them.
fn beside<'s>(steps: &Steps<'s>) -> impl Iterator<Item = &'s SpanRow> {
    steps.outside().filter(|row| !was_aside(row))
}

/// Whether a lap was counted or profiled.
fn was_aside(row: &SpanRow) -> bool {
    row.names.iter().any(|name| is_aside(name))
}

/// Whether it still grows at the end: a buffer that is full does not.
fn goes_on(growth: Growth) -> bool {
    growth.late_ratio >= LATE_RATIO
}

/// Whether what steps left was there at all, where no level tells: the process had as much at its peak, or
/// nothing outside of the laps freed it. Its peak alone is too low where it also frees what is older.
fn was_there(summary: &Summary, is_enough: impl Fn(i64) -> bool) -> bool {
    let mut processes = summary.processes.iter();
    let main = processes.find(|process| process.is_measured);
    let peak_bytes = main.and_then(|main| main.host_memory_peak_bytes);
    let other = summary.rows.iter().find(|row| row.is_leftover(OTHER));
    let freed_bytes = other.and_then(|row| row.memory.host_memory_kept_bytes?.checked_neg());
    peak_bytes.is_none_or(|bytes| is_enough(bytes as i64)) || !freed_bytes.is_some_and(is_enough)
}

/// The same between the steps, outside of their laps: the level of the whole process rises by more than
/// what is found inside the steps.
fn growth_between(summary: &Summary, growth: Growth, inside: Option<&Finding>) -> Option<Finding> {
    let steps = Steps::of(summary)?;
    let (known, doubt) = left(inside);
    let of_each = |bytes: f64| bytes / steps.count as f64;
    let per_step = of_each(growth.bytes) - known as f64;
    let uncertainty = of_each(growth.uncertainty).hypot(doubt as f64);
    let is_sure = goes_on(growth)
        && per_step - uncertainty >= LEAST_PER_STEP
        && uncertainty <= SURE_RATIO * per_step;
    let kept = per_step * steps.count as f64;
    let left = keepers::of(&steps, beside(&steps), kept);
    is_sure.then(|| Finding::MemoryGrowth {
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

/// The same where too little was noted to tell a line: a lap beside the steps that leaves memory which
/// neither the steps nor the other laps free.
fn growth_of_lap(summary: &Summary) -> Option<Finding> {
    let steps = Steps::of(summary)?;
    let kept = |row: &SpanRow| row.memory.host_memory_kept_bytes.unwrap_or(0);
    let is_beside = |row: &&SpanRow| row.depth() == steps.step.depth();
    let beside_steps = || beside(&steps).filter(is_beside);
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
        && was_there(summary, stays);
    let left = keepers::of(&steps, beside(&steps), kept(lap) as f64);
    is_found.then(|| Finding::MemoryGrowth {
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

#[cfg(test)]
#[path = "tests/memory.rs"]
pub mod tests;
