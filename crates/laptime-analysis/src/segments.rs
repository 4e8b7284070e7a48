//! A timer's context in figures: what its segments took, and how long any of them ran.
//!
//! Comes from the records of a timer, one per finished segment; goes to the report. Segments may
//! overlap and nest, so the context's running time is the union of them and not their sum.

/// One finished segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentRecord {
    /// When it began.
    pub start_ns: i64,
    /// How long it took.
    pub elapsed_ns: u64,
    /// What it did to memory, when that was read.
    pub memory: Option<SegmentMemory>,
}

/// Memory over one segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentMemory {
    /// What it left behind; below zero when it freed.
    pub net_bytes: i64,
    /// The most that was there meanwhile, over what was there at its start.
    pub peak_bytes: i64,
}

/// All records of one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentTotals {
    /// The name as it is shown.
    pub name: String,
    /// How many.
    pub count: u64,
    /// Their sum.
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
    /// Longest total first; of equals the earlier one first. Names without records are left out.
    pub segments: Vec<SegmentTotals>,
}

/// Sums up a context.
pub fn context_totals(
    segments: impl IntoIterator<Item = (String, Vec<SegmentRecord>)>,
) -> ContextTotals {
    let mut intervals = Vec::new();
    let mut totals = Vec::new();
    for (name, records) in segments {
        if records.is_empty() {
            continue;
        }
        let memory = || records.iter().filter_map(|record| record.memory);
        totals.push(SegmentTotals {
            name,
            count: records.len() as u64,
            total_ns: records.iter().map(|record| record.elapsed_ns).sum(),
            net_bytes: bounds(memory().map(|memory| memory.net_bytes)),
            peak_bytes: bounds(memory().map(|memory| memory.peak_bytes)),
        });
        intervals.extend(records.iter().map(|one| (one.start_ns, one.elapsed_ns)));
    }
    totals.sort_by_key(|segment| std::cmp::Reverse(segment.total_ns));
    ContextTotals {
        runtime_ns: union_ns(intervals),
        segments: totals,
    }
}

fn bounds(numbers: impl Iterator<Item = i64>) -> Option<(i64, i64)> {
    numbers.fold(None, |bounds, number| {
        let (least, most) = bounds.unwrap_or((number, number));
        Some((number.min(least), number.max(most)))
    })
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
#[path = "segments_tests.rs"]
mod tests;
