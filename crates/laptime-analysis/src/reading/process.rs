//! One process while it is read: its facts, the totals of its spans, and what each feature keeps.

use laptime_core::{Live, PathId, PathTable, ProcessFacts, SpanFlags};

use crate::reading::feature::{Context, Feature};
use crate::reading::features::Features;
use crate::reading::first_steps::{Series, Step};
use crate::reading::path_role::STEP;
use crate::reading::process_facts::Facts;
use crate::reading::snapshot_tail::SnapshotTail;
use crate::reading::span_totals::Spans;
use crate::reading::totals::Totals;

/// One process.
#[derive(Debug)]
pub struct Process {
    /// Facts: who it is, its clock, and how its recording ends.
    pub facts: Facts,
    /// The paths of its spans.
    pub paths: PathTable,
    /// Totals of its spans.
    pub spans: Spans,
    /// The features, each with what it keeps of the process.
    pub features: Features,
}

impl Process {
    /// Begins with what is known before its records: who it is, and its clock's rate.
    pub fn new(facts: ProcessFacts) -> Self {
        let facts = Facts::new(facts);
        let mut process = Self {
            spans: Spans::new(facts.header.main_track),
            facts,
            paths: PathTable::new(),
            features: Features::default(),
        };
        process.define(PathId::OVERFLOW, PathId::ROOT, PathTable::OVERFLOW_NAME);
        process
    }

    /// Takes in a path's name.
    pub fn define(&mut self, id: PathId, parent: PathId, name: &str) {
        self.paths.define(id, parent, name);
        self.spans.roles.define(id, parent, name, &self.paths);
    }

    /// Splits the process into the context of a record, and the features that take it.
    pub fn with_context(&mut self) -> (Context<'_>, &mut Features) {
        let context = Context {
            paths: &self.paths,
            rate: self.facts.rate,
        };
        (context, &mut self.features)
    }

    /// Takes in what the windows of a snapshot don't hold; paths are the reader's.
    pub fn take_live(&mut self, live: &Live) {
        self.facts.is_live = true;
        self.spans.tail = SnapshotTail::new(live);
        self.features.take_live(live);
    }

    /// Takes in what is known once all windows were read.
    pub fn complete(&mut self, facts: ProcessFacts) {
        self.facts.complete(facts);
        self.spans.end_windows();
    }

    /// Begins the steady state at a moment: what follows it is about to be read again if it must be.
    pub fn begin_steady(&mut self, since_ns: u64) {
        let from = self.facts.anchors.timeline().ticks_at(since_ns);
        self.spans.begin_steady(from, since_ns);
    }

    /// Returns the number of one of the first steps of a series, from 0, as the program counts them: those that ran
    /// under another name, counted and profiled ones, are steps too.
    pub fn number(&self, series: &Series, at: usize, step: Step) -> u64 {
        let entry = self.paths.get(series.path);
        let parent = entry.filter(|entry| &*entry.name == STEP);
        let aside = parent.map_or(0, |entry| {
            let steps = &self.features.steps;
            steps.aside_before(step.start, entry.parent, series.track)
        });
        at as u64 + aside
    }

    /// Adds the spans that were open when the process ended, from `from` (or the whole run) to `end`, in ticks.
    pub fn take_open(&self, totals: &mut Totals, from: u64, end: u64) {
        let mut track_before = None;
        for open in &self.facts.open {
            let is_first = track_before.replace(open.track) != Some(open.track);
            if open.path == PathId::OVERFLOW && !is_first {
                continue; // its time is in that of what is around it
            }
            let is_outermost = self
                .paths
                .get(open.path)
                .is_some_and(|entry| entry.parent == PathId::ROOT);
            let flags = if is_first && !is_outermost {
                SpanFlags::DETACHED
            } else {
                SpanFlags::NONE
            };
            totals.take_open(open, flags, from, end, self.facts.rate);
        }
    }

    /// Adds the spans that were open at `end_ns` to the totals of the whole run.
    pub fn take_open_until(&mut self, end_ns: u64) {
        let none = Totals::new(self.facts.header.main_track);
        let mut totals = std::mem::replace(&mut self.spans.totals, none);
        let end = self.facts.anchors.timeline().ticks_at(end_ns);
        self.take_open(&mut totals, 0, end);
        self.spans.totals = totals;
    }

    /// Tells whether the process has no lap and no segment: it waits for others, or did nothing that anybody
    /// asked about.
    pub fn is_idle(&self) -> bool {
        !self.spans.has_any()
            && self.facts.open.is_empty()
            && self.features.covers.segments().is_none()
    }

    /// Counts the spans that finished, those of `<overflow>` included.
    pub fn span_count(&mut self) -> u64 {
        self.spans.count() + self.facts.overflowed_spans
    }
}
