//! A step: how long it takes, and what it is made of.

use laptime_core::Total;

use super::compiling::CompilingRows;
use super::largest_parts::{REST_RATIO, largest};
use crate::summarize::device_steps;
use crate::summary::Summary;
use crate::summary::headline::{
    Iteration, LargestParts, LongWarmUp, Part, PartName, StepDuration, StepHeadline,
};
use crate::summary::span_row::SpanRow;

/// From this distance from the median on, as a part of it, the mean says something else.
const FAR_RATIO: f64 = 0.1;

/// Most steps that may be cut off, such as the last one by the program's end: others would lie between steps.
const MOST_CUT_OFF: u64 = 1;

/// Returns what a step is, of the steady state where there is one and its table is shown; otherwise of the whole run.
/// Where a device does the work, it tells both times and parts.
pub fn step(summary: &Summary, with_steady: bool) -> Option<StepHeadline> {
    let steady = summary.steady.as_ref().filter(|_| with_steady);
    let (on_host, rows) = if with_steady {
        summary.repeated()?
    } else {
        summary.repeated_in_all()?
    };
    let by_device = device_steps::by_device(on_host, rows);
    let (duration, row, rows) = match by_device.as_deref() {
        Some(rows @ [on_device, ..]) => (device_duration(on_device, on_host)?, on_device, rows),
        _ => (host_duration(on_host)?, on_host, rows),
    };
    let iteration = steady
        .filter(|_| !summary.is_notebook() && on_host.partial_count <= MOST_CUT_OFF)
        .and_then(|steady| iteration(steady.between_steps_ns?, duration));
    let step_part = iteration.map_or(1.0, |iteration| 1.0 - iteration.between_ratio);
    let ratio = |ns: u64| step_part * ns as f64 / row.total_ns.max(1) as f64;
    let parts = parts(row, rows, ratio);
    let outside_ratio = ratio(row.self_ns);
    let has_parts = !parts.named.is_empty();
    Some(StepHeadline {
        path: row.path.clone(),
        is_steady: steady.is_some(),
        is_after_warm_up: steady.is_some_and(|steady| steady.skipped_count > 0),
        long_warm_up: steady
            .filter(|steady| steady.skipped_count > 0 && steady.skipped_ns >= on_host.total_ns)
            .map(|steady| LongWarmUp {
                count: steady.skipped_count,
                total_ns: steady.skipped_ns,
            }),
        duration,
        iteration,
        parts,
        outside_ratio: (has_parts && outside_ratio >= REST_RATIO).then_some(outside_ratio),
    })
}

/// Returns what passes from a step to the next, where that is more than the step. A device works on between the host's
/// steps: then the host's gaps are no pause.
fn iteration(between_ns: u64, step: StepDuration) -> Option<Iteration> {
    let StepDuration::OnHost {
        mean_ns,
        has_device_times: false,
        ..
    } = step
    else {
        return None;
    };
    let all_ns = mean_ns.saturating_add(between_ns);
    let between_ratio = between_ns as f64 / all_ns.max(1) as f64;
    (between_ratio >= REST_RATIO).then_some(Iteration {
        mean_ns: all_ns,
        between_ratio,
    })
}

/// Returns the largest parts of a step, compiling by itself.
fn parts(step: &SpanRow, rows: &[SpanRow], ratio: impl Fn(u64) -> f64) -> LargestParts {
    let mut parts: Vec<Part> = Vec::new();
    let mut compiled_ns = 0_u64;
    let compiling = CompilingRows::among(rows);
    for child in rows.iter().filter(|row| row.is_child_of(&step.names)) {
        // What ran beside the step is no part of it: a timer's segments may all be of the same time.
        let inside_ns = child.total_ns - child.apart_ns.min(child.total_ns);
        let all_ns: u64 = compiling.inside(child).map(|row| row.total_ns).total();
        let compiled_inside_ns = all_ns.min(inside_ns);
        compiled_ns = compiled_ns.saturating_add(compiled_inside_ns);
        if inside_ns > compiled_inside_ns {
            let name = child.names.last().cloned().unwrap_or_default();
            let ns = inside_ns - compiled_inside_ns;
            parts.push(Part::new(PartName::Lap(name), ratio(ns)));
        }
    }
    if compiled_ns > 0 {
        parts.push(Part::new(PartName::Compiling, ratio(compiled_ns)));
    }
    largest(parts)
}

/// Returns how long a step takes on its device, on average, and on the host where that is another time.
fn device_duration(on_device: &SpanRow, on_host: &SpanRow) -> Option<StepDuration> {
    let (mean_ns, host_ns) = (on_device.mean_ns?, on_host.mean_ns?);
    let is_far = mean_ns.abs_diff(host_ns) as f64 >= FAR_RATIO * mean_ns as f64;
    Some(StepDuration::OnDevice {
        mean_ns,
        host_ns: is_far.then_some(host_ns),
    })
}

/// Returns how long a step takes on average, of which its parts are shares, and the median where that says something else.
fn host_duration(row: &SpanRow) -> Option<StepDuration> {
    let (mean_ns, median_ns) = (row.mean_ns?, row.p50_ns);
    let is_far =
        |median_ns: &u64| mean_ns.abs_diff(*median_ns) as f64 >= FAR_RATIO * *median_ns as f64;
    Some(StepDuration::OnHost {
        mean_ns,
        median_ns: median_ns.filter(is_far),
        // What a device told of too few is in the table, and is not this.
        has_device_times: row.device.device_ns.is_some(),
    })
}
