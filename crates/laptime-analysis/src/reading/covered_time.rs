//! Time of a process that its spans and timers' segments cover.

use crate::reading::covers::Covers;
use crate::reading::process::Process;
use crate::reading::totals::Totals;
use laptime_core::Total;

/// Time that spans and segments cover.
#[derive(Debug, Clone, Copy)]
pub struct CoveredTime {
    /// Time covered by any of them.
    pub ns: u64,
    /// Whether `ns` is everything that was covered: what only spans inside of a lost one cover isn't known
    /// where several tracks have spans.
    pub is_all: bool,
    /// Time that spans of several tracks cover, counted for each but one of them.
    pub parallel_ns: u64,
    /// Time that outermost spans of the only track cover, counted for each but one of them.
    pub doubled_ns: u64,
}

impl CoveredTime {
    /// Finds the time of any track that the spans of `totals` cover, from one tick to another, each moment
    /// once, and what only timers' segments cover besides.
    ///
    /// `None` where a snapshot folded later spans whose tracks or moments would have to be known.
    pub fn find(process: &Process, totals: &mut Totals, from: u64, to: u64) -> Option<Self> {
        let rate = process.facts.rate;
        let tail_is_empty = process.spans.tail.is_empty();
        let mut tail = process.spans.tail.tallies.clone();
        let is_sure = !totals.has_tracks()
            && process.features.covers.segments().is_none()
            && tail.settled().all(|(_, tally)| tally.outside_ns == 0);
        if !tail_is_empty && !is_sure {
            return None;
        }
        // What is open is counted up to the last sign of life.
        let covers = covers_until(process, to.min(totals.last_end.max(from)));
        let added_ns = totals.covered_ns(&process.paths, &mut tail);
        // A lap that was written afterwards holds none of what ran in its time.
        let overlap = covers.doubled(from, to) > 0 && tail_is_empty;
        let spans_ns = if totals.has_tracks() || overlap {
            rate.nanoseconds(covers.by_spans(from, to))
        } else {
            added_ns
        };
        let excess_ns = added_ns.saturating_sub(spans_ns);
        let (parallel_ns, doubled_ns) = if totals.has_tracks() {
            (excess_ns, 0)
        } else {
            (0, excess_ns)
        };
        let segments_ns = rate.nanoseconds(covers.only_segments(from, to));
        Some(Self {
            is_all: !totals.has_tracks() || !totals.has_lost(&process.paths),
            ns: spans_ns.saturating_add(segments_ns),
            parallel_ns,
            doubled_ns,
        })
    }
}

/// Returns how much of a process's time outermost laps of any track cover, those that were open at `end_ns` included.
pub fn lapped_ns(process: &Process, end_ns: u64) -> u64 {
    let end = process.facts.anchors.timeline().ticks_at(end_ns);
    let covers = covers_until(process, end);
    let mut tail = process.spans.tail.tallies.clone();
    let kept_ns = process.facts.rate.nanoseconds(covers.by_spans(0, u64::MAX));
    let tail_ns = tail.settled().map(|(_, tally)| tally.nested_ns());
    kept_ns.saturating_add(tail_ns.total())
}

/// Returns when spans and segments covered time, those included that were open until a tick.
pub fn covers_until(process: &Process, to: u64) -> Covers {
    let mut covers = process.features.covers.clone();
    let mut track_before = None;
    for open in &process.facts.open {
        // The outermost one of a track holds the others.
        if track_before.replace(open.track) != Some(open.track) {
            let end = to.max(open.start);
            covers.add(open.start, end, end - open.start);
        }
    }
    covers
}
