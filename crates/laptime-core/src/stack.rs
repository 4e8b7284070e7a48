//! What a sampler sees of a program: which functions call which, at one moment after another.
//!
//! Functions and frames are numbered from 1 in each process. A frame is a function together with the
//! frame that called it and the line that it was in, so a stack is the number of its innermost frame.

use crate::path::PathId;

/// Name and file of the function that stands for a garbage collection, innermost on the stack of the thread that collects:
/// no function of Python has a name with a space.
pub const COLLECTION: (&str, &str) = ("garbage collection", "<interpreter>");

/// A function, called from another frame, in one of its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StackFrame {
    /// The frame's number in this process.
    pub id: u32,
    /// The frame that called it; 0 for the outermost.
    pub parent: u32,
    /// The function's number.
    pub function: u32,
    /// The line that ran, from 1; 0 where it isn't known.
    pub line: u32,
}

/// Who ran on a thread: the laps that were open are those of one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runner {
    /// It wasn't told, or could not be read.
    Unknown,
    /// The thread itself, outside of tasks.
    Thread,
    /// An asyncio task, or another one with a context of its own.
    Task {
        /// Its track; 0 for one that had no lap of its own yet.
        track: u32,
        /// The lap that it was in or, without one of its own, was started in; the root for none.
        path: PathId,
    },
}

/// What a thread was doing at one moment.
///
/// **Units** ticks and nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a bit of the record")]
pub struct SampledStack {
    /// When.
    pub ticks: u64,
    /// The system's thread id; 0 where not even the threads could be read.
    pub thread: u64,
    /// The innermost frame; 0 for a stack that could not be read.
    pub frame: u32,
    /// Whether the thread had a processor, or waited for one, rather than for something else: of more such threads than
    /// processors only those that used most of them.
    pub is_running: bool,
    /// Whether it held the interpreter's lock.
    pub has_interpreter: bool,
    /// Whether the thread went from no context to another since the look before: who runs had it all the while.
    pub in_same_turn: bool,
    /// Whether others of its event loop were ready to run, and waited for it.
    pub others_ready: bool,
    /// Who ran.
    pub runner: Runner,
    /// How far the moment may be off: a stack isn't read at once.
    pub within_ns: u64,
    /// The time that the sample stands for: from the one before to this one.
    pub stands_for_ns: u64,
}
