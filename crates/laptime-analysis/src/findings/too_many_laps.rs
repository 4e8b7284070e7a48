//! Laps that are so many and so short that recording them takes time of its own.

use super::evidence::Evidence;
use crate::summary::WallSource;
use crate::summary::finding::Finding;

/// The estimated cost of a lap. One in Python takes 40 to 50 ns on the machines that `make bench` ran on, one in Rust half
/// of it; a recording doesn't say.
const LAP_NS: u64 = 50;
/// The least share of the run that recording must take.
const OVERHEAD_RATIO: f64 = 0.02;
/// The shortest run: in a shorter one it bothers nobody.
const LEAST_RUN_NS: u64 = 1_000_000_000;

/// Finds what laps cost where they are very many.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let summary = evidence.summary;
    if !matches!(
        summary.wall_source,
        WallSource::Launcher | WallSource::Process | WallSource::Recording
    ) {
        return None;
    }
    // Laps of a loader's workers cost these their time, beside the run.
    let measured = summary.processes.iter().filter(|one| one.is_measured);
    let span_count = measured.fold(0_u64, |sum, one| sum.saturating_add(one.span_count));
    let recording_ns = span_count.saturating_mul(LAP_NS);
    let is_much = recording_ns as f64 >= OVERHEAD_RATIO * summary.measured_ns as f64;
    (is_much && summary.measured_ns >= LEAST_RUN_NS).then_some(Finding::Overhead {
        span_count,
        recording_ns,
        wall_ns: summary.measured_ns,
    })
}
