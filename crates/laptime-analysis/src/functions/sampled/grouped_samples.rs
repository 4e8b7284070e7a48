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
    if !is_measured && let Some(ratio) = ran_ratio(process) {
        for group in &mut groups {
            group.running.stands_for_ns = (group.running.stands_for_ns as f64 * ratio) as u64;
        }
    }
    groups
}

/// Returns the part of the time in which a process could have run that it did: for the rest it waited for a processor,
/// which a look can't tell from running. It is that of the thread that the process began with; `None` where it isn't
/// known.
fn ran_ratio(process: &Process) -> Option<f64> {
    let readings = &process.features.recorder_samples;
    let thread = readings.first_thread()?;
    let delayed = readings.first_cpu_wait(process.facts.anchors.mean_ns_per_tick())?;
    let samples = process.features.stacks.samples.iter();
    let mut looks = (Looks::default(), Looks::default());
    for sample in samples.filter(|sample| sample.thread == thread) {
        looks.0.take(sample);
        if sample.is_running {
            looks.1.take(sample);
        }
    }
    let (all, runnable) = looks;
    let delayed_ns = delayed.delayed_ratio * all.stands_for_ns as f64;
    (runnable.stands_for_ns > 0)
        .then(|| (1.0 - delayed_ns / runnable.stands_for_ns as f64).clamp(0.0, 1.0))
}
