//! The energy of laps, by path: plain sums.

use std::collections::BTreeMap;

use laptime_core::PathId;

use super::energy::NoEnergy;
use crate::reading::feature::Feature;

/// Energy of the spans of one path.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PathEnergy {
    /// Energy of the spans that have one, in mJ.
    pub mj: f64,
    /// Number of spans that have an energy.
    pub told: u64,
    /// Reason of another span that has none.
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

    /// Adds the energy of another process's spans.
    pub fn merge(&mut self, other: Self) {
        self.mj += other.mj;
        self.told += other.told;
        self.lacks = self.lacks.max(other.lacks);
    }
}

/// Energy by path: of all spans, and of the steady state's.
#[derive(Debug, Default)]
pub struct EnergyByPath {
    pub all: BTreeMap<PathId, PathEnergy>,
    pub steady: BTreeMap<PathId, PathEnergy>,
}

/// Filled by a pass of its own, not by records one by one.
impl Feature for EnergyByPath {}
