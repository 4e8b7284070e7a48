//! A timer's context in torchtimer's figures: what its segments took, and how long any of them ran.
//!
//! Segments may overlap and nest, so the context's running time is the union of them and not
//! their sum.

use super::{Origin, SegmentRecord, SegmentRuns};

/// All runs of one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentTotals {
    /// The name as it is shown.
    pub name: String,
    /// How many runs.
    pub count: u64,
    /// Sum of their durations.
    pub total_ns: u64,
    /// Least and greatest of what one left behind; `None` when memory was not read for any.
    pub net_bytes: Option<(i64, i64)>,
    /// Least and greatest peak of one.
    pub peak_bytes: Option<(i64, i64)>,
}

/// All segments of a context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextTotals {
    /// Time in which at least one segment ran.
    pub runtime_ns: u64,
    /// Longest total first; of equals the earlier one first. Names without a finished run are left out.
    pub segments: Vec<SegmentTotals>,
}

impl ContextTotals {
    /// Sums up segments, each with its shown name. Their starts are read from any origin.
    pub fn of<'a>(
        segments: impl IntoIterator<Item = (String, &'a SegmentRuns)>,
        origin: Origin,
    ) -> Self {
        let mut intervals = Vec::new();
        let mut totals = Vec::new();
        for (name, runs) in segments {
            if runs.elapsed_ns.is_empty() {
                continue;
            }
            let interval = |one: SegmentRecord| (one.start_ns, one.elapsed_ns);
            intervals.extend(runs.records(origin).map(interval));
            totals.push(SegmentTotals {
                name,
                count: runs.elapsed_ns.len() as u64,
                total_ns: runs.total_ns(),
                net_bytes: runs.net_bytes(),
                peak_bytes: runs.peak_bytes(),
            });
        }
        totals.sort_by_key(|segment| std::cmp::Reverse(segment.total_ns));
        Self {
            runtime_ns: union_ns(intervals),
            segments: totals,
        }
    }
}

/// How much of the line the intervals cover, each given as start and length.
pub fn union_ns(mut intervals: Vec<(i64, u64)>) -> u64 {
    intervals.sort_unstable();
    let mut covered = 0;
    let mut reached = i64::MIN;
    for (start, length) in intervals {
        let end = start.saturating_add_unsigned(length);
        covered += end.saturating_sub(start.max(reached)).max(0).unsigned_abs();
        reached = reached.max(end);
    }
    covered
}

#[cfg(test)]
#[path = "totals_tests.rs"]
mod tests;
