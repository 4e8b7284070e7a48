//! What is known of a process besides its records.
//!
//! A reader learns it from the file's header, its black box and its anchors; the analysis and
//! the pages ask it for moments, durations and what was open at the end.

use crate::format::process::{OpenSpan, ProcessHeader};
use crate::run::RunInfo;
use crate::timeline::Anchors;

/// One process of a recording.
#[derive(Debug, Clone)]
pub struct ProcessFacts {
    /// Name of its file; empty for the running process.
    pub file: String,
    /// Bytes that the file has; `None` for the running process.
    pub file_bytes: Option<u64>,
    /// Who it is, and since when.
    pub header: ProcessHeader,
    /// The process's clock. The mean rate is settled before the first record is handed out.
    pub anchors: Anchors,
    /// Spans that were open at the end, outermost first per track, with the paths of the records.
    pub open: Vec<OpenSpan>,
    /// Spans that stand for no row of their own: they ran inside another one of `<deep>`.
    pub folded_spans: u64,
    /// Spans that ran inside of one of the same path, because they call themselves too often to be told apart.
    pub recursive_spans: u64,
    /// Spans of `<overflow>` that ran inside of others: no row has their time but those of these.
    pub overflowed_spans: u64,
    /// Windows of its file that hold nothing, though records follow them or the file was closed.
    pub empty_windows: u64,
    /// Whether it goes on, as far as whoever reads can see.
    pub is_running: bool,
}

impl ProcessFacts {
    /// When the process started, `CLOCK_MONOTONIC` ns; its recording's start when that is unknown.
    pub fn started_ns(&self) -> u64 {
        let anchor = self.header.anchor;
        // The start is known on the clock that counts suspension; that before the recording is taken as none.
        let ahead_ns = anchor.boottime_ns.saturating_sub(anchor.monotonic_ns);
        self.header
            .process_started_boottime_ns
            .and_then(|boottime_ns| boottime_ns.checked_sub(ahead_ns))
            .map_or(anchor.monotonic_ns, |started| {
                started.min(anchor.monotonic_ns)
            })
    }
}

/// The moment that all others of a recording are told from: the start of the run or, where none
/// is described, of the process that started first.
///
/// **Units** `CLOCK_MONOTONIC` ns, for the starts of processes too.
pub fn zero_ns(run: Option<&RunInfo>, started_ns: impl IntoIterator<Item = u64>) -> u64 {
    run.map(|run| run.started_monotonic_ns)
        .or(started_ns.into_iter().min())
        .unwrap_or(0)
}
