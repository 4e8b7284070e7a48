//! Memory that grows: what steps leave behind, with an interval, and which lap leaves it.

use super::steps::Steps;
use crate::finding::{Finding, Keeper};
use crate::growth::Growth;
use crate::span_row::SpanRow;
use crate::summary::Summary;

/// Fewest steps that tell growth from chance.
const LEAST_STEPS: u64 = 12;
/// Standard errors to either side of the 95 % interval of a mean.
const ERRORS: f64 = 1.96;
/// Less than this per step fills no memory.
const LEAST_PER_STEP: f64 = 1_024.0;
/// A rise that is no line, such as a cache that fills once, has a wider interval than this part of it.
const SURE_RATIO: f64 = 0.2;
/// The part of what a lap leaves that a lap inside must leave to be named in its place.
const KEEPER_RATIO: f64 = 0.5;

/// What the steps of the steady state leave behind, if they surely do.
///
/// Caches that fill and lists that double leave memory in some steps: the interval of the mean is
/// wide then, and holds zero unless there is a trend.
pub fn growth(summary: &Summary) -> Option<Finding> {
    let steps = Steps::of(summary)?;
    let kept = steps.step.host_memory_kept_bytes?;
    let spread = steps.step.host_memory_net_stddev_bytes? as f64;
    if steps.count < LEAST_STEPS {
        return None;
    }
    let per_step = kept as f64 / steps.count as f64;
    let uncertainty = ERRORS * spread / (steps.count as f64).sqrt();
    if per_step < LEAST_PER_STEP || per_step <= uncertainty {
        return None;
    }
    Some(Finding::MemoryGrowth {
        path: steps.step.path.clone(),
        step_count: steps.count,
        per_step_bytes: per_step.round() as u64,
        uncertainty_bytes: uncertainty.round() as u64,
        kept_bytes: kept.unsigned_abs(),
        keeper: keeper(&steps, kept),
        between: false,
    })
}

/// The same between the steps, where no lap sees it: the level of the whole process rises.
pub fn growth_between(summary: &Summary, growth: Option<Growth>) -> Option<Finding> {
    let (steps, growth) = (Steps::of(summary)?, growth?);
    let of_each = |bytes: f64| bytes / steps.count as f64;
    let is_sure = of_each(growth.bytes - growth.uncertainty) >= LEAST_PER_STEP
        && growth.uncertainty <= SURE_RATIO * growth.bytes;
    is_sure.then(|| Finding::MemoryGrowth {
        path: steps.step.path.clone(),
        step_count: steps.count,
        per_step_bytes: of_each(growth.bytes).round() as u64,
        uncertainty_bytes: of_each(growth.uncertainty).round() as u64,
        kept_bytes: growth.bytes.round() as u64,
        keeper: None,
        between: true,
    })
}

/// A lap that leaves this multiple of what the steps leave holds what others free: gradients and
/// activations pass from phase to phase, and none of these is what keeps the rest.
const PASSING_RATIO: f64 = 2.0;

/// The innermost lap that leaves most of what the steps leave.
fn keeper(steps: &Steps<'_>, kept: i64) -> Option<Keeper> {
    let mut found: Option<&SpanRow> = None;
    let mut left = kept;
    loop {
        let names = found.map_or(&steps.step.names, |row| &row.names);
        let inside = steps.inside().filter(|row| row.is_child_of(names));
        let most = inside.max_by_key(|row| row.host_memory_kept_bytes.unwrap_or(0));
        let of_most = most.and_then(|row| row.host_memory_kept_bytes).unwrap_or(0);
        let ratio = of_most as f64 / left as f64;
        if !(KEEPER_RATIO..PASSING_RATIO).contains(&ratio) {
            let row = found?;
            return Some(Keeper {
                path: row.path.clone(),
                per_step_bytes: left.unsigned_abs() / steps.count,
            });
        }
        (found, left) = (most, of_most);
    }
}
