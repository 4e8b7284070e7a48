//! Samples of one place in the same calls, taken together: a long recording has few kinds of them.

use std::collections::HashMap;

use laptime_core::SampledStack;

use super::lap_of_sample::{Place, place_of_sample};
use crate::reading::process::Process;

/// Sums over looks at threads.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Looks {
    pub(super) count: u64,
    pub(super) within_ns: u64,
    pub(super) stands_for_ns: u64,
}

impl Looks {
    fn take(&mut self, sample: &SampledStack) {
        self.add(&Self {
            count: 1,
            within_ns: sample.within_ns,
            stands_for_ns: sample.stands_for_ns,
        });
    }

    /// Adds others.
    pub(super) fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.within_ns = self.within_ns.saturating_add(other.within_ns);
        self.stands_for_ns = self.stands_for_ns.saturating_add(other.stands_for_ns);
    }
}

/// The samples of one place whose innermost frame is the same.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) place: Place,
    pub(super) frame: u32,
    pub(super) all: Looks,
    /// Looks at which the thread ran.
    pub(super) running: Looks,
    /// Number of samples that several tasks may have been in.
    pub(super) shared: u64,
    /// The squares of what the samples stand for, added up: how sure their sum is.
    pub(super) squared_ns2: f64,
}

impl Group {
    /// Returns the time in which the thread waited.
    pub(super) fn waiting_ns(&self) -> u64 {
        let Self { all, running, .. } = self;
        all.stands_for_ns.saturating_sub(running.stands_for_ns)
    }
}

/// Returns the samples of a process in groups, in the order in which these were met.
pub(super) fn groups(process: &Process, is_measured: bool) -> Vec<Group> {
    let stacks = &process.features.stacks;
    let mut groups: Vec<Group> = Vec::new();
    let mut places: HashMap<(Place, u32), usize> = HashMap::new();
    for (sample, lap) in stacks.samples.iter().zip(&stacks.laps) {
        let place = place_of_sample(process, is_measured, sample, *lap);
        let at = *places.entry((place, sample.frame)).or_insert_with(|| {
            groups.push(Group {
                place,
                frame: sample.frame,
                all: Looks::default(),
                running: Looks::default(),
                shared: 0,
                squared_ns2: 0.0,
            });
            groups.len() - 1
        });
        let group = &mut groups[at];
        group.all.take(sample);
        if sample.is_running {
            group.running.take(sample);
        }
        group.shared += u64::from(lap.tasks > 1);
        group.squared_ns2 += (sample.stands_for_ns as f64).powi(2);
    }
    groups
}
