//! What laps drew, by path: plain sums.

use std::collections::BTreeMap;

use laptime_core::PathId;

use super::energy::NoEnergy;

/// Of the spans of one path.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct OfPath {
    /// Energy of those that tell it, in mJ.
    pub mj: f64,
    /// How many do.
    pub told: u64,
    /// Why another one doesn't.
    pub lacks: Option<NoEnergy>,
}

impl OfPath {
    /// Adds a span.
    pub fn add(&mut self, found: Result<f64, NoEnergy>) {
        match found {
            Ok(mj) => {
                self.mj += mj;
                self.told += 1;
            }
            Err(why) => self.lacks = self.lacks.max(Some(why)),
        }
    }

    /// Adds those of another process.
    pub fn merge(&mut self, other: Self) {
        self.mj += other.mj;
        self.told += other.told;
        self.lacks = self.lacks.max(other.lacks);
    }
}

/// By path: of all spans, and of those of the steady state.
#[derive(Debug, Default)]
pub struct OfLaps {
    pub all: BTreeMap<PathId, OfPath>,
    pub steady: BTreeMap<PathId, OfPath>,
}
