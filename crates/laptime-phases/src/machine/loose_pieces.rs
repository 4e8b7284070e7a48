//! What is done for a unit before that is open: a pass begins, a batch is fetched, weights are zeroed, a module
//! is called whose backward comes after a validation.
//!
//! It waits here, off the stack, and becomes a piece of the unit that it turns out to be for. What lies
//! between is in no unit: a program may build its model there, or Laptime look for devices.

use std::sync::Arc;

use super::evaluations;
use super::part::{Entry, Part};
use super::state::Machine;
use super::write_unit::write_waits;
use crate::loader::Iteration;

/// Groups that wait at most: a program that begins more passes and reads none has the first told as loading.
const MOST: usize = 64;

/// What decides for which unit a group is.
#[derive(Debug, Clone)]
pub enum Purpose {
    /// The one that the next batch of this pass is for.
    Batch(Arc<Iteration>),
    /// The one that the next training forward is for: these are batches of this pass.
    Forward(Arc<Iteration>),
    /// The one whose backward comes without another forward before it.
    Backward,
    /// The next step.
    Step,
}

/// Phases of one place that wait for their unit.
#[derive(Debug)]
pub struct Loose {
    /// The path that they lie under.
    parent: u32,
    is_for: Purpose,
    entries: Vec<Entry>,
}

impl Loose {
    fn is_of(&self, iteration: &Arc<Iteration>) -> bool {
        match &self.is_for {
            Purpose::Batch(own) | Purpose::Forward(own) => Arc::ptr_eq(own, iteration),
            Purpose::Backward | Purpose::Step => false,
        }
    }

    /// Whether nobody can ask for its batches any more.
    fn is_in_vain(&self) -> bool {
        matches!(&self.is_for, Purpose::Batch(own) | Purpose::Forward(own) if own.gone.get())
    }
}

fn is_for(entries: &[Entry]) -> Purpose {
    let mut is_for = Purpose::Step;
    for entry in entries {
        is_for = match &entry.part {
            Part::Forward(_) => Purpose::Backward,
            Part::Batch(of) => Purpose::Forward(Arc::clone(of)),
            Part::Start(of) if matches!(is_for, Purpose::Step) => Purpose::Batch(Arc::clone(of)),
            _ => is_for,
        };
    }
    is_for
}

impl Machine {
    /// Phases wait for the unit that they are for.
    pub(super) fn put_off(&mut self, parent: u32, entries: Vec<Entry>) {
        let is_zero = |entry: &Entry| matches!(entry.part, Part::Zero);
        let apart = |entry| Entry {
            is_apart: true,
            ..entry
        };
        let entries = entries.into_iter().map(apart);
        let (zeroed, mut entries): (Vec<_>, Vec<_>) = entries.partition(is_zero);
        // Batches after the last forward wait for one of their own.
        let called = entries.iter().rposition(Entry::is_call);
        let is_next = |entry: &Entry| matches!(entry.part, Part::Start(_) | Part::Batch(_));
        let unused = called.and_then(|called| {
            let after = entries.iter().skip(called).position(is_next)?;
            Some(called + after)
        });
        let unused = unused.map_or_else(Vec::new, |at| entries.split_off(at));
        for entries in [zeroed, entries, unused] {
            if !entries.is_empty() {
                self.put_off_group(parent, entries);
            }
        }
    }

    fn put_off_group(&mut self, parent: u32, entries: Vec<Entry>) {
        if self.loose.len() == MOST {
            let first = self.loose.remove(0);
            self.came_to_nothing(first);
        }
        self.loose.push(Loose {
            parent,
            is_for: is_for(&entries),
            entries,
        });
    }

    /// The unit that is open has what waits for a batch of this pass; whether there was anything.
    pub(super) fn claim_pass(&mut self, iteration: &Arc<Iteration>) -> bool {
        self.claim(|loose| loose.is_of(iteration))
    }

    /// The unit that is open is a step: weights that were zeroed before it were zeroed for it.
    pub(super) fn claim_zeroed(&mut self) {
        self.claim(|loose| matches!(loose.is_for, Purpose::Step));
    }

