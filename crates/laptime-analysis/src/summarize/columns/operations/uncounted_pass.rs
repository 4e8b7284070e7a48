//! Finds the spans in which calls ran whose operations are left out: how long they took, and what else was
//! counted in them.
//!
//! A call is left out where its shapes are none of those that were counted, and no formula tells it. A rate
//! of the other calls divides by the time of the other spans alone, so both must be known by span. That is a
//! pass of its own, once it is known which calls are left out: some are so only when the program ends.
//!
//! A run of a stretch is told as it begins. It belongs to the spans around that moment, and to those that
//! begin after it, until the next run of a stretch that works there.

use std::collections::HashMap;

use laptime_core::format::reader::{Visit, VisitProcess};
use laptime_core::format::record::Record;
use laptime_core::format::window::{WindowHeader, WindowState};
use laptime_core::{PathId, PathTable, Span, SpanFlags};

use super::stretch_operations::{DirectOperations, Stretches};
use super::uncounted_spans::{LeftOut, LeftOutSpans};
use crate::reading::process::Process;
use crate::reading::read_again::Finish;

/// Most runs of stretches of a thread that are stored within one outermost span: beyond them rates aren't told.
const MOST_RUNS: usize = 1 << 20;

/// Runs of stretches on one thread since its last outermost span.
#[derive(Debug, Default)]
struct Runs {
    /// Start of each run, in ticks, and its stretch.
    began: Vec<(u64, u32)>,
    /// Number of runs before these.
    before: usize,
    /// Number of runs that have been added to a path's spans, by path.
    added: HashMap<PathId, usize>,
}

/// Finds the spans of one process in which calls were left out.
#[derive(Debug)]
pub struct LeftOutPass<'p> {
    process: &'p mut Process,
    streams: HashMap<u32, Runs>,
    stream: u32,
    /// Whether a stretch works inside of a path.
    works: HashMap<(u32, PathId), bool>,
    found: LeftOutSpans,
}

impl<'p> LeftOutPass<'p> {
    /// Begins the pass; `None` where no call ran whose operations are left out.
    pub fn begin(process: &'p mut Process) -> Option<Self> {
        leaves_out(process).then(|| Self::new(process))
    }

    fn new(process: &'p mut Process) -> Self {
        Self {
            process,
            streams: HashMap::new(),
            stream: 0,
            works: HashMap::new(),
            found: LeftOutSpans::default(),
        }
    }

    fn ran(&mut self, ticks: u64, stretch: u32) {
        let runs = self.streams.entry(self.stream).or_default();
        if runs.began.len() < MOST_RUNS {
            runs.began.push((ticks, stretch));
        }
    }

    fn span(&mut self, span: &Span) {
        let Some(runs) = self.streams.get_mut(&self.stream) else {
            return;
        };
        let (process, path) = (&*self.process, span.path);
        let mut works = |stretch: u32| {
            let known = self.works.entry((stretch, path));
            *known.or_insert_with(|| {
                works_in(&process.features.stretches, &process.paths, stretch, path)
            })
        };
        let from = runs.began.partition_point(|(ticks, _)| *ticks < span.start);
        let to = runs.began.partition_point(|(ticks, _)| *ticks < span.end());
        let inside = (from..to).filter(|index| works(runs.began[*index].1));
        let mut of_span: Vec<usize> = inside.collect();
        if of_span.is_empty() {
            // What began before goes on.
            of_span.extend((0..from).rev().find(|index| works(runs.began[*index].1)));
        }
        let stretch = |index: &usize| runs.began[*index].1;
        let is_left_out = |index: &usize| process.features.stretches.is_left_out(stretch(index));
        if of_span.iter().any(is_left_out) {
            let added = runs.added.get(&path).copied().unwrap_or(0);
            let mut here = LeftOut {
                count: u64::from(span.flags.is_whole()),
                total_ns: process.facts.anchors.rate().nanoseconds(span.duration),
                operations: DirectOperations::default(),
            };
            // Of a path with several spans in a run, the first has it.
            for index in of_span
                .iter()
                .filter(|index| runs.before + **index >= added)
            {
                let parts = process
                    .features
                    .stretches
                    .inside(stretch(index), &process.paths, path);
                for (at_path, is_left_out) in parts {
                    here.operations.add(at_path, 1, is_left_out);
                }
            }
            self.found.all.entry(path).or_default().merge(&here);
            let steady = process.spans.steady.as_ref();
            if steady.is_some_and(|steady| span.start >= steady.from) {
                self.found.steady.entry(path).or_default().merge(&here);
            }
        }
        if let Some(last) = of_span.last() {
            let added = runs.added.entry(path).or_default();
            *added = (*added).max(runs.before + last + 1);
        }
        let parent = process.paths.get(path).map(|entry| entry.parent);
        if parent == Some(PathId::ROOT) {
            runs.before += to;
            runs.began.drain(..to);
        }
    }
}

/// Tells whether a stretch has operations at a path or inside of it.
fn works_in(stretches: &Stretches, paths: &PathTable, stretch: u32, path: PathId) -> bool {
    stretches.inside(stretch, paths, path).next().is_some()
}

impl Finish for LeftOutPass<'_> {
    fn finish(self) {
        self.process.features.left_out = self.found;
    }
}

impl<'a> Visit<'a> for LeftOutPass<'_> {
    fn plain_span(&mut self, path: PathId, start: u64, duration: u64, track: u32) {
        self.span(&Span::plain(path, start, duration, track));
    }

    fn other(&mut self, record: Record<'a>) {
        match record {
            Record::Ran { ticks, stretch } => self.ran(ticks, stretch),
            Record::Span(span) if !span.flags.has(SpanFlags::ASIDE) => self.span(&span),
            _ => {}
        }
    }
}

impl VisitProcess for LeftOutPass<'_> {
    fn window(&mut self, header: &WindowHeader, _: WindowState, _: u64) {
        self.stream = header.stream;
    }
}

/// Tells whether a call ran in a process, in the steady state or before it, whose operations are left out.
fn leaves_out(process: &Process) -> bool {
    let steady = process.spans.steady.as_ref().map(|steady| &steady.totals);
    let mut totals = std::iter::once(&process.spans.totals).chain(steady);
    totals.any(|totals| process.features.stretches.leaves_out(&totals.ran))
}
