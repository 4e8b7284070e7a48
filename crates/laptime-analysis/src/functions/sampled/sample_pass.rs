//! The pass that finds the lap of each sample: the innermost one that was open for the thread or task that ran.
//!
//! Spans come in any order, so the deepest one that covers a sample's moment so far is kept. A task's
//! sample is in a lap of its track, else in the one that the task was started in, else in one of
//! its thread. Where it isn't known who ran, as in older recordings, several tasks of an asyncio
//! thread may have laps open: the sample is in what these have in common.

use std::collections::HashMap;

use laptime_core::format::reader::{Visit, VisitProcess};
use laptime_core::format::record::Record;
use laptime_core::{PathId, PathTable, Runner, Span, SpanFlags};

use super::moments::Moments;
use crate::functions::stack_records::InLap;
use crate::reading::process::Process;
use crate::reading::read_again::Finish;

/// Tasks that are told apart at one moment of a thread.
const MOST_TASKS: usize = 64;

/// The deepest lap so far that covers a sample.
#[derive(Debug, Clone, Copy)]
struct Deepest {
    path: PathId,
    depth: u32,
}

const NONE: Deepest = Deepest {
    path: PathId::ROOT,
    depth: 0,
};

/// The thread or task whose laps a sample may be in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum LapOwner {
    /// A thread's own laps, by the thread.
    Thread(u64),
    /// A task's laps, by its track.
    Task(u32),
    /// The laps of any task of a thread.
    AnyTask(u64),
}

/// A track of laps, and where the moments of those stand that may be in them.
#[derive(Debug, Clone, Copy)]
struct Track {
    number: u32,
    is_task: bool,
    moments: [Option<usize>; 2],
}

/// Finds the laps of one process's samples.
#[derive(Debug)]
pub struct StackPass<'p> {
    process: &'p mut Process,
    /// When the samples of each owner were taken, and where that stands.
    moments: Vec<Moments>,
    owners: HashMap<LapOwner, usize>,
    /// The track of the span before: most spans are of the same one.
    last: Option<Track>,
    /// Depth of each path.
    depths: Vec<u32>,
    /// The deepest lap of the thread itself, by sample.
    of_threads: Vec<Deepest>,
    /// The deepest lap of each task, by sample.
    of_tasks: HashMap<u32, Vec<(u32, Deepest)>>,
}

impl<'p> StackPass<'p> {
    /// Begins the pass; `None` where no stack was sampled.
    pub fn begin(process: &'p mut Process) -> Option<Self> {
        (!process.features.stacks.is_empty()).then(|| Self::new(process))
    }

    fn new(process: &'p mut Process) -> Self {
        let (mut moments, mut owners): (Vec<Moments>, HashMap<LapOwner, usize>) =
            Default::default();
        for (index, sample) in (0..).zip(&process.features.stacks.samples) {
            let mut add = |owner| {
                let at = *owners.entry(owner).or_insert(moments.len());
                if at == moments.len() {
                    moments.push(Moments::default());
                }
                moments[at].add(sample.ticks, index);
            };
            add(LapOwner::Thread(sample.thread));
            match sample.runner {
                Runner::Unknown => add(LapOwner::AnyTask(sample.thread)),
                Runner::Task { track, .. } => add(LapOwner::Task(track)),
                Runner::Thread => {}
            }
        }
        moments.iter_mut().for_each(Moments::sort);
        let depths = (0..process.paths.len() as u32).map(|id| depth(&process.paths, PathId(id)));
        Self {
            depths: depths.collect(),
            of_threads: vec![NONE; process.features.stacks.samples.len()],
            of_tasks: HashMap::new(),
            moments,
            owners,
            last: None,
            process,
        }
    }