    /// The unit that is open has the backward of forwards that wait for one.
    pub(super) fn claim_forwards(&mut self) {
        self.claim(|loose| matches!(loose.is_for, Purpose::Backward));
    }

    fn claim(&mut self, is_this: impl Fn(&Loose) -> bool) -> bool {
        if self.loose.is_empty() {
            return false;
        }
        let Some(unit) = self.unit.as_mut().filter(|unit| !unit.is_settled()) else {
            return false;
        };
        let parent = unit.parent;
        let is_this = |loose: &mut Loose| loose.parent == parent && is_this(loose);
        let claimed = self.loose.extract_if(.., is_this);
        let claimed: Vec<Entry> = claimed.flat_map(|loose| loose.entries).collect();
        for entry in &claimed {
            self.number.take_in(&entry.part, parent);
        }
        let is_fed = self.iteration.as_ref().is_some_and(|it| it.in_play());
        let batch = claimed.iter().rev().find(|entry| entry.is_batch());
        if let Some(of) = batch
            .and_then(|batch| batch.part.iteration())
            .filter(|_| !is_fed)
        {
            self.iteration = Some(Arc::clone(of));
        }
        let is_any = !claimed.is_empty();
        unit.came_before(claimed.into_iter());
        is_any
    }

    /// Whose batch waits for its forward in this place.
    pub(super) fn waiting_batch(&self, parent: u32) -> Option<Arc<Iteration>> {
        let mut here = self
            .loose
            .iter()
            .rev()
            .filter(|loose| loose.parent == parent);
        here.find_map(|loose| match &loose.is_for {
            Purpose::Forward(of) => Some(Arc::clone(of)),
            _ => None,
        })
    }

    /// Whether forwards in this place wait for a backward.
    pub(super) fn has_waiting_forward(&self, parent: u32) -> bool {
        let paused = self.paused.as_ref();
        if paused.is_some_and(|paused| paused.waits_for_backward(parent)) {
            return true;
        }
        let mut loose = self.loose.iter();
        loose.any(|loose| loose.parent == parent && matches!(loose.is_for, Purpose::Backward))
    }

    /// Tells those of which nothing came.
    pub(super) fn give_up(&mut self, is_over: impl Fn(&Purpose) -> bool) {
        if self.loose.is_empty() {
            return;
        }
        let is_over = |loose: &mut Loose| loose.is_in_vain() || is_over(&loose.is_for);
        let over: Vec<Loose> = self.loose.extract_if(.., is_over).collect();
        for loose in over {
            self.came_to_nothing(loose);
        }
    }

    /// A module is called that trains: forwards wait in vain for a backward if it was called by them already, or if it
    /// has a batch of its own.
    pub(super) fn trains_again(&mut self, module: usize) {
        if self.loose.is_empty() {
            return;
        }
        let has_batch = self.unit.as_ref().is_some_and(|unit| unit.fetches > 0);
        let is_again =
            |entry: &Entry| matches!(entry.part, Part::Forward(of) if of.module == module);
        let is_over = |loose: &mut Loose| {
            let waits = matches!(loose.is_for, Purpose::Backward);
            waits && (has_batch || loose.entries.iter().any(is_again))
        };
        let over: Vec<Loose> = self.loose.extract_if(.., is_over).collect();
        for loose in over {
            self.came_to_nothing(loose);
        }
    }

    /// Forwards were evaluations, batches went into no model, and weights were zeroed for no step.
    fn came_to_nothing(&mut self, loose: Loose) {
        let (laps, parent) = (&*self.laps, loose.parent);
        let forward = |entry: &Entry| matches!(entry.part, Part::Forward(_));
        let called = loose
            .entries
            .iter()
            .rposition(forward)
            .map_or(0, |at| at + 1);
        let mut entries = loose.entries;
        let rest = entries.split_off(called);
        let (evaluations, others) = evaluations::divide(entries, None);
        for evaluation in &evaluations {
            evaluation.write(laps, parent);
        }
        for entry in others.iter().chain(&rest) {
            if let Part::Zero | Part::Other = entry.part {
                laps.emit(&entry.held, parent);
            } else {
                write_waits(laps, parent, entry);
            }
        }
        self.wrote_elsewhere();
    }
}
