//! One process file's spans as lanes, and its memory as a curve: what a timeline is drawn from.
//!
//! [`LaneReader`] is fed windows like the analyzer, in the same order. Moments are nanoseconds
//! since an origin that the caller chooses, so that several processes share one axis.

use std::collections::{BTreeMap, HashMap};

use laptime_core::format::process::ProcessHeader;
use laptime_core::format::window::Window;
use laptime_core::format::{reader::Visit, record::Record};
use laptime_core::{FormatError, PathId, PathTable, Span, SpanFlags};

use crate::error::AnalysisError;
use crate::events::Thinned;
use crate::lanes::{Bar, Lane, LaneBudget, LaneBuilder, Simplified};
use crate::timeline::Anchors;

/// Segments of timers stand below the spans of their track, at this depth.
const ASIDE_DEPTH: u32 = 1_000;

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

/// Reads one process file.
#[derive(Debug)]
pub struct LaneReader {
    file: String,
    header: ProcessHeader,
    kept: Kept,
}

/// What is kept of the file, in ticks.
#[derive(Debug)]
struct Kept {
    anchors: Anchors,
    paths: PathTable,
    /// Index of its name and depth, by path.
    places: Vec<Option<(u32, u32)>>,
    names: Vec<String>,
    index_of: HashMap<String, u32>,
    tracks: BTreeMap<u32, String>,
    lanes: LaneBuilder,
    resident: Thinned<u64>,
    wrong: Option<(PathId, &'static str)>,
}

impl LaneReader {
    /// From the first bytes of a process file.
    pub fn new(prefix: &[u8], file: &str, budget: LaneBudget) -> Result<Self, AnalysisError> {
        let header = ProcessHeader::parse(prefix).map_err(|source| AnalysisError::Format {
            file: file.to_owned(),
            source,
        })?;
        Ok(Self {
            file: file.to_owned(),
            kept: Kept {
                anchors: Anchors::new(&header),
                paths: PathTable::new(),
                places: Vec::new(),
                names: Vec::new(),
                index_of: HashMap::new(),
                tracks: BTreeMap::new(),
                lanes: LaneBuilder::new(budget),
                resident: Thinned::default(),
                wrong: None,
            },
            header,
        })
    }

    /// Who wrote the file.
    pub fn header(&self) -> &ProcessHeader {
        &self.header
    }

    /// Takes in one slot.
    ///
    /// **Errors** at damage, with file and offset.
    pub fn window(&mut self, bytes: &[u8], offset: u64) -> Result<(), AnalysisError> {
        let damage = |file: &str, source: FormatError| AnalysisError::Format {
            file: file.to_owned(),
            source,
        };
        let window = Window::parse(bytes, offset).map_err(|source| damage(&self.file, source))?;
        let Some(window) = window else {
            return Ok(());
        };
        self.kept.anchors.add(window.header.anchor);
        window
            .visit(&mut self.kept)
            .map_err(|source| damage(&self.file, source))?;
        match self.kept.wrong {
            None => Ok(()),
            Some((path, what)) => Err(AnalysisError::Path {
                file: self.file.clone(),
                offset,
                path: path.0,
                what,
            }),
        }
    }

    /// Everything, at moments since `origin_ns` of `CLOCK_MONOTONIC`.
    pub fn finish(self, origin_ns: u64) -> ProcessLanes {
        let timeline = self.kept.anchors.timeline();
        let rate = self.kept.anchors.rate();
        let since = |ticks| timeline.monotonic_ns(ticks).saturating_sub(origin_ns);
        let (mut lanes, simplified) = self.kept.lanes.finish();
        for lane in &mut lanes {
            for bar in &mut lane.bars {
                bar.start_ns = since(bar.start_ns);
                bar.duration_ns = rate.nanoseconds(bar.duration_ns);
                bar.busy_ns = rate.nanoseconds(bar.busy_ns);
            }
        }
        let mut resident: Vec<(u64, u64)> = self
            .kept
            .resident
            .iter()
            .map(|(ticks, bytes)| (since(ticks), bytes))
            .collect();
        resident.sort_unstable();
        ProcessLanes {
            pid: self.header.pid,
            main_track: self.header.main_track,
            names: self.kept.names,
            tracks: self.kept.tracks,
            lanes,
            simplified,
            resident,
        }
    }
}

impl Kept {
    fn place(&mut self, path: PathId) -> Option<(u32, u32)> {
        if let Some(Some(place)) = self.places.get(path.index()) {
            return Some(*place);
        }
        let names = self.paths.names(path);
        let depth = (names.len() as u32).checked_sub(1)?;
        let name = (*names.last()?).to_owned();
        let index = self.index_of.get(&name).copied().unwrap_or_else(|| {
            let index = self.names.len() as u32;
            self.names.push(name.clone());
            self.index_of.insert(name, index);
            index
        });
        if self.places.len() <= path.index() {
            self.places.resize(path.index() + 1, None);
        }
        self.places[path.index()] = Some((index, depth));
        Some((index, depth))
    }

    fn span(&mut self, span: &Span) {
        let Some((name, depth)) = self.place(span.path) else {
            self.wrong = Some((span.path, "uses the undefined"));
            return;
        };
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

impl<'a> Visit<'a> for Kept {
    fn plain_span(&mut self, path: PathId, start: u64, duration: u64, track: u32) {
        self.span(&Span::plain(path, start, duration, track));
    }

    fn other(&mut self, record: Record<'a>) {
        match record {
            Record::Span(span) => self.span(&span),
            Record::Path { id, parent, name } if !self.paths.define(id, parent, name) => {
                self.wrong = Some((id, "defines differently the"));
            }
            Record::Anchor(anchor) => self.anchors.add(anchor),
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

#[cfg(test)]
#[path = "span_lanes_tests.rs"]
mod tests;
