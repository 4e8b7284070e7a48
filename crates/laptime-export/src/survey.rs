//! The first look at a process: its tracks by name, and how many spans each has.
//!
//! It is read before anything is written, because the clock's anchors and the paths of all windows
//! must be known for the first span, and lanes are named before they are drawn.

use std::collections::BTreeMap;

use laptime_core::PathId;
use laptime_core::format::reader::{Visit, VisitProcess};
use laptime_core::format::record::Record;

/// What is known of a thread or a task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Track {
    /// Its name, where it has one.
    pub name: Option<String>,
    /// Whether it is a task.
    pub is_task: bool,
    /// The system's thread id; 0 where it is unknown.
    pub thread: u64,
    /// Spans, marks and metrics on it.
    pub records: u64,
}

/// Counts what a process recorded.
#[derive(Debug, Clone, Default)]
pub struct Survey {
    /// By number.
    pub(crate) tracks: BTreeMap<u32, Track>,
    /// The track of the records just read and how many they were.
    run: (u32, u64),
}

impl Survey {
    #[inline]
    fn count(&mut self, track: u32) {
        if self.run.0 != track {
            self.settle();
            self.run.0 = track;
        }
        self.run.1 += 1;
    }

    fn settle(&mut self) {
        let (track, records) = std::mem::take(&mut self.run);
        if records > 0 {
            self.tracks.entry(track).or_default().records += records;
        }
    }

    /// The tracks, once everything was read.
    pub(crate) fn finish(mut self) -> BTreeMap<u32, Track> {
        self.settle();
        self.tracks
    }
}

impl<'a> Visit<'a> for Survey {
    #[inline]
    fn plain_span(&mut self, _: PathId, _: u64, _: u64, track: u32) {
        self.count(track);
    }

    fn other(&mut self, record: Record<'a>) {
        match record {
            Record::Span(span) => self.count(span.track),
            Record::Mark { track, .. } | Record::Metric { track, .. } => self.count(track),
            Record::TrackName {
                track,
                is_task,
                thread,
                name,
            } => {
                let known = self.tracks.entry(track).or_default();
                known.name = (!name.is_empty()).then(|| name.to_owned());
                known.is_task = is_task;
                known.thread = thread;
            }
            _ => {}
        }
    }
}

impl VisitProcess for Survey {}
