//! Facts about a process from its file: who it is, its clock, and how its recording ends.

use laptime_core::anchor::Rate;
use laptime_core::format::process::{OpenSpan, ProcessHeader};
use laptime_core::format::window::WindowState;
use laptime_core::{Anchors, DeviceSpan, ProcessFacts};

/// Facts about one process, apart from its spans.
#[derive(Debug)]
pub struct Facts {
    /// Name of its file.
    pub file: String,
    /// Head of its file.
    pub header: ProcessHeader,
    /// Start of the process, `CLOCK_MONOTONIC` ns.
    pub started_ns: u64,
    /// Whether the process still runs.
    pub is_live: bool,
    /// Start of the next recording where the process became another program that is recorded too (`exec`).
    pub replaced_ns: Option<u64>,
    /// Moments of its clock and of the machine's clocks, side by side.
    pub anchors: Anchors,
    /// Nanoseconds per tick of its clock, as known before its records.
    pub rate: Rate,
    /// Spans that were open when the process ended.
    pub open: Vec<OpenSpan>,
    /// Number of records that found no room.
    pub lost: u64,
    /// Number of windows that nobody closed.
    pub unsealed: u64,
    /// Number of windows that end too early.
    pub truncated: u64,
    /// Number of spans that ran inside of another one of `<deep>`.
    pub folded_spans: u64,
    /// Number of spans that ran inside of one of the same path.
    pub recursive_spans: u64,
    /// Number of spans of `<overflow>` whose time is part of that of the span around them.
    pub overflowed_spans: u64,
    /// Number of windows of its file that hold nothing though they should.
    pub empty_windows: u64,
    /// Size of its file; `None` for the running process.
    pub file_bytes: Option<u64>,
}

impl Facts {
    /// Begins with what is known before the records.
    pub fn new(facts: ProcessFacts) -> Self {
        let started_ns = facts.started_ns();
        let ProcessFacts {
            file,
            header,
            anchors,
            file_bytes,
            is_running,
            ..
        } = facts;
        Self {
            file,
            started_ns,
            is_live: is_running,
            replaced_ns: None,
            rate: anchors.rate(),
            anchors,
            open: Vec::new(),
            lost: header.lost,
            unsealed: 0,
            truncated: 0,
            folded_spans: 0,
            recursive_spans: 0,
            overflowed_spans: 0,
            empty_windows: 0,
            file_bytes,
            header,
        }
    }

    /// Takes in what is known once all windows were read.
    pub fn complete(&mut self, facts: ProcessFacts) {
        self.anchors = facts.anchors;
        self.open = facts.open;
        self.folded_spans = facts.folded_spans;
        self.recursive_spans = facts.recursive_spans;
        self.overflowed_spans = facts.overflowed_spans;
        self.empty_windows = facts.empty_windows;
    }

    /// Takes in how a window ended.
    pub fn take_window(&mut self, lost: u64, state: WindowState) {
        self.lost = self.lost.max(lost);
        self.unsealed += u64::from(state == WindowState::Unsealed);
        self.truncated += u64::from(state == WindowState::Truncated);
    }

    /// Returns when the recording began, in ticks; a running process tells of all that it remembers.
    pub fn began(&self) -> u64 {
        if self.file_bytes.is_none() {
            return 0;
        }
        self.header.anchor.ticks
    }

    /// Tells whether a span counts that a device told of.
    ///
    /// Of one that was open when recording began the device tells the whole, and not what it did since; and a
    /// running process may have forgotten the span meanwhile.
    pub fn counts_on_device(&self, span: &DeviceSpan) -> bool {
        if self.file_bytes.is_some() {
            return span.start >= self.began();
        }
        span.start.saturating_add(span.duration) >= self.header.anchor.ticks
    }

    /// Tells whether the process went on when its recording did not: nothing more could be written, or the file's
    /// end is gone.
    pub fn ends_early(&self) -> bool {
        let is_shorter = |length: u64| self.file_bytes.is_some_and(|there| there < length);
        let is_cut = self.truncated > 0 || self.header.length.is_some_and(is_shorter);
        let is_empty = !self.is_live && self.empty_windows > 0;
        self.header.loss_reason.is_some() || is_cut || is_empty
    }

    /// Tells whether the process became that program, by an `exec`, perhaps with others between.
    pub fn became(&self, other: &Self) -> bool {
        let identity = |facts: &Self| {
            let header = &facts.header;
            (
                header.pid,
                header.process_started_boottime_ns,
                header.boot_id,
            )
        };
        let began_ns = |facts: &Self| facts.header.anchor.monotonic_ns;
        self.header.process_started_boottime_ns.is_some()
            && identity(self) == identity(other)
            && began_ns(other) > began_ns(self)
    }
}
