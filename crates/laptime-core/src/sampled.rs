//! Stacks that were sampled of a process, one by one, each with the lap that it was taken in: what an export
//! writes of them.
//!
//! Lines are left out: a function that calls another one is one call, in whichever line it does.

use crate::path::PathId;

/// What was sampled of a process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sampled {
    /// By number.
    pub functions: Vec<SampledFunction>,
    /// By number; a call has a larger one than the call that it was made from.
    pub calls: Vec<SampledCall>,
    /// In order of time.
    pub samples: Vec<Sample>,
}

/// A function's name, and the file that it stands in.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SampledFunction {
    /// Its qualified name.
    pub name: String,
    /// The file.
    pub file: String,
}

/// A function, as it was called on one way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SampledCall {
    /// The call that it was made from; `None` for the outermost function.
    pub from: Option<u32>,
    /// Number of the function.
    pub function: u32,
}

/// One look at a thread.
///
/// **Units** ticks and nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// When.
    pub ticks: u64,
    /// The system's thread id.
    pub thread: u64,
    /// Number of the innermost call.
    pub call: u32,
    /// Where it was taken.
    pub place: SamplePlace,
    /// Whether the thread had a processor, or waited for one.
    pub is_running: bool,
    /// The time that it stands for, up to its moment.
    pub stands_for_ns: u64,
}

/// Where a sample was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SamplePlace {
    /// In a lap, the innermost one.
    Lap(PathId),
    /// Outside of laps: what that is called, in a program that has some.
    Outside(Option<&'static str>),
}

impl Sampled {
    /// The numbers of a call's functions with the calls themselves, the outermost first.
    pub fn way(&self, call: u32) -> Vec<u32> {
        let mut way = Vec::new();
        let mut at = Some(call);
        while let Some(call) = at {
            let Some(known) = self.calls.get(call as usize) else {
                break;
            };
            way.push(call);
            at = known.from.filter(|from| *from < call);
        }
        way.reverse();
        way
    }

    /// The function of a call.
    pub fn function_of(&self, call: u32) -> Option<&SampledFunction> {
        let call = self.calls.get(call as usize)?;
        self.functions.get(call.function as usize)
    }
}
