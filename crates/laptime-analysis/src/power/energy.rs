//! The energy counter of a device over time, and the energy between two moments.
//!
//! A counter changes in steps, ten to fifty a second, and is read ten times a second: what is known is the
//! first reading of each value. Between two of them the counter is taken to rise evenly. A stretch in which
//! it was seen to change fewer than [`LEAST_UPDATES`] times is mostly edges, and is not told.

use crate::reading::marks::Thinned;

/// Fewest changes of the counter inside of a stretch whose energy is told: an edge may be off by one of them.
pub const LEAST_UPDATES: usize = 5;
/// Most readings that are stored: as many as there are of samples.
const MOST: usize = 65_536;

/// Why a stretch has no energy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoEnergy {
    /// The device has no energy counter.
    NoCounter,
    /// The stretch began before, or ended after, the device was sampled.
    NotSampled,
    /// The counter changed too few times.
    TooShort,
    /// Something else ran in between.
    InPieces,
    /// The counter went back, as it does when the driver is loaded anew.
    WentBack,
}

impl NoEnergy {
    /// Returns the reason in words, after "because".
    pub const fn reason(self) -> &'static str {
        match self {
            Self::NoCounter => "the device has no energy counter",
            Self::NotSampled => "the device was not sampled from its start to its end",
            Self::TooShort => "fewer than 5 updates of the device's energy counter were seen",
            Self::InPieces => {
                "a span of it was interrupted: what the device drew meanwhile is not its own"
            }
            Self::WentBack => "the device's energy counter went back",
        }
    }
}

/// The counter's readings.
#[derive(Debug)]
pub struct Energy {
    /// The first reading of each value.
    changes: Thinned<u64>,
    latest: Option<u64>,
    first_at: u64,
    last_at: u64,
    went_back: bool,
}

impl Default for Energy {
    fn default() -> Self {
        Self {
            changes: Thinned::with_most(MOST),
            latest: None,
            first_at: u64::MAX,
            last_at: 0,
            went_back: false,
        }
    }
}

impl Energy {
    /// Adds a reading, at a moment in ticks.
    pub fn push(&mut self, at: u64, mj: u64) {
        self.went_back |= self.latest.is_some_and(|before| mj < before);
        if self.latest != Some(mj) {
            self.latest = Some(mj);
            self.changes.push(at, mj);
        }
        self.first_at = self.first_at.min(at);
        self.last_at = self.last_at.max(at);
    }

    /// Returns why no stretch has energy, however long it is.
    pub fn lack(&self) -> Option<NoEnergy> {
        if self.went_back {
            Some(NoEnergy::WentBack)
        } else if self.changes.iter().next().is_none() {
            Some(NoEnergy::NoCounter)
        } else {
            self.shortest().is_none().then_some(NoEnergy::TooShort)
        }
    }

    /// Returns how long a stretch must be at least for its energy to be told, in ticks; `None` where none can
    /// be.
    pub fn shortest(&self) -> Option<u64> {
        let changes: Vec<u64> = self.changes.iter().map(|(at, _)| at).collect();
        if self.went_back {
            return None;
        }
        let windows = changes.windows(LEAST_UPDATES);
        let spans = windows.map(|of| of[LEAST_UPDATES - 1].saturating_sub(of[0]));
        spans.min()
    }

    /// Returns the counter as a series to be asked again and again; `None` where it tells nothing.
    pub fn series(&self) -> Option<Series> {
        let changes: Vec<(u64, u64)> = self.changes.iter().collect();
        (!self.went_back && !changes.is_empty()).then_some(Series {
            changes,
            first_at: self.first_at,
            last_at: self.last_at,
        })
    }

    /// Returns the energy drawn while the device was sampled, in mJ.
    pub fn whole(&self) -> Result<f64, NoEnergy> {
        if self.went_back {
            return Err(NoEnergy::WentBack);
        }
        let series = self.series().ok_or(NoEnergy::NoCounter)?;
        series.between(self.first_at, self.last_at)
    }

    /// Returns the energy drawn from one moment to another, as far as the device was sampled in between, in mJ.
    pub fn inside(&self, from: u64, to: u64) -> Result<f64, NoEnergy> {
        if self.went_back {
            return Err(NoEnergy::WentBack);
        }
        let series = self.series().ok_or(NoEnergy::NoCounter)?;
        series.between(from.max(self.first_at), to.min(self.last_at))
    }
}

/// The changes of a counter, in time order.
#[derive(Debug, Clone)]
pub struct Series {
    changes: Vec<(u64, u64)>,
    first_at: u64,
    last_at: u64,
}

impl Series {
    /// Returns the energy drawn between two moments in ticks, in mJ.
    pub fn between(&self, from: u64, to: u64) -> Result<f64, NoEnergy> {
        if from < self.first_at || to > self.last_at {
            return Err(NoEnergy::NotSampled);
        }
        let before = |moment: u64| self.changes.partition_point(|(at, _)| *at < moment);
        let up_to = |moment: u64| self.changes.partition_point(|(at, _)| *at <= moment);
        // The first reading is no change: what was before isn't known.
        let first = before(from).max(1);
        if up_to(to).saturating_sub(first) < LEAST_UPDATES {
            return Err(NoEnergy::TooShort);
        }
        Ok(self.at(to) - self.at(from))
    }

    /// Returns the counter at a moment.
    fn at(&self, moment: u64) -> f64 {
        let next = self.changes.partition_point(|(at, _)| *at <= moment);
        let Some((before_at, before)) = next.checked_sub(1).map(|at| self.changes[at]) else {
            return self.changes.first().map_or(0.0, |(_, mj)| *mj as f64);
        };
        let Some((next_at, next)) = self.changes.get(next).copied() else {
            return before as f64;
        };
        let part = (moment - before_at) as f64 / (next_at - before_at).max(1) as f64;
        before as f64 + part * next.saturating_sub(before) as f64
    }
}
