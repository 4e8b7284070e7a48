//! The pass that finds the lap of each operator: the innermost one of its thread that holds its start.
//!
//! A framework's own threads, such as those that autograd starts for a device, have no laps: what runs
//! there is in the lap that the main thread was in. What a device did is in the lap of its launch.
//! Spans come in any order, so the deepest one so far is kept.

use std::collections::HashMap;

use laptime_core::format::reader::{Visit, VisitProcess};
use laptime_core::format::record::Record;
use laptime_core::{PathId, SpanFlags};

use crate::reading::process::Process;
use crate::reading::read_again::Finish;

/// The innermost lap so far: how deep it is, when it began, and its path.
type Innermost = (usize, u64, PathId);

const NONE: Innermost = (0, 0, PathId::ROOT);

/// A moment on a thread whose lap is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    pub ticks: u64,
    pub thread: u64,
}

/// Moments, and the laps that hold them.
#[derive(Debug, Default)]
pub struct Joined {
    /// Moments and numbers by thread, in time order.
    by_thread: HashMap<u64, Vec<(u64, usize)>>,
    /// Moments and numbers of all threads, in time order.
    all: Vec<(u64, usize)>,
    on_thread: Vec<Innermost>,
    on_main: Vec<Innermost>,
    main: u64,
}

impl Joined {
    /// Begins to look for the laps of moments; `main` is the main thread.
    pub fn new(moments: &[Moment], main: u64) -> Self {
        let mut joined = Self {
            on_thread: vec![NONE; moments.len()],
            on_main: vec![NONE; moments.len()],
            main,
            ..Self::default()
        };
        for (at, moment) in moments.iter().enumerate() {
            let of_thread = joined.by_thread.entry(moment.thread).or_default();
            of_thread.push((moment.ticks, at));
            joined.all.push((moment.ticks, at));
        }
        joined.all.sort_unstable();
        for moments in joined.by_thread.values_mut() {
            moments.sort_unstable();
        }
        joined
    }

    /// Takes in a lap.
    pub fn lap(&mut self, thread: u64, start: u64, end: u64, depth: usize, path: PathId) {
        let found = (depth, start, path);
        if let Some(moments) = self.by_thread.get(&thread) {
            deepen(&mut self.on_thread, moments, end, found);
        }
        if thread == self.main {
            deepen(&mut self.on_main, &self.all, end, found);
        }
    }

    /// Returns the lap of each moment: of its thread, else of the main thread; the root where there was none.
    pub fn finish(self) -> Vec<PathId> {
        let each = self.on_thread.into_iter().zip(self.on_main);
        each.map(|(own, main)| if own == NONE { main.2 } else { own.2 })
            .collect()
    }
}

fn deepen(innermost: &mut [Innermost], moments: &[(u64, usize)], end: u64, found: Innermost) {
    let (depth, start, _) = found;
    let from = moments.partition_point(|(ticks, _)| *ticks < start);
    let inside = moments[from..].iter();
    for (_, at) in inside.take_while(|(ticks, _)| *ticks < end) {
        let known = &mut innermost[*at];
        if (known.0, known.1) < (depth, start) {
            *known = found;
        }
    }
}

/// Finds the laps of one process's operators.
#[derive(Debug)]
pub struct OperatorPass<'p> {
    process: &'p mut Process,
    joined: Joined,
    /// Depth of each path.
    depths: Vec<usize>,
}

impl<'p> OperatorPass<'p> {
    /// Begins the pass; `None` where no step was profiled.
    pub fn begin(process: &'p mut Process) -> Option<Self> {
        (!process.features.profiler.is_empty()).then(|| Self::new(process))
    }

    fn new(process: &'p mut Process) -> Self {
        let kept = &process.features.profiler;
        let operators = kept.operators.iter().map(|one| (one.ticks, one.thread));
        let works = kept.works.iter().map(|one| one.launched);
        let moments: Vec<Moment> = operators
            .chain(works)
            .map(|(ticks, thread)| Moment { ticks, thread })
            .collect();
        let main = process
            .features
            .stacks
            .tracks
            .get(&process.facts.header.main_track);
        let paths = (0..process.paths.len() as u32).map(PathId);
        Self {
            joined: Joined::new(&moments, main.map_or(0, |(thread, _)| *thread)),
            depths: paths.map(|id| process.paths.names(id).len()).collect(),
            process,
        }
    }

    fn span(&mut self, path: PathId, start: u64, end: u64, track: u32) {
        let depth = self.depths.get(path.index()).copied().unwrap_or(0);
        if let Some((thread, _)) = self.process.features.stacks.tracks.get(&track) {
            self.joined.lap(*thread, start, end, depth, path);
        }
    }
}

impl Finish for OperatorPass<'_> {
    fn finish(mut self) {
        let open: Vec<(PathId, u64, u32)> = (self.process.facts.open.iter())
            .map(|open| (open.path, open.start, open.track))
            .collect();
        for (path, start, track) in open {
            self.span(path, start, u64::MAX, track);
        }
        let laps = self.joined.finish();
        let kept = &mut self.process.features.profiler;
        let is_known = kept.works.iter().map(|work| work.launched.1 != 0);
        let is_known = std::iter::repeat_n(true, kept.operators.len()).chain(is_known);
        let known = laps.into_iter().zip(is_known);
        kept.laps = known.map(|(lap, is)| is.then_some(lap)).collect();
    }
}

impl<'a> Visit<'a> for OperatorPass<'_> {
    #[inline]
    fn plain_span(&mut self, path: PathId, start: u64, duration: u64, track: u32) {
        self.span(path, start, start.saturating_add(duration), track);
    }

    fn other(&mut self, record: Record<'a>) {
        if let Record::Span(span) = record
            && !span.flags.has(SpanFlags::ASIDE)
            && !span.flags.has(SpanFlags::SUSPENDED)
        {
            self.span(span.path, span.start, span.end(), span.track);
        }
    }
}

impl VisitProcess for OperatorPass<'_> {}
