//! Which stretches of a program are counted: a bounded number of each caller's.
//!
//! A caller is a module in one mode. Its calls are of one kind or of several, by what they
//! are given besides sizes; each kind has a [`Growth`] of its own, and the bound is for all of
//! them, so that none can go on being counted by being another one at every call.

use std::collections::HashMap;

use super::{Growth, Meeting, Part};

/// Calls of one caller that are counted without a formula, at most. What has a formula has found
/// it in half of that, and a program of forty fixed sizes has each of them counted.
pub const MOST_COUNTED: u32 = 64;

/// What a call is, but for its sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// Number of the caller.
    pub caller: u32,
    /// Number of the kind, among those of all callers.
    pub kind: u32,
}

/// What is to be done about a call that is not known yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The call is to be counted.
    Count,
    /// The call does this, as a formula says.
    Told(Vec<Part>),
    /// The call is left out: so many operations, of which nothing is known.
    LeftOut(Vec<Part>),
}

/// What became of all calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outcome {
    /// Calls that a formula told.
    pub told: usize,
    /// Calls that such formulas were found by and held for.
    pub held_for: usize,
}

/// All stretches of a process.
#[derive(Debug, Default)]
pub struct Stretches {
    growths: HashMap<u32, Growth>,
    counted: HashMap<u32, u32>,
}

impl Stretches {
    /// A call comes up that is not known, with a number of its own.
    pub fn meet(&mut self, of: Kind, number: u32, sizes: &[i64]) -> Verdict {
        let growth = self.growths.entry(of.kind).or_default();
        let counted = self.counted.get(&of.caller).copied().unwrap_or(0);
        match growth.meet(number, sizes) {
            Meeting::Told(parts) => Verdict::Told(parts),
            Meeting::Unknown if counted >= MOST_COUNTED => Verdict::LeftOut(growth.left_out()),
            Meeting::Check | Meeting::Unknown => Verdict::Count,
        }
    }

    /// A call was counted. Gives back what calls are now that were told otherwise.
    pub fn counted(&mut self, of: Kind, sizes: &[i64], parts: &[Part]) -> Vec<(u32, Vec<Part>)> {
        let growth = self.growths.entry(of.kind).or_default();
        if !growth.knows(sizes) {
            *self.counted.entry(of.caller).or_default() += 1;
        }
        let wrong = growth.counted(sizes, parts);
        unknown(growth, wrong)
    }

    /// Nothing comes up any more. Gives back what calls are now that were told more than is known.
    pub fn finish(&mut self) -> Vec<(u32, Vec<Part>)> {
        let growths = self.growths.values_mut();
        let taken_back = growths.flat_map(|growth| {
            let ahead = growth.finish();
            unknown(growth, ahead)
        });
        taken_back.collect()
    }

    /// What became of all calls so far.
    pub fn outcome(&self) -> Outcome {
        let mut outcome = Outcome::default();
        for growth in self.growths.values().filter(|growth| growth.told() > 0) {
            outcome.told += growth.told();
            outcome.held_for += growth.held_for;
        }
        outcome
    }
}

/// Calls of which nothing is known.
fn unknown(growth: &Growth, numbers: Vec<u32>) -> Vec<(u32, Vec<Part>)> {
    let parts = growth.left_out();
    let numbers = numbers.into_iter();
    numbers.map(|number| (number, parts.clone())).collect()
}
