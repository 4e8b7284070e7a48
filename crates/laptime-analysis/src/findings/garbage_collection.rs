//! Garbage collections that take much of the steps or, where there are none, of the run.
//!
//! Python begins them wherever objects are made, and each looks at many that live: which function they fall on is
//! chance, so no other finding tells of them.

use laptime_core::Total;

use super::evidence::Evidence;
use super::main_function::is_path_inside;
use crate::summary::finding::Finding;
use crate::summary::functions::{Functions, LapFunctions, OTHER_PROCESSES, collected_in};
use crate::summary::span_row::RowKind;

/// The least share that collections take of the time.
const LEAST_RATIO: f64 = 0.1;
/// The share that they surely take, by the number of samples.
const SURE_RATIO: f64 = 0.05;
/// The least time that they take: less bothers nobody.
const LEAST_NS: u64 = 500_000_000;

/// Finds collections that take much of the steps, else of the run.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let summary = evidence.summary;
    let laps = &summary.functions.as_ref()?.laps;
    let in_steps = evidence.steps.and_then(|steps| {
        let path = &steps.step.path;
        let is_inside =
            |lap: &&LapFunctions| lap.kind == RowKind::Span && is_path_inside(&lap.path, path);
        let all_ns = summary.row(path)?.total_ns;
        collected(laps.iter().filter(is_inside), Some(path), all_ns)
    });
    // What other processes collect is no time of the measured ones.
    let is_measured =
        |lap: &&LapFunctions| lap.kind == RowKind::Span || lap.path != OTHER_PROCESSES;
    in_steps.or_else(|| {
        let measured = laps.iter().filter(is_measured);
        collected(measured, None, summary.measured_ns)
    })
}

/// Returns the collections in some laps, if they take much of so much time.
fn collected<'f>(
    laps: impl Iterator<Item = &'f LapFunctions>,
    path: Option<&String>,
    during_ns: u64,
) -> Option<Finding> {
    let laps: Vec<&LapFunctions> = laps.collect();
    let total_ns = laps.iter().map(|lap| lap.collected_ns()).total();
    let samples = laps.iter().map(|lap| lap.sample_count).total();
    let ratio = total_ns as f64 / during_ns.max(1) as f64;
    let surely = ratio - Functions::uncertainty(ratio, samples);
    let is_much = total_ns >= LEAST_NS && ratio >= LEAST_RATIO && surely >= SURE_RATIO;
    (is_much && total_ns <= during_ns).then(|| Finding::GarbageCollection {
        path: path.cloned(),
        total_ns,
        during_ns,
        place: collected_in(laps),
    })
}

#[cfg(test)]
#[path = "tests/garbage_collection.rs"]
mod tests;
