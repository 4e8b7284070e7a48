//! What happened in a step so far.

use std::mem::take;

use super::part::{Entry, Part};

/// Where a unit went on that was set aside.
#[derive(Debug, Clone, Copy)]
pub struct Aside {
    /// The path that the unit opened under.
    pub parent: u32,
    /// The unit's own path.
    pub path: u32,
}

/// Where a phase lies, so that the next of the same place goes on with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhasePlace {
    /// Directly inside the unit that opened under this path, whatever the unit's name.
    Unit(u32),
    /// At a path of its own.
    Path(u32),
}

/// What happened since the step got its number.
#[derive(Debug, Default)]
pub struct Number {
    pub forwards: u32,
    /// How many of the step's forwards have a backward.
    pub answered: u32,
    pub backwards: u32,
    pub updates: u32,
    pub stepped: bool,
    pub saw_grad: bool,
    pub zeroed: bool,
    /// Where this step's last forward and last optimizer span were.
    pub forward: Option<PhasePlace>,
    pub optimizer: Option<PhasePlace>,
}

impl Number {
    /// The step has a phase that was over before its unit opened under a path.
    pub fn take_in(&mut self, part: &Part, parent: u32) {
        let place = Some(PhasePlace::Unit(parent));
        match part {
            Part::Zero => {
                self.updates += 1;
                self.zeroed = true;
                self.optimizer = place;
            }
            Part::Forward(called) => {
                self.forwards += 1;
                self.saw_grad |= called.grad;
                self.forward = place;
            }
            _ => {}
        }
    }

    /// Phases wait for their unit again.
    pub fn take_out<'a>(&mut self, entries: impl Iterator<Item = &'a Entry>) {
        for entry in entries {
            match &entry.part {
                Part::Zero => self.updates = self.updates.saturating_sub(1),
                Part::Forward(_) => self.forwards = self.forwards.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// What happened in a part of a step, and in the one before.
    pub fn with_earlier(&mut self, earlier: &Self) {
        let later = take(self);
        *self = Self {
            forwards: earlier.forwards + later.forwards,
            answered: earlier.answered + later.answered,
            backwards: earlier.backwards + later.backwards,
            updates: earlier.updates + later.updates,
            stepped: earlier.stepped || later.stepped,
            saw_grad: earlier.saw_grad || later.saw_grad,
            zeroed: earlier.zeroed || later.zeroed,
            forward: later.forward.or(earlier.forward),
            optimizer: later.optimizer.or(earlier.optimizer),
        };
    }
}
