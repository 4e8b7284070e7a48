//! Spans that began before a stretch of time and were suspended for a part of theirs, as generators are: the
//! time of each inside of the stretch is known within two bounds.
//!
//! It can't be less than what wouldn't fit before, nor more than what its siblings left of the time around
//! them. The most that can be is taken: who takes turns leaves little between them.

use std::collections::BTreeMap;

use laptime_core::anchor::Rate;
use laptime_core::{PathId, PathTable, Span, SpanFlags};

/// A suspended span, with the bounds of its time inside of the stretch in nanoseconds.
#[derive(Debug, Clone, Copy)]
pub struct SuspendedSpan {
    /// Path of the span.
    pub path: PathId,
    /// Flags of the span.
    pub flags: SpanFlags,
    /// Least time that it ran inside.
    least: u64,
    /// Most time that it ran inside.
    most: u64,
}

impl SuspendedSpan {
    /// Finds the bounds of a span that ended after the stretch began, at the tick `from`.
    pub fn new(span: &Span, from: u64, rate: Rate) -> Self {
        let (before, inside) = (from - span.start, span.end() - from);
        Self {
            path: span.path,
            flags: span.flags,
            least: rate.nanoseconds(span.duration.saturating_sub(before)),
            most: rate.nanoseconds(span.duration.min(inside)),
        }
    }
}

/// Returns how long each span ran inside, where `left` says what others leave of the time around a path.
pub fn settle(
    rests: &[SuspendedSpan],
    paths: &PathTable,
    mut left: impl FnMut(PathId) -> u64,
) -> Vec<(SuspendedSpan, u64)> {
    let mut around: BTreeMap<PathId, Vec<SuspendedSpan>> = BTreeMap::new();
    for rest in rests {
        let parent = paths.get(rest.path).map(|entry| entry.parent);
        let parent = parent.unwrap_or(PathId::ROOT);
        around.entry(parent).or_default().push(*rest);
    }
    let each = around.into_iter().flat_map(|(parent, rests)| {
        let sum = |of: fn(&SuspendedSpan) -> u64| rests.iter().map(of).fold(0, u64::saturating_add);
        let (least, most) = (sum(|rest| rest.least), sum(|rest| rest.most));
        let part = left(parent).saturating_sub(least) as f64 / (most - least).max(1) as f64;
        let ran = move |rest: SuspendedSpan| {
            let open = (rest.most - rest.least) as f64;
            (rest, rest.least + (open * part.min(1.0)) as u64)
        };
        rests.into_iter().map(ran)
    });
    each.collect()
}

#[cfg(test)]
#[path = "tests/suspended_spans.rs"]
mod tests;
