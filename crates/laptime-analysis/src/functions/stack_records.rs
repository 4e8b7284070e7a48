//! Sampled stacks of a process, from its records.
//!
//! The first pass keeps the samples; [`crate::functions::sampled`] finds the lap of each and adds them up.

use std::collections::{HashMap, HashSet};

use laptime_core::format::record::Record;
use laptime_core::{COLLECTION, PathId, SampledStack, StackFrame};

use crate::reading::feature::{Context, Feature};

/// Code of the note that says why no stack was sampled.
pub const NO_STACKS: &str = "stacks-unavailable";

/// Samples of a process: a day of a single busy thread. Later ones are counted as unread.
const MOST_SAMPLES: usize = 10_000_000;
/// Most functions of a process: as many as the recorder numbers.
const MOST_FUNCTIONS: usize = 65_536;
const MOST_FRAMES: usize = 262_144;
/// Threads and tasks whose system thread is remembered.
const MOST_TRACKS: usize = 1 << 20;

/// A function's name and the file that it stands in.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Function {
    pub name: String,
    pub file: String,
}

impl Function {
    /// Tells whether it stands for a garbage collection.
    pub fn is_collection(&self) -> bool {
        (&*self.name, &*self.file) == COLLECTION
    }

    /// Returns the function that one without a name of its own is written in, such as a comprehension.
    pub fn written_in(&self) -> &str {
        self.name.split(".<locals>.<").next().unwrap_or(&self.name)
    }
}

/// The lap in which a sample was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InLap {
    /// The innermost lap; the root where none was open.
    pub path: PathId,
    /// Number of tasks that may have run: more than one only where the recording doesn't say which did. The path is
    /// then the one that their laps have in common.
    pub tasks: u32,
}

/// Stacks that were sampled in a process.
#[derive(Debug, Default)]
pub struct Stacks {
    pub functions: HashMap<u32, Function>,
    pub frames: HashMap<u32, StackFrame>,
    pub samples: Vec<SampledStack>,
    /// Looks at a thread that read nothing, and the time that they stand for, in ns.
    pub unread: (u64, u64),
    /// Time in which no thread was looked at, in ns.
    pub unseen_ns: u64,
    /// The thread that a track runs on, and whether the track is a task.
    pub tracks: HashMap<u32, (u64, bool)>,
    /// The lap of each sample, once the third pass is over.
    pub laps: Vec<InLap>,
    /// Paths of which a span isn't all time of its thread: a task's, or one that was suspended.
    pub not_of_threads: HashSet<PathId>,
    /// Start of the first lap and end of the last one, in ticks, once the third pass is over.
    pub lapped: Option<(u64, u64)>,
}

impl Feature for Stacks {
    fn take_record(&mut self, record: &Record<'_>, _: Context<'_>) {
        match *record {
            Record::Function { id, name, file } if self.functions.len() < MOST_FUNCTIONS => {
                let function = || Function {
                    name: name.to_owned(),
                    file: file.to_owned(),
                };
                self.functions.entry(id).or_insert_with(function);
            }
            // A frame's caller has a smaller number, so no chain of them is a circle.
            Record::Frame(frame) if frame.parent < frame.id && self.frames.len() < MOST_FRAMES => {
                self.frames.entry(frame.id).or_insert(frame);
            }
            Record::Stack(stack) => self.take(stack),
            Record::TrackName {
                track,
                is_task,
                thread,
                ..
            } if self.tracks.len() < MOST_TRACKS => {
                self.tracks.insert(track, (thread, is_task));
            }
            _ => {}
        }
    }
}

impl Stacks {
    fn take(&mut self, stack: SampledStack) {
        if stack.thread == 0 {
            self.unseen_ns = self.unseen_ns.saturating_add(stack.stands_for_ns);
        }
        if stack.thread == 0 || stack.frame == 0 || self.samples.len() >= MOST_SAMPLES {
            let (looks, ns) = self.unread;
            self.unread = (looks + 1, ns.saturating_add(stack.stands_for_ns));
            return;
        }
        self.samples.push(stack);
    }

    /// Tells whether no stack was sampled, and none was missed.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }
}
