//! Finds where a program changed in a series of recordings, such as one for each commit.
//!
//! Each recording gives one value, the median of its steps; [`change_points`] says whether their level
//! changes and about where. The recording that is named is the one at which both levels fit best (least
//! absolute deviations, Bai 1995). Fewer than six recordings tell nothing: each level needs three.

use serde::Serialize;

use super::recording::Run;
use super::sides::Sides;
use crate::statistics::change_points;
use crate::statistics::quantiles::median_of;

/// Fewest recordings that tell a change.
pub const LEAST_RECORDINGS: usize = 6;
/// The fewest recordings of a level.
const LEAST_OF_LEVEL: usize = LEAST_RECORDINGS / 2;
/// Probability with which a series without a change may be said to have one.
const LEVEL: f64 = 0.05;

/// A place where the steps of a series of recordings changed.
///
/// **Units** nanoseconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Change {
    /// The first recording after the change.
    pub recording: String,
    /// Median of the recordings before it, up to the change before.
    pub before_ns: f64,
    /// Median of the recordings from it on, up to the next change.
    pub after_ns: f64,
    /// Probability that a series without a change has one as clear.
    pub p_value: f64,
}

/// Finds the changes of all recordings in their order; none where they have no step in common.
pub fn changes(base: &[Run], others: &[Vec<Run>]) -> Vec<Change> {
    let runs: Vec<Run> = others.iter().flatten().cloned().collect();
    if base.len() + runs.len() < LEAST_RECORDINGS {
        return Vec::new();
    }
    let sides = Sides::new(base, &runs);
    let Some(step) = sides.step() else {
        return Vec::new();
    };
    let mut scratch = Vec::new();
    let medians = sides.runs().map(|run| {
        let values = run.durations.by_path.get(step)?;
        Some(median_of(values.iter().copied(), &mut scratch))
    });
    let Some(medians) = medians.collect::<Option<Vec<f64>>>() else {
        return Vec::new();
    };
    let mut found = change_points::find(&medians, LEVEL);
    let mut ends: Vec<usize> = found.iter().map(|change| change.at).collect();
    ends.push(medians.len());
    let mut from = 0;
    let mut changes = Vec::new();
    for (change, to) in found.iter_mut().zip(&ends[1..]) {
        change.at = from + best_cut(&medians[from..*to], change.at - from);
        let mut level = |part: &[f64]| median_of(part.iter().copied(), &mut scratch);
        changes.push(Change {
            recording: sides
                .runs()
                .nth(change.at)
                .map_or_else(String::new, |run| run.name.clone()),
            before_ns: level(&medians[from..change.at]),
            after_ns: level(&medians[change.at..*to]),
            p_value: change.p_value,
        });
        from = change.at;
    }
    changes
}

/// Finds where two levels fit a series best, each of at least [`LEAST_OF_LEVEL`]; `about` where it is too short.
fn best_cut(values: &[f64], about: usize) -> usize {
    let mut scratch = Vec::new();
    let mut misfit = |part: &[f64]| {
        let level = median_of(part.iter().copied(), &mut scratch);
        part.iter().map(|value| (value - level).abs()).sum::<f64>()
    };
    let last = values.len().saturating_sub(LEAST_OF_LEVEL);
    let cuts = (LEAST_OF_LEVEL..=last).map(|at| {
        let (before, after) = values.split_at(at);
        (at, misfit(before) + misfit(after))
    });
    let best = cuts.min_by(|one, other| one.1.total_cmp(&other.1));
    best.map_or(about, |(at, _)| at)
}
