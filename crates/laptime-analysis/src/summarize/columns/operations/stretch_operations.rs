//! Operations of a process's stretches, each time one runs, by path.

use std::collections::BTreeMap;

use laptime_core::format::record::Record;
use laptime_core::operations::StretchOperations;
use laptime_core::{Cost, CostTally, PathId, PathTable};

use crate::reading::feature::{Context, Feature};

/// Operations of a stretch at one path, each time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtPath {
    /// The operations.
    pub tally: CostTally,
    /// Device and type on which most multiply-accumulates ran; empty without any.
    pub kind: (String, String),
}

/// All stretches of a process.
#[derive(Debug, Clone, Default)]
pub struct Stretches {
    known: BTreeMap<(u32, PathId), AtPath>,
}

impl Stretches {
    /// Tells whether no stretch is known.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Takes in the operations of a stretch at a path. A record that nothing is known takes a number back that
    /// was told too soon, and stays: another thread may have written it, and threads are read one after
    /// another.
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

    fn parts(&self, stretch: u32) -> impl Iterator<Item = (PathId, &AtPath)> {
        let (first, last) = ((stretch, PathId(0)), (stretch, PathId(u32::MAX)));
        let parts = self.known.range(first..=last);
        parts.map(|((_, path), at_path)| (*path, at_path))
    }

    /// Tells whether nothing is known of a stretch: it was not counted, and no formula tells it.
    pub fn is_left_out(&self, stretch: u32) -> bool {
        let tallies = || self.parts(stretch).map(|(_, at_path)| at_path.tally);
        tallies().all(|tally| tally.counted == 0) && tallies().any(|tally| tally.uncounted > 0)
    }

    /// Tells whether any of these stretches is left out.
    pub fn leaves_out(&self, ran: &BTreeMap<u32, u64>) -> bool {
        ran.keys().any(|stretch| self.is_left_out(*stretch))
    }

    /// Returns the operations of a stretch at a path and inside of it, and whether it is left out.
    pub fn inside(
        &self,
        stretch: u32,
        paths: &PathTable,
        path: PathId,
    ) -> impl Iterator<Item = (&AtPath, bool)> {
        let is_left_out = self.is_left_out(stretch);
        let is_inside = move |at: PathId| {
            let mut around = std::iter::successors(Some(at), |at| {
                let parent = paths.get(*at)?.parent;
                (parent != PathId::ROOT).then_some(parent)
            });
            around.any(|around| around == path)
        };
        let parts = self.parts(stretch);
        let parts = parts.filter(move |(at, _)| is_inside(*at));
        parts.map(move |(_, at_path)| (at_path, is_left_out))
    }

    /// Returns the operations by path of stretches that ran so often, how often, and whether each is left out.
    pub fn of_runs(
        &self,
        ran: &BTreeMap<u32, u64>,
    ) -> impl Iterator<Item = (PathId, &AtPath, u64, bool)> {
        ran.iter().flat_map(|(stretch, times)| {
            let is_left_out = self.is_left_out(*stretch);
            let parts = self.parts(*stretch);
            parts.map(move |(path, at_path)| (path, at_path, *times, is_left_out))
        })
    }
}

impl Feature for Stretches {
    fn take_record(&mut self, record: &Record<'_>, _: Context<'_>) {
        if let Record::Operations(operations) = record {
            self.learn(operations);
        }
    }
}

/// Operations directly in a path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DirectOperations {
    /// All operations, also those that are left out.
    pub tally: CostTally,
    /// Number of operations in calls that were left out: nothing else is known of these.
    pub left_out: u64,
    /// Multiply-accumulates that ran, by device and type.
    pub by_kind: BTreeMap<(String, String), u128>,
    /// Runs of stretches that were counted here, operators or none: operations inside were counted with them.
    pub known_runs: u64,
}

impl DirectOperations {
    /// Adds so many times the operations of a stretch.
    pub fn add(&mut self, at_path: &AtPath, times: u64, is_left_out: bool) {
        if is_left_out {
            let left_out = at_path.tally.uncounted.saturating_mul(times);
            self.left_out = self.left_out.saturating_add(left_out);
        } else {
            self.known_runs = self.known_runs.saturating_add(times);
        }
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

    /// Adds the operations of a path inside, whose runs are not runs of this one.
    pub fn merge(&mut self, other: &Self) {
        self.tally += other.tally;
        self.left_out = self.left_out.saturating_add(other.left_out);
        for (kind, executed) in &other.by_kind {
            let mac = self.by_kind.entry(kind.clone()).or_default();
            *mac = mac.saturating_add(*executed);
        }
    }

    /// Returns on which device and type most of them ran.
    pub fn kind(&self) -> Option<&(String, String)> {
        let most = self.by_kind.iter().max_by_key(|(_, mac)| **mac);
        most.map(|(kind, _)| kind)
    }
}
