//! One process's spans as lanes, and its memory as a curve: what a timeline is drawn from.
//!
//! [`SpanLanes`] takes in the records, in the same order as the analyzer. Moments are nanoseconds
//! since the recording's zero, so that several processes share one axis. A span that was timed on a device
//! has a second bar, in the lanes of its stream, where and when the device did its work.

use std::collections::{BTreeMap, HashMap};

use laptime_core::anchor::Rate;
use laptime_core::format::reader::{Visit, VisitProcess};
use laptime_core::format::record::Record;
use laptime_core::{DeviceSpan, PathId, PathTable, ProcessFacts, Span, SpanFlags};

use crate::reading::marks::Thinned;
use crate::timeline::lanes::{Bar, Lane, LaneBudget, LaneBuilder, Simplified};

/// Segments of timers stand below the spans of their track, at this depth.
const ASIDE_DEPTH: u32 = 1_000;

/// Tracks of streams are numbered from here downwards: threads are numbered from 1 upwards.
const LAST_STREAM: u32 = u32::MAX;
/// Streams drawn of a process.
const MOST_STREAMS: usize = 64;

/// A process ready to be drawn.
#[derive(Debug, Clone)]
pub struct ProcessLanes {
    /// System's number of the process.
    pub pid: u32,
    /// Track of its main thread.
    pub main_track: u32,
    /// Names that the bars refer to.
    pub names: Vec<String>,
    /// Names of tracks, where they have one.
    pub tracks: BTreeMap<u32, String>,
    /// Bars by track and depth.
    pub lanes: Vec<Lane>,
    /// What was not drawn span by span.
    pub simplified: Simplified,
    /// Resident memory in bytes at moments, oldest first.
    pub resident: Vec<(u64, u64)>,
}

/// What is kept of one process's records, in ticks.
#[derive(Debug)]
pub struct SpanLanes {
    paths: PathTable,
    /// By path that has a span: index of its name, and its depth.
    places: Vec<Option<(u32, u32)>>,
    names: Vec<String>,
    index_of: HashMap<String, u32>,
    tracks: BTreeMap<u32, String>,
    /// Devices and their streams, in the order of their first use.
    streams: Vec<(u32, u64)>,
    rate: Rate,
    lanes: LaneBuilder,
    resident: Thinned<u64>,
}

impl SpanLanes {
    /// Nothing yet. `rate` is about the rate of the process's clock.
    pub fn new(budget: LaneBudget, rate: Rate) -> Self {
        Self {
            paths: PathTable::new(),
            places: Vec::new(),
            names: Vec::new(),
            index_of: HashMap::new(),
            tracks: BTreeMap::new(),
            streams: Vec::new(),
            rate,
            lanes: LaneBuilder::new(budget),
            resident: Thinned::default(),
        }
    }

    /// Everything, at moments since `zero_ns` of `CLOCK_MONOTONIC`.
    pub fn finish(self, facts: &ProcessFacts, zero_ns: u64) -> ProcessLanes {
        let timeline = facts.anchors.timeline();
        let rate = facts.anchors.rate();
        let since = |ticks| timeline.monotonic_ns(ticks).saturating_sub(zero_ns);
        let (mut lanes, simplified) = self.lanes.finish();
        for lane in &mut lanes {
            for bar in &mut lane.bars {
                bar.start_ns = since(bar.start_ns);
                bar.duration_ns = rate.nanoseconds(bar.duration_ns);
                bar.busy_ns = rate.nanoseconds(bar.busy_ns);
            }
        }
        let resident = self.resident.iter();
        let mut resident: Vec<(u64, u64)> = resident
            .map(|(ticks, bytes)| (since(ticks), bytes))
            .collect();
        resident.sort_unstable();
        ProcessLanes {
            pid: facts.header.pid,
            main_track: facts.header.main_track,
            names: self.names,
            tracks: self.tracks,
            lanes,
            simplified,
            resident,
        }
    }

    fn place(&mut self, path: PathId) -> (u32, u32) {
        if let Some(Some(place)) = self.places.get(path.index()) {
            return *place;
        }
        let names = self.paths.names(path);
        let depth = names.len().saturating_sub(1) as u32;
        let name = names.last().copied().unwrap_or_default();
        let index = self.index_of.get(name).copied().unwrap_or_else(|| {
            let index = self.names.len() as u32;
            self.names.push(name.to_owned());
            self.index_of.insert(name.to_owned(), index);
            index
        });
        if self.places.len() <= path.index() {
            self.places.resize(path.index() + 1, None);
        }
        self.places[path.index()] = Some((index, depth));
        (index, depth)
    }

    fn span(&mut self, span: &Span) {
        let (name, depth) = self.place(span.path);
        let depth = if span.flags.has(SpanFlags::ASIDE) {
            ASIDE_DEPTH
        } else {
            depth
        };
        let mut bar = Bar::new(span.start, span.duration, name);
        bar.duration_ns = span.wall.unwrap_or(span.duration);
        self.lanes.push(span.track, depth, bar);
    }
}

impl SpanLanes {
    fn on_device(&mut self, span: &DeviceSpan) {
        let Some((times, place)) = span
            .times
            .ok()
            .and_then(|times| times.place.map(|at| (times, at)))
        else {
            return;
        };
        let Some(track) = self.stream(span.device, span.stream) else {
            return;
        };
        let (name, depth) = self.place(span.path);
        let start = span.start.saturating_add(self.rate.ticks(place.lag_ns));
        let bar = Bar::new(start, self.rate.ticks(times.duration_ns), name);
        self.lanes.push(track, depth, bar);
    }

    /// The track of a stream; none beyond so many.
    fn stream(&mut self, device: u32, stream: u64) -> Option<u32> {
        let is_it = |known: &(u32, u64)| *known == (device, stream);
        let at = self.streams.iter().position(is_it).or_else(|| {
            (self.streams.len() < MOST_STREAMS).then(|| {
                self.streams.push((device, stream));
                self.streams.len() - 1
            })
        })?;
        let track = LAST_STREAM - at as u32;
        let of_device = self.streams[..at]
            .iter()
            .filter(|known| known.0 == device && known.1 != 0);
        let name = match stream {
            0 => format!("device {device}, default stream"),
            _ => format!("device {device}, stream {}", of_device.count() + 1),
        };
        self.tracks.entry(track).or_insert(name);
        Some(track)
    }
}

impl<'a> Visit<'a> for SpanLanes {
    fn plain_span(&mut self, path: PathId, start: u64, duration: u64, track: u32) {
        self.span(&Span::plain(path, start, duration, track));
    }

    fn other(&mut self, record: Record<'a>) {
        match record {
            Record::Span(span) => self.span(&span),
            Record::DeviceSpan(span) => self.on_device(&span),
            Record::Path { id, parent, name } => {
                self.paths.define(id, parent, name);
            }
            Record::TrackName { track, name, .. } if self.tracks.len() < 4_096 => {
                self.tracks.insert(track, name.to_owned());
            }
            Record::Sample {
                ticks,
                resident_bytes,
            } => self.resident.push(ticks, resident_bytes),
            _ => {}
        }
    }
}

impl VisitProcess for SpanLanes {}

#[cfg(test)]
#[path = "tests/span_lanes.rs"]
mod tests;
