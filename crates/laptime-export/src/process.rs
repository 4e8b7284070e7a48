//! One process, as formats see it: who it is, its clock, its paths and its tracks.

use std::collections::BTreeMap;

use laptime_core::anchor::Rate;
use laptime_core::{PathId, PathTable, ProcessFacts, Span, Timeline, path};

use crate::span::SpanAt;
use crate::survey::Track;

/// What a path is called.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Named {
    /// As it is printed, the names joined by `/`.
    pub path: String,
    /// Its own name.
    pub name: String,
    /// How many paths it is inside of.
    pub depth: usize,
}

/// A process that was surveyed.
#[derive(Debug)]
pub struct Process {
    /// The system's number of it.
    pub pid: u32,
    /// A number that no other process of the recording has: `pid`, unless the system gave it twice.
    pub number: u32,
    /// Last component of the program's or script's name.
    pub program: String,
    /// Track of its main thread.
    pub main_track: u32,
    /// All paths by number; those that are not defined have no name.
    pub names: Vec<Named>,
    /// The paths themselves.
    pub paths: PathTable,
    /// Tracks by number.
    pub tracks: BTreeMap<u32, Track>,
    /// Tells moments.
    timeline: Timeline,
    rate: Rate,
    zero_ns: u64,
}

impl Process {
    /// From what its file tells.
    pub fn new(
        facts: &ProcessFacts,
        paths: &PathTable,
        tracks: BTreeMap<u32, Track>,
        number: u32,
        zero_ns: u64,
    ) -> Self {
        let ids = (0..paths.len()).map(|index| PathId(index as u32));
        let names = ids.map(|id| {
            let names = paths.names(id);
            Named {
                path: path::join(names.iter().copied()),
                name: names.last().copied().unwrap_or_default().to_owned(),
                depth: names.len().saturating_sub(1),
            }
        });
        Self {
            pid: facts.header.pid,
            number,
            program: facts.header.program.clone(),
            main_track: facts.header.main_track,
            names: names.collect(),
            paths: paths.clone(),
            tracks,
            timeline: facts.anchors.timeline(),
            rate: facts.anchors.rate(),
            zero_ns,
        }
    }

    /// Nanoseconds since time zero at a tick.
    #[inline]
    pub fn since(&self, ticks: u64) -> u64 {
        self.timeline
            .monotonic_ns(ticks)
            .saturating_sub(self.zero_ns)
    }

    /// A length of time in nanoseconds.
    #[inline]
    pub fn ns(&self, ticks: u64) -> u64 {
        self.rate.nanoseconds(ticks)
    }

    /// What a path is called.
    pub fn named(&self, path: PathId) -> &Named {
        static UNKNOWN: Named = Named {
            path: String::new(),
            name: String::new(),
            depth: 0,
        };
        self.names.get(path.index()).unwrap_or(&UNKNOWN)
    }

    /// The process, in words for a list.
    pub fn label(&self) -> String {
        if self.number == self.pid {
            return self.program.clone();
        }
        format!("{} (process {})", self.program, self.pid)
    }

    /// A track, in words for a list.
    pub fn track_label(&self, track: u32) -> String {
        let known = self.tracks.get(&track);
        let is_task = known.is_some_and(|known| known.is_task);
        let kind = if is_task { "task" } else { "thread" };
        match known.and_then(|known| known.name.as_deref()) {
            Some(name) if is_task => format!("task {name}"),
            Some(name) => name.to_owned(),
            None if track == self.main_track => "main thread".to_owned(),
            None => format!("{kind} {track}"),
        }
    }

    /// The track of a thread, where it has one.
    pub fn track_of(&self, thread: u64) -> Option<u32> {
        let is_its = |track: &Track| !track.is_task && track.thread == thread;
        let mut tracks = self.tracks.iter();
        let found = tracks.find(|(_, track)| is_its(track));
        // The thread that the process began with has the process's number.
        let main = || (thread == u64::from(self.pid)).then_some(self.main_track);
        found.map(|(track, _)| *track).or_else(main)
    }

    /// A thread, in words for a list.
    pub fn thread_label(&self, thread: u64) -> String {
        match self.track_of(thread) {
            Some(track) => self.track_label(track),
            None => format!("thread id {thread}"),
        }
    }

    /// Tracks with something on them, the main thread first.
    pub fn used_tracks(&self) -> Vec<u32> {
        let used = self.tracks.iter().filter(|(_, track)| track.records > 0);
        let mut used: Vec<u32> = used.map(|(track, _)| *track).collect();
        used.sort_by_key(|track| (*track != self.main_track, *track));
        used
    }

    /// A span of it, in nanoseconds.
    #[inline]
    pub fn span(&self, span: &Span) -> SpanAt {
        SpanAt::new(span, |ticks| self.since(ticks), |ticks| self.ns(ticks))
    }
}
