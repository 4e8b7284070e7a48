//! Epochs of a process: when each began, and which steps and evaluations ran in it.
//!
//! An epoch begins at a mark named `epoch`, which automatic phases set, or with a span of that
//! name. It lasts until the next one begins, the last one until its span, or its last step or
//! evaluation, ends. Steps and evaluations may come in any order. Where there are many, neighbours are put
//! together, but never across the beginning of an epoch that is known by then.
//!
//! Passes that run one after the other may each have a track of their own, as a notebook's cells do: they
//! are one training's. Of trainings side by side the one with most epochs is told.

use laptime_core::format::record::Record;
use laptime_core::{PhaseName, Span, SpanFlags};

use crate::reading::feature::{Context, Feature};
use crate::reading::path_role::Noted;

/// Most steps and evaluations that are stored one by one, 400 kB; neighbours among more are put together.
const MOST_UNITS: usize = 8_192;
/// Latest steps and evaluations that stay apart: an epoch may turn out to have begun before any of them.
const LATEST: usize = 256;
/// Most epochs; where there are more, none are told.
const MOST_EPOCHS: usize = 4_096;
/// Most threads and tasks that are told apart: a notebook's cells are tasks.
const MOST_TRACKS: usize = 512;
/// Tracks that may each have as many units and epochs as that; further ones get as much as a notebook's cell
/// has.
const FIRST_TRACKS: usize = 8;
const FEW_UNITS: usize = 2 * LATEST;
const FEW_EPOCHS: usize = 64;

/// An epoch; moments in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Epoch {
    /// Start of the epoch.
    pub start: u64,
    /// Start of the next epoch, or end of the last step or evaluation.
    pub end: u64,
    /// Number of steps that began in it.
    pub steps: u64,
    /// Number of evaluations that began in it.
    pub evaluations: u64,
    /// Time of these evaluations.
    pub evaluation: u64,
}

/// Steps and evaluations next to each other.
#[derive(Debug, Clone, Copy)]
struct Units {
    start: u64,
    end: u64,
    steps: u64,
    evaluations: u64,
    evaluation: u64,
}

#[derive(Debug, Clone)]
struct Track {
    most_epochs: usize,
    most_units: usize,
    marks: Vec<u64>,
    spans: Vec<u64>,
    /// End of the latest of the epochs' spans.
    ended: u64,
    units: Vec<Units>,
}

/// Epochs of a process, by track.
#[derive(Debug, Default)]
pub struct Epochs {
    tracks: Vec<(u32, Track)>,
    /// The track of the latest record, which nearly always goes on.
    last: usize,
}

impl Epochs {
    /// Adds a mark named `epoch`.
    pub fn mark(&mut self, track: u32, ticks: u64) {
        if let Some(track) = self.track(track)
            && track.marks.len() < track.most_epochs
        {
            track.marks.push(ticks);
        }
    }

    /// Adds a finished span, or a piece of one, with this name.
    #[inline]
    pub fn span(&mut self, name: PhaseName, span: &Span) {
        let Some(track) = self.track(span.track) else {
            return;
        };
        // What came before a rest is in another row, and no whole one either.
        let is_new = span.flags.is_whole() || span.flags.has(SpanFlags::REST);
        let (mut steps, mut evaluations, mut evaluation) = (0, 0, 0);
        match name {
            PhaseName::Step => steps = u64::from(is_new),
            PhaseName::Evaluation => {
                (evaluations, evaluation) = (u64::from(is_new), span.duration);
            }
            PhaseName::Epoch if is_new && track.spans.len() < track.most_epochs => {
                track.spans.push(span.start);
                track.ended = track.ended.max(span.end());
                return;
            }
            _ => return,
        }
        track.units.push(Units {
            start: span.start,
            end: span.end(),
            steps,
            evaluations,
            evaluation,
        });
        if track.units.len() > track.most_units {
            track.put_together();
        }
    }

    #[inline]
    fn track(&mut self, track: u32) -> Option<&mut Track> {
        if self
            .tracks
            .get(self.last)
            .is_none_or(|last| last.0 != track)
        {
            let known = self.tracks.iter().position(|known| known.0 == track);
            let count = self.tracks.len();
            if known.is_none() {
                if count >= MOST_TRACKS {
                    return None;
                }
                self.tracks.push((track, Track::new(count < FIRST_TRACKS)));
            }
            self.last = known.unwrap_or(count);
        }
        Some(&mut self.tracks[self.last].1)
    }

    /// Returns the epochs of the training that has most of them, in order.
    pub fn main_training(&self) -> Vec<Epoch> {
        let most = |training: &&Track| training.epoch_starts().len();
        let trainings = self.trainings();
        let found = trainings.iter().rev().max_by_key(most);
        found.map_or(Vec::new(), Track::epochs)
    }