    fn span(&mut self, path: PathId, start: u64, end: u64, track: u32) {
        let lapped = self.process.features.stacks.lapped.unwrap_or((start, end));
        self.process.features.stacks.lapped = Some((lapped.0.min(start), lapped.1.max(end)));
        let Some(track) = self.track(track) else {
            return;
        };
        let depth = self.depths.get(path.index()).copied().unwrap_or(0);
        let found = Deepest { path, depth };
        if track.is_task {
            self.process.features.stacks.not_of_threads.insert(path);
        }
        for at in track.moments.into_iter().flatten() {
            for sample in self.moments[at].inside(start, end) {
                if track.is_task {
                    let tasks = self.of_tasks.entry(sample).or_default();
                    let known = tasks.iter().position(|(known, _)| *known == track.number);
                    match known {
                        Some(at) if tasks[at].1.depth < depth => tasks[at].1 = found,
                        None if tasks.len() < MOST_TASKS => tasks.push((track.number, found)),
                        _ => {}
                    }
                } else if let Some(deepest) = self.of_threads.get_mut(sample as usize)
                    && deepest.depth < depth
                {
                    *deepest = found;
                }
            }
        }
    }

    /// Returns a track; `None` where no record names it.
    fn track(&mut self, number: u32) -> Option<Track> {
        if let Some(last) = self.last.filter(|last| last.number == number) {
            return Some(last);
        }
        let (thread, is_task) = *self.process.features.stacks.tracks.get(&number)?;
        let place = |owner| self.owners.get(&owner).copied();
        let moments = if is_task {
            [
                place(LapOwner::Task(number)),
                place(LapOwner::AnyTask(thread)),
            ]
        } else {
            [place(LapOwner::Thread(thread)), None]
        };
        self.last = Some(Track {
            number,
            is_task,
            moments,
        });
        self.last
    }

    fn lap(&self, runner: Runner, of_tasks: &[(u32, Deepest)], of_thread: Deepest) -> InLap {
        let tasks = of_tasks.len() as u32;
        let path = match (of_tasks, runner) {
            ([(_, first), others @ ..], _) => others.iter().fold(first.path, |path, (_, other)| {
                common(&self.process.paths, path, other.path)
            }),
            ([], Runner::Task { path, .. }) if path != PathId::ROOT => path,
            ([], _) => of_thread.path,
        };
        InLap { path, tasks }
    }
}

impl Finish for StackPass<'_> {
    fn finish(mut self) {
        let open: Vec<(PathId, u64, u32)> = (self.process.facts.open.iter())
            .map(|open| (open.path, open.start, open.track))
            .collect();
        for (path, start, track) in open {
            self.span(path, start, u64::MAX, track);
        }
        let samples = self
            .process
            .features
            .stacks
            .samples
            .iter()
            .zip(&self.of_threads);
        let laps = (0..).zip(samples).map(|(index, (sample, of_thread))| {
            let of_tasks = self.of_tasks.get(&index).map_or(&[][..], Vec::as_slice);
            self.lap(sample.runner, of_tasks, *of_thread)
        });
        self.process.features.stacks.laps = laps.collect();
    }
}

impl<'a> Visit<'a> for StackPass<'_> {
    #[inline]
    fn plain_span(&mut self, path: PathId, start: u64, duration: u64, track: u32) {
        self.span(path, start, start.saturating_add(duration), track);
    }

    fn other(&mut self, record: Record<'a>) {
        let Record::Span(span) = record else {
            return;
        };
        if is_lap(&span) {
            self.span(span.path, span.start, span.end(), span.track);
        } else {
            self.process
                .features
                .stacks
                .not_of_threads
                .insert(span.path);
        }
    }
}

impl VisitProcess for StackPass<'_> {}

/// Tells whether a span covers all of its time: timers' segments overlap, and generators pause.
fn is_lap(span: &Span) -> bool {
    !span.flags.has(SpanFlags::ASIDE) && !span.flags.has(SpanFlags::SUSPENDED)
}

fn depth(paths: &PathTable, id: PathId) -> u32 {
    paths.names(id).len() as u32
}

/// Returns the innermost path that two paths lie in.
pub fn common(paths: &PathTable, one: PathId, other: PathId) -> PathId {
    let parent = |id: PathId| paths.get(id).map_or(PathId::ROOT, |entry| entry.parent);
    let (mut one, mut other) = (one, other);
    while one != other {
        // A parent's number is smaller than its children's.
        if one.0 > other.0 {
            one = parent(one);
        } else {
            other = parent(other);
        }
    }
    one
}
