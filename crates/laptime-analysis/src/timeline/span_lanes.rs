//! One process's spans as lanes, and its memory as a curve, from which a timeline is drawn.
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
use crate::timeline::bar::Bar;
use crate::timeline::lanes::{Lane, LaneBudget, LaneBuilder, Simplified};

/// Depth at which segments of timers stand, below the spans of their track.
const ASIDE_DEPTH: u32 = 1_000;

/// Tracks of streams are numbered from here downwards: threads are numbered from 1 upwards.
const LAST_STREAM: u32 = u32::MAX;
/// The most streams of a process that are drawn.
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
    /// Names of threads and tasks by their track, where they have one.
    pub tracks: BTreeMap<u32, String>,
    /// Streams of devices by their track.
    pub streams: BTreeMap<u32, StreamTrack>,
    /// Bars by track and depth.
    pub lanes: Vec<Lane>,
    /// Numbers of spans that are not drawn one by one.
    pub simplified: Simplified,
    /// Resident memory in bytes at moments, oldest first.
    pub resident: Vec<(u64, u64)>,
}

/// A stream of a device that has a track.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamTrack {
    /// Number of the device.
    pub device: u32,
    /// Number of the stream on its device, from 1; `None` for the default stream.
    pub stream: Option<u32>,
}

/// Lanes of one process while its records are read, in ticks.
#[derive(Debug)]
pub struct SpanLanes {
    paths: PathTable,
    /// Index of the name and depth of each path that has a span.
    places: Vec<Option<(u32, u32)>>,
    names: Vec<String>,
    index_of: HashMap<String, u32>,
    tracks: BTreeMap<u32, String>,
    /// Devices and their streams, in the order of their first use.
    streams: Vec<(u32, u64)>,
    stream_tracks: BTreeMap<u32, StreamTrack>,
    rate: Rate,
    lanes: LaneBuilder,
    resident: Thinned<u64>,
}

impl SpanLanes {
    /// Returns lanes with nothing in them. `rate` is about the rate of the process's clock.
    pub fn new(budget: LaneBudget, rate: Rate) -> Self {
        Self {
            paths: PathTable::new(),
            places: Vec::new(),
            names: Vec::new(),
            index_of: HashMap::new(),
            tracks: BTreeMap::new(),
            streams: Vec::new(),
            stream_tracks: BTreeMap::new(),
            rate,
            lanes: LaneBuilder::new(budget),
            resident: Thinned::default(),
        }
    }

    /// Returns the process's lanes, at moments since `zero_ns` of `CLOCK_MONOTONIC`.
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
            streams: self.stream_tracks,
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
    fn device_span(&mut self, span: &DeviceSpan) {
        let Some((times, place)) = span
            .times
            .ok()
            .and_then(|times| times.place.map(|at| (times, at)))
        else {
            return;
        };
        let Some(track) = self.stream_track(span.device, span.stream) else {
            return;
        };
        let (name, depth) = self.place(span.path);
        let start = span.start.saturating_add(self.rate.ticks(place.lag_ns));
        let bar = Bar::new(start, self.rate.ticks(times.duration_ns), name);
        self.lanes.push(track, depth, bar);
    }

    /// Returns the track of a stream; none beyond [`MOST_STREAMS`].
    fn stream_track(&mut self, device: u32, stream: u64) -> Option<u32> {
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
        let number = of_device.count() as u32 + 1;
        self.stream_tracks.entry(track).or_insert(StreamTrack {
            device,
            stream: (stream != 0).then_some(number),
        });
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
            Record::DeviceSpan(span) => self.device_span(&span),
            Record::Path { id, parent, name } => {
                self.paths.define(id, parent, name);
            }
            Record::TrackName { track, name, .. } if self.tracks.len() < 4_096 => {
                self.tracks.insert(track, name.to_owned());
            }
            Record::Sample {
                ticks,
                resident_bytes,
                ..
            } => self.resident.push(ticks, resident_bytes),
            _ => {}
        }
    }
}

impl VisitProcess for SpanLanes {}

#[cfg(test)]
#[path = "tests/span_lanes.rs"]
mod tests;
