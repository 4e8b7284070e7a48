//! What timers that stand in a training tell.

use std::collections::BTreeMap;

/// Counts and times, by path.
#[derive(Debug, Default)]
pub struct Truth {
    phases: BTreeMap<&'static str, (u64, u64)>,
    own: BTreeMap<&'static str, u64>,
    /// The last phase of the step, if nothing has happened since.
    last: Option<&'static str>,
    /// The optimizer's work goes on.
    is_zeroed: bool,
    pub epochs: u64,
}

impl Truth {
    /// Count and total.
    pub fn of(&self, path: &str) -> (u64, u64) {
        self.phases.get(path).copied().unwrap_or_default()
    }

    /// All of a unit's phases together.
    pub fn phases(&self, unit: &str) -> u64 {
        let inside = self.phases.iter().filter(|(path, _)| {
            path.strip_prefix(unit)
                .is_some_and(|rest| rest.starts_with('/'))
        });
        inside.map(|(_, (_, total))| total).sum()
    }

    /// What runs between the phases of a unit.
    pub fn own(&self, unit: &str) -> u64 {
        self.own.get(unit).copied().unwrap_or_default()
    }

    fn add(&mut self, path: &'static str, counts: bool, took: u64) {
        let (count, total) = self.phases.entry(path).or_default();
        *count += u64::from(counts);
        *total += took;
    }

    /// The program did something in a step or in an evaluation.
    pub fn does(&mut self, unit: &'static str, took: u64) {
        *self.own.entry(unit).or_default() += took;
    }

    /// A phase of a step. Calls that follow each other are one forward.
    pub fn step(&mut self, path: &'static str, took: u64) {
        let goes_on = path == "step/forward" && self.last == Some(path);
        self.add(path, !goes_on, took);
        self.last = Some(path);
    }

    /// Data is waited for, without a batch of its own: the start or the end of a pass.
    pub fn waits(&mut self, path: &'static str, took: u64) {
        self.add(path, false, took);
        if path == "step/data" {
            self.last = Some(path);
        }
    }

    /// An optimizer zeroes before its step, which goes on with that, or after it.
    pub fn zeroes(&mut self, took: u64, is_after: bool) {
        self.add("step/optimizer", !is_after && !self.is_zeroed, took);
        self.is_zeroed |= !is_after;
        self.last = Some("step/optimizer");
    }

    /// Weights are updated.
    pub fn updates(&mut self, took: u64, ends: bool) {
        self.add("step/optimizer", !self.is_zeroed, took);
        self.is_zeroed = false;
        self.last = None;
        if ends {
            self.add("step", true, 0);
        }
    }

    /// Something else than a step happens.
    pub fn breaks(&mut self) {
        self.last = None;
    }

    /// One more evaluation, of so many phases.
    pub fn evaluates(&mut self, phases: &[(&'static str, u64)]) {
        self.breaks();
        self.add("evaluation", true, 0);
        for (path, took) in phases {
            self.add(path, true, *took);
        }
    }

    /// A loss of an evaluation: it goes on with its forward.
    pub fn loss(&mut self, took: u64) {
        self.add("evaluation/forward", false, took);
    }
}
