//! Time in which any segment of a context ran.
//!
//! Segments may overlap and nest, so the context's running time is the union of them and not
//! their sum.

use super::{Origin, SegmentRecord, SegmentRuns};

/// Returns the time in which at least one segment ran. Their starts are read from any origin.
pub fn runtime_ns<'a>(segments: impl IntoIterator<Item = &'a SegmentRuns>, origin: Origin) -> u64 {
    let interval = |one: SegmentRecord| (one.start_ns, one.elapsed_ns);
    let segments = segments.into_iter();
    union_ns(
        segments
            .flat_map(|runs| runs.records(origin).map(interval))
            .collect(),
    )
}

/// Returns how much of the line the intervals cover, each given as start and length.
fn union_ns(mut intervals: Vec<(i64, u64)>) -> u64 {
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
#[path = "tests/runtime.rs"]
mod tests;
