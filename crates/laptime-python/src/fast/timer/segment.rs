//! A segment of a timer: what runs of it, and what has finished.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use laptime_analysis::timer::SegmentRuns;
use laptime_core::PathId;
use laptime_recorder::Site;
use laptime_recorder::nvtx::Started;

use super::gauge::Begun;
use super::owed_durations::Owed;
use super::settings::Moment;

static NEXT_ID: AtomicU64 = AtomicU64::new(0);

/// What tells a segment from the others of its context: its name's site, and whether the name was
/// a string.
pub type Key = (u32, bool);

/// A run that has not finished.
pub struct Running {
    /// When it began.
    pub moment: Moment,
    /// The thread's run delay at its start.
    pub delay_ns: Option<u64>,
    /// The path that its span is written under.
    pub outside: PathId,
    /// Its range, while a tool takes them; it ends with this.
    pub range: Option<Started>,
    /// What the gauge keeps of it.
    pub begun: Begun,
}

/// A segment's history.
pub struct Segment {
    /// The segment's name, as recorded.
    pub site: &'static Site,
    /// Whether the name was a string rather than another object's representation.
    pub is_text: bool,
    /// Unique in the process: a segment is found again by it after Python code ran.
    pub id: u64,
    /// Runs that have not finished, the innermost last.
    pub running: Vec<Running>,
    /// Runs that have finished.
    pub runs: SegmentRuns,
    /// Durations that the device has not told yet.
    pub owed: Owed,
}

impl Segment {
    /// A segment with finished runs, none of them owed.
    pub fn new(site: &'static Site, is_text: bool, runs: SegmentRuns) -> Self {
        Self {
            site,
            is_text,
            id: NEXT_ID.fetch_add(1, Relaxed),
            running: Vec::new(),
            runs,
            owed: Owed::default(),
        }
    }

    /// What tells it from the others of its context.
    pub fn key(&self) -> Key {
        (self.site.index(), self.is_text)
    }
}
