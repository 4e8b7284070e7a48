//! What stretches of a process do each time, and at which paths.

use std::collections::BTreeMap;

use laptime_core::operations::StretchOperations;
use laptime_core::{Cost, CostTally, PathId};

/// What a stretch does at one path each time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtPath {
    /// The operations.
    pub tally: CostTally,
    /// Where and on which type most multiply-accumulates ran; empty without any.
    pub kind: (String, String),
}

/// All stretches of a process.
#[derive(Debug, Clone, Default)]
pub struct Stretches {
    known: BTreeMap<(u32, PathId), AtPath>,
}

impl Stretches {
    /// Whether nothing is known of any.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Takes in what a stretch does at a path.
    ///
    /// What says that nothing is known takes a number back that was told too soon, and stays:
    /// another thread may have written it, and threads are read one after another.
    pub fn learn(&mut self, operations: &StretchOperations<'_>) {
        let kind = (operations.device.to_owned(), operations.dtype.to_owned());
        let at_path = AtPath {
            tally: operations.tally,
            kind,
        };
        let place = (operations.stretch, operations.path);
        let known = self.known.entry(place).or_insert_with(|| at_path.clone());
        if known.tally.counted > 0 {
            *known = at_path;
        }
    }

    /// What was done where, and how often, by stretches that ran so often.
    pub fn of_runs(
        &self,
        ran: &BTreeMap<u32, u64>,
    ) -> impl Iterator<Item = (PathId, &AtPath, u64)> {
        ran.iter().flat_map(|(stretch, times)| {
            let first = (*stretch, PathId(0));
            let last = (*stretch, PathId(u32::MAX));
            self.known
                .range(first..=last)
                .map(|((_, path), at_path)| (*path, at_path, *times))
        })
    }
}

/// Operations directly in a path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Own {
    /// All of them.
    pub tally: CostTally,
    /// Multiply-accumulates that ran, by device and type.
    pub by_kind: BTreeMap<(String, String), u128>,
}

impl Own {
    /// Adds so many times what a stretch does.
    pub fn add(&mut self, at_path: &AtPath, times: u64) {
        self.tally += CostTally {
            counted: at_path.tally.counted.saturating_mul(times),
            zero: at_path.tally.zero.saturating_mul(times),
            uncounted: at_path.tally.uncounted.saturating_mul(times),
            cost: at_path.tally.cost.times(times),
        };
        if at_path.tally.cost.executed_mac > 0 {
            let Cost { executed_mac, .. } = at_path.tally.cost;
            let mac = self.by_kind.entry(at_path.kind.clone()).or_default();
            *mac = mac.saturating_add(executed_mac.saturating_mul(times.into()));
        }
    }

    /// Adds those of another path.
    pub fn merge(&mut self, other: &Self) {
        self.tally += other.tally;
        for (kind, executed) in &other.by_kind {
            let mac = self.by_kind.entry(kind.clone()).or_default();
            *mac = mac.saturating_add(*executed);
        }
    }

    /// Where and on which type most of it ran.
    pub fn kind(&self) -> Option<&(String, String)> {
        let most = self.by_kind.iter().max_by_key(|(_, mac)| **mac);
        most.map(|(kind, _)| kind)
    }
}
