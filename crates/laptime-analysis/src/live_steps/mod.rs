//! Windows of steps: times of the last steps of a running training, as it goes on.
//!
//! [`StepWindows`] takes in [`News`] of the recorder and gives a [`StepWindow`] whenever it is asked
//! to; windows do not overlap, and together they are all steps. The cost of a window grows with the number of paths,
//! never with the time that was recorded before. Steps are the outermost spans of their
//! name, and phases the spans directly inside.

mod step_roles;
mod step_window;
mod time_left;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use laptime_core::{News, PathId, PathTable, PathTally, Tallies};

pub use step_window::{StepPhase, StepWindow};
pub use time_left::left_seconds;

use crate::summarize::columns::operations::stretch_operations::Stretches;
use crate::summarize::columns::operations::{self, Peaks};
use crate::summarize::tree::Tree;
use crate::summary::span_row::SpanRow;
use step_roles::{Role, Roles};

/// The most names that are told to somebody who sees no step.
const MOST_OTHERS: usize = 3;

/// Collector of the steps of a process that one listener has not been told.
#[derive(Debug)]
pub struct StepWindows {
    roles: Roles,
    paths: PathTable,
    stretches: Stretches,
    peaks: Peaks,
    tallies: Tallies,
    ran: BTreeMap<u32, u64>,
    /// Number of steps of all windows so far.
    steps: u64,
}

impl StepWindows {
    /// Returns windows of the steps of a name.
    pub fn new(name: &str) -> Self {
        Self {
            roles: Roles::new(name),
            paths: PathTable::new(),
            stretches: Stretches::default(),
            peaks: Peaks::default(),
            tallies: Tallies::new(),
            ran: BTreeMap::new(),
            steps: 0,
        }
    }

    /// Takes in news of the recorder.
    pub fn take_in(&mut self, news: &News) {
        for (id, parent, name) in &news.paths {
            self.paths.define(*id, *parent, name);
            self.roles.define(*id, *parent, name);
        }
        for stretch in &news.stretches {
            self.stretches.learn(&stretch.operations());
        }
        for (code, message) in &news.notes {
            self.peaks.take_note(code, message);
        }
        for (stretch, times) in &news.ran {
            *self.ran.entry(*stretch).or_default() += times;
        }
        self.tallies.append(news.tallies.clone());
    }

    /// Takes the steps since the last window, or since the process began; `None` when there was none. A step
    /// that goes on after a window has the rest of its time in the next.
    pub fn take(&mut self) -> Option<StepWindow> {
        let mut tallies = std::mem::take(&mut self.tallies);
        let ran = std::mem::take(&mut self.ran);
        let mut step = PathTally::default();
        let mut phases: BTreeMap<usize, u64> = BTreeMap::new();
        let mut carries_work = false;
        let mut counted = 0;
        for (id, tally) in tallies.settled() {
            match self.roles.role_of(id) {
                Role::Outside => continue,
                Role::Step => step.merge(tally.clone()),
                Role::Counted => counted += tally.count,
                // A timer's segments lie aside: they are no part of a step's time.
                Role::Phase(phase) if tally.nested_ns() > 0 => {
                    let sum: &mut u64 = phases.entry(phase).or_default();
                    *sum = sum.saturating_add(tally.nested_ns());
                }
                Role::Phase(_) | Role::Inside => {}
            }
            carries_work |= tally.work.is_some();
        }
        // What goes on with a step of the window before adds to the time, and is no step.
        step.count -= step.continued.min(step.count);
        self.steps += step.count + counted;
        if step.count == 0 {
            return None;
        }
        let phases = phases.into_iter();
        let phases = phases.map(|(phase, ns)| (self.roles.phase(phase), ns));
        let mut window = StepWindow::new(self.steps, &step, phases);
        if carries_work || !ran.is_empty() {
            self.join_operations(&mut window, &mut tallies, &ran);
        }
        Some(window)
    }

    /// Lists names of laps that ended more than once since the last window, those with most time first:
    /// somebody who sees no step may have meant them. None where there were steps.
    pub fn others(&mut self) -> Vec<String> {
        let mut tallies = self.tallies.clone();
        let mut times: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for (id, tally) in tallies.settled() {
            if self.roles.role_of(id) != Role::Outside {
                return Vec::new();
            }
            if let Some(entry) = self.paths.get(id) {
                let (count, total_ns) = times.entry(&entry.name).or_default();
                *count += tally.count;
                *total_ns = total_ns.saturating_add(tally.total_ns);
            }
        }
        let mut others: Vec<_> = times
            .into_iter()
            .filter(|(_, (count, _))| *count > 1)
            .collect();
        others.sort_by_key(|(_, (_, total_ns))| Reverse(*total_ns));
        let names = others.into_iter().take(MOST_OTHERS);
        names.map(|(name, _)| name.to_owned()).collect()
    }

    /// Returns the name of a metric, if it was recorded inside of a step.
    pub fn metric_inside(&self, path: PathId) -> Option<&str> {
        let entry = self.paths.get(path)?;
        (self.roles.role_of(entry.parent) != Role::Outside).then_some(&*entry.name)
    }

    /// Forgets the steps so far, but for their number: a new window begins.
    pub fn skip(&mut self) {
        self.take();
    }

    /// Joins operations with time as a report does, for the path with most of the steps' time.
    fn join_operations(
        &mut self,
        window: &mut StepWindow,
        tallies: &mut Tallies,
        ran: &BTreeMap<u32, u64>,
    ) {
        let mut tree = Tree::new();
        tree.absorb_tail(&self.paths, tallies);
        tree.absorb_operations(&self.paths, &self.stretches, ran);
        let worked = operations::inclusive_work(&tree);
        let name = self.roles.name();
        let steps = tree.in_order().into_iter().filter(|index| {
            let names = tree.names(*index);
            let first = names.iter().position(|known| known == name);
            first.is_some_and(|first| first + 1 == names.len())
        });
        let Some(most) = steps.max_by_key(|index| tree.node(*index).total_ns()) else {
            return;
        };
        let mut row = SpanRow {
            names: tree.names(most),
            ..SpanRow::default()
        };
        let executed_ratio = operations::fill(&mut row, tree.node(most), &worked[most]);
        if row.work.flop.is_some() {
            self.peaks.fill(&mut row, &worked[most], executed_ratio);
        }
        window.flop_per_s = row.work.flop_per_s;
        window.mfu_ratio = row.work.mfu_ratio;
    }
}

#[cfg(test)]
#[path = "tests/live_steps.rs"]
mod tests;
