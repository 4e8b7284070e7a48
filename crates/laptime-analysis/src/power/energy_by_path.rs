//! What laps drew, by path: plain sums.

use std::collections::BTreeMap;

use laptime_core::PathId;

use super::energy::NoEnergy;
use crate::reading::feature::Feature;

/// Of the spans of one path.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PathEnergy {
    /// Energy of those that tell it, in mJ.
    pub mj: f64,
    /// How many do.
    pub told: u64,
    /// Why another one doesn't.
    pub lacks: Option<NoEnergy>,
}

impl PathEnergy {
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
pub struct EnergyByPath {
    pub all: BTreeMap<PathId, PathEnergy>,
    pub steady: BTreeMap<PathId, PathEnergy>,
}

/// Filled by a pass of its own, not by records one by one.
impl Feature for EnergyByPath {}
