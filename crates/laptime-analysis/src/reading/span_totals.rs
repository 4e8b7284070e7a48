//! Totals of a process's spans: of the whole run and, after the second pass, of its steady state.

use laptime_core::{Tallies, Total};

use crate::reading::path_role::PathRoles;
use crate::reading::snapshot_tail::SnapshotTail;
use crate::reading::totals::Totals;
use crate::reading::totals_before_cuts::{Cut, CutTotals};

/// Totals of the steady state.
#[derive(Debug)]
pub struct SteadyTotals {
    /// The steady state's first tick.
    pub from: u64,
    /// The first tick of the steady state as `CLOCK_MONOTONIC` ns.
    pub since_ns: u64,
    /// Totals without the windows that are still to be read again.
    pub totals: Totals,
    /// The cut after which everything is summed up; all windows are read again when there is none.
    cut: Option<Cut>,
}

impl SteadyTotals {
    /// Returns before which tick the spans of a window must have begun to be of any use; `None` when all are known.
    pub fn wanted_before(&self, offset: u64) -> Option<u64> {
        let cut = self.cut.as_ref();
        cut.map_or(Some(u64::MAX), |cut| cut.ticks_before(offset))
    }
}

/// The spans of one process.
#[derive(Debug)]
pub struct Spans {
    /// Totals of the whole run once everything was read; until then, totals after the last cut.
    pub totals: Totals,
    /// Totals before the cuts.
    pub earlier: CutTotals,
    /// End of the last span or segment of any track, in ticks; known after the first pass.
    pub last_end: u64,
    /// Totals of the steady state, filled by the second pass.
    pub steady: Option<SteadyTotals>,
    /// Later spans of a running process.
    pub tail: SnapshotTail,
    /// Role of each path in the summary, beside its totals.
    pub roles: PathRoles,
    /// Start of the last window that was read.
    pub read_to: Option<u64>,
}

impl Spans {
    /// Begins without any span; the track is the one that the process began with.
    pub fn new(main_track: u32) -> Self {
        Self {
            totals: Totals::new(main_track),
            earlier: CutTotals::new(),
            last_end: 0,
            steady: None,
            tail: SnapshotTail::none(),
            roles: PathRoles::default(),
            read_to: None,
        }
    }

    /// Begins a window: totals are cut there if it is time to.
    pub fn begin_window(&mut self, paths: usize, offset: u64, opened: u64) {
        if self.read_to.is_none_or(|last| last < offset) {
            self.read_to = Some(offset);
            self.earlier.cut(&mut self.totals, paths, offset, opened);
        }
    }

    /// Ends the reading of all windows.
    pub fn end_windows(&mut self) {
        let end = self.earlier.last_end().max(self.totals.last_end);
        self.last_end = self.last_end.max(end);
    }

    /// Begins the totals of the steady state with what lies behind the cut that follows its first tick, and joins
    /// those of the whole run.
    pub fn begin_steady(&mut self, from: u64, since_ns: u64) {
        let (cut, totals) = self.earlier.after(&self.totals, from);
        self.steady = Some(SteadyTotals {
            from,
            since_ns,
            totals,
            cut,
        });
        self.join();
    }

    /// Makes the totals those of the whole run.
    pub fn join(&mut self) {
        self.earlier.join(&mut self.totals);
    }

    /// Tells whether there is any span that a window or a snapshot told of.
    pub fn has_any(&self) -> bool {
        let has_records = self.totals.first_start != u64::MAX || self.earlier.last_end() > 0;
        has_records || !self.tail.is_empty()
    }

    /// Drops the statistics of each path.
    pub fn forget_tallies(&mut self) {
        self.totals.first = Tallies::new();
        self.totals.others = Tallies::new();
        self.tail.tallies = Tallies::new();
    }

    /// Counts the spans that finished; pieces that continue one are not counted.
    pub fn count(&mut self) -> u64 {
        [
            &mut self.totals.first,
            &mut self.totals.others,
            &mut self.tail.tallies,
        ]
        .into_iter()
        .map(|tallies| tallies.settled().map(|(_, tally)| tally.count).total())
        .total()
    }
}
