//! Calls of functions, counted one by one and added up: who called whom, in which lap, how often and for
//! how long.
//!
//! A recorder adds up what it sees and writes the sums now and then; sums of the same lap, thread,
//! caller and function add up. Functions are numbered from 1 in each process.

use crate::path::PathId;

/// A function that was called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CalledFunction<'a> {
    /// Its number in this process, from 1.
    pub id: u32,
    /// The line at which it begins, from 1; 0 for one that isn't Python.
    pub line: u32,
    /// Its name.
    pub name: &'a str,
    /// The file that it stands in; `~` for one that isn't Python.
    pub file: &'a str,
}

/// What calls of one function from another one came to, in one lap and thread.
///
/// A function that calls itself, directly or through others, has the time of its outermost call only:
/// `total` of all callers adds up to the time in which the function was on the stack. The same for one
/// caller alone is `total_from`: the calls that are outermost among those from this caller.
///
/// **Units** ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FunctionCalls {
    /// The innermost lap that was open when the function was called; the root where none was.
    pub path: PathId,
    /// The system's thread id.
    pub thread: u64,
    /// The function that called; 0 where it isn't known.
    pub caller: u32,
    /// The function that was called.
    pub function: u32,
    /// What they came to.
    pub sums: CallSums,
}

/// Counts and times of calls.
///
/// **Units** ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CallSums {
    /// Calls that ended.
    pub calls: u64,
    /// Those of them that were outermost: not below another call of the function.
    pub primitive: u64,
    /// Time in the function itself.
    pub own: u64,
    /// Time of the outermost calls, with all that they called.
    pub total: u64,
    /// Calls that were not below another one from the same caller.
    pub primitive_from: u64,
    /// Time of these.
    pub total_from: u64,
}

impl CallSums {
    /// Adds another one's.
    pub fn add(&mut self, other: &Self) {
        for (sum, more) in [
            (&mut self.calls, other.calls),
            (&mut self.primitive, other.primitive),
            (&mut self.own, other.own),
            (&mut self.total, other.total),
            (&mut self.primitive_from, other.primitive_from),
            (&mut self.total_from, other.total_from),
        ] {
            *sum = sum.saturating_add(more);
        }
    }
}