    /// Returns the tracks with epochs, those that follow each other put together.
    fn trainings(&self) -> Vec<Track> {
        let trained = self
            .tracks
            .iter()
            .filter(|(_, one)| !one.epoch_starts().is_empty());
        let mut trained: Vec<((u64, u32), &Track)> = trained
            .map(|(track, one)| ((one.start(), *track), one))
            .collect();
        trained.sort_by_key(|(order, _)| *order);
        let mut trainings: Vec<Track> = Vec::new();
        for ((start, _), track) in trained {
            let before = trainings.iter_mut().find(|one| one.end() <= start);
            if let Some(before) = before {
                before.marks.extend(&track.marks);
                before.spans.extend(&track.spans);
                before.ended = before.ended.max(track.ended);
                before.units.extend(&track.units);
                before.most_epochs = MOST_EPOCHS;
            } else {
                trainings.push(track.clone());
            }
        }
        trainings
    }
}

impl Track {
    fn new(is_first: bool) -> Self {
        let (most_epochs, most_units) = if is_first {
            (MOST_EPOCHS, MOST_UNITS)
        } else {
            (FEW_EPOCHS, FEW_UNITS)
        };
        Self {
            most_epochs,
            most_units,
            marks: Vec::new(),
            spans: Vec::new(),
            ended: 0,
            units: Vec::new(),
        }
    }

    /// Returns when the first epoch began.
    fn start(&self) -> u64 {
        self.epoch_starts().iter().copied().min().unwrap_or(0)
    }

    /// Returns when the last step or evaluation ended.
    fn end(&self) -> u64 {
        let begun = self.epoch_starts().iter().copied();
        let ended = self.units.iter().map(|units| units.end);
        begun
            .chain(ended)
            .max()
            .unwrap_or(0)
            .max(self.last_span_end())
    }

    /// Returns when the last span of an epoch ended; 0 where epochs are marks, which have no end.
    fn last_span_end(&self) -> u64 {
        if self.marks.is_empty() { self.ended } else { 0 }
    }

    /// Returns when epochs began: marks count before spans, as automatic phases set them. Returns none where
    /// there are too many.
    fn epoch_starts(&self) -> &[u64] {
        let begun = if self.marks.is_empty() {
            &self.spans
        } else {
            &self.marks
        };
        if begun.len() < self.most_epochs {
            begun
        } else {
            &[]
        }
    }

    fn put_together(&mut self) {
        self.units.sort_unstable_by_key(|units| units.start);
        let mut begun = self.epoch_starts().to_vec();
        begun.sort_unstable();
        let epoch_of = |units: &Units| begun.partition_point(|began| *began <= units.start);
        let mut left = self.units.len().saturating_sub(LATEST);
        let mut is_single = true;
        self.units.dedup_by(|units, last| {
            left = left.saturating_sub(1);
            is_single = !(is_single && left > 0 && epoch_of(last) == epoch_of(units));
            if !is_single {
                last.end = last.end.max(units.end);
                last.steps += units.steps;
                last.evaluations += units.evaluations;
                last.evaluation = last.evaluation.saturating_add(units.evaluation);
            }
            !is_single
        });
    }

    fn epochs(&self) -> Vec<Epoch> {
        let mut begun = self.epoch_starts().to_vec();
        begun.sort_unstable();
        begun.dedup();
        let next = begun.iter().skip(1).copied().chain([u64::MAX]);
        let mut epochs: Vec<Epoch> = (begun.iter().zip(next))
            .map(|(start, end)| Epoch {
                start: *start,
                end,
                steps: 0,
                evaluations: 0,
                evaluation: 0,
            })
            .collect();
        let mut last_end = begun.last().copied().unwrap_or(0).max(self.last_span_end());
        for units in &self.units {
            let index = begun.partition_point(|began| *began <= units.start);
            let Some(epoch) = index.checked_sub(1).and_then(|index| epochs.get_mut(index)) else {
                continue;
            };
            epoch.steps += units.steps;
            epoch.evaluations += units.evaluations;
            epoch.evaluation = epoch.evaluation.saturating_add(units.evaluation);
            last_end = last_end.max(units.end);
        }
        if let Some(last) = epochs.last_mut() {
            last.end = last_end;
        }
        epochs
    }
}

impl Feature for Epochs {
    fn take_record(&mut self, record: &Record<'_>, context: Context<'_>) {
        if let Record::Mark { path, ticks, track } = *record {
            let name = context.paths.get(path).map(|entry| &*entry.name);
            if name == Some(PhaseName::Epoch.text()) {
                self.mark(track, ticks);
            }
        }
    }

    fn take_span(&mut self, span: &Span, noted: Noted, _: Context<'_>) {
        let phase = noted.phase.filter(|_| !noted.is_nested);
        if let Some(phase) = phase.filter(|_| !span.flags.has(SpanFlags::ASIDE)) {
            self.span(phase, span);
        }
    }
}

#[cfg(test)]
#[path = "tests/epochs.rs"]
mod tests;
