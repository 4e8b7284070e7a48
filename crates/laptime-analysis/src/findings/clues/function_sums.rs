//! Samples of one process, added up by function.
//!
//! A sample stands for the time before it. So what happened between two looks is told of the function that was seen
//! then: of single milliseconds that is a guess, of many samples together it is not.

use std::collections::BTreeMap;

use crate::findings::main_function::is_library;
use crate::functions::stack_records::Stacks;
use crate::summary::finding::MainFunction;

/// The part of all that a function must have more of to be named: surely more than half, of few samples too.
const MOST_RATIO: f64 = 0.6;
/// The least number of samples: of fewer, that part would be known too badly.
pub const LEAST_SAMPLES: usize = 20;
/// The least number of few samples, and the part of all that a function must have more of then. By chance as many fall into
/// one that has half of the time in one or two of a hundred runs.
const FEW_SAMPLES: usize = 6;
/// The part that belongs to these.
const FEW_RATIO: f64 = 0.9;

/// A function by its name and file, and the line in it that was seen.
pub type Place<'p> = (&'p str, &'p str, u32);

/// An amount that is added up by function, and by line of it.
#[derive(Default)]
pub struct FunctionSums<'p> {
    /// The number of samples that it was added up from.
    pub samples: usize,
    lines: BTreeMap<(&'p str, &'p str), BTreeMap<u32, f64>>,
}

impl<'p> FunctionSums<'p> {
    /// Adds what a sample stands for.
    pub fn add(&mut self, (name, file, line): Place<'p>, amount: f64) {
        let lines = self.lines.entry((name, file)).or_default();
        *lines.entry(line).or_default() += amount;
    }

    /// Returns the function that has most of `all`, if that is surely more than half.
    pub fn main_function(&self, all: f64) -> Option<MainFunction> {
        self.largest(all, LEAST_SAMPLES, MOST_RATIO)
    }

    /// Returns the same of few samples, of which nearly all must be in that function: of a program that mostly waits.
    pub fn main_of_few(&self, all: f64) -> Option<MainFunction> {
        self.largest(all, FEW_SAMPLES, FEW_RATIO)
    }

    fn largest(&self, all: f64, samples: usize, least: f64) -> Option<MainFunction> {
        let sum = |lines: &BTreeMap<u32, f64>| lines.values().sum::<f64>();
        let each = self.lines.iter();
        let ((name, file), lines) =
            each.max_by(|one, other| sum(one.1).total_cmp(&sum(other.1)))?;
        let (line, _) = lines.iter().max_by(|one, other| one.1.total_cmp(other.1))?;
        let ratio = sum(lines) / all;
        (self.samples >= samples && ratio > least).then(|| MainFunction {
            name: (*name).to_owned(),
            file: (*file).to_owned(),
            line: *line,
            // What is freed elsewhere makes it more than all.
            ratio: ratio.min(1.0),
            awaited: None,
        })
    }
}

/// Returns the innermost function of a stack that the program itself has; where there is none, the innermost of all.
pub fn program_function(stacks: &Stacks, innermost: u32) -> Option<Place<'_>> {
    let mut found = None;
    let mut at = innermost;
    while let Some(frame) = stacks.frames.get(&at) {
        let function = stacks.functions.get(&frame.function)?;
        let place = (function.name.as_str(), function.file.as_str(), frame.line);
        // Which function a collection begins in is chance, and it allocates nothing itself.
        if !function.is_collection() {
            if !is_library(&function.file) {
                return Some(place);
            }
            found = found.or(Some(place));
        }
        at = frame.parent;
    }
    found
}

/// Returns the functions of a stack that the program itself has, the outermost first.
pub fn program_functions(stacks: &Stacks, innermost: u32) -> Vec<Place<'_>> {
    let mut places = Vec::new();
    let mut at = innermost;
    while let Some(frame) = stacks.frames.get(&at) {
        if let Some(function) = stacks.functions.get(&frame.function)
            && !is_library(&function.file)
        {
            places.push((function.name.as_str(), function.file.as_str(), frame.line));
        }
        at = frame.parent;
    }
    places.reverse();
    places
}

#[cfg(test)]
#[path = "tests/function_sums.rs"]
mod tests;
