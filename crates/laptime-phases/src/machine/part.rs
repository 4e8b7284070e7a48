//! What a phase was to the unit that it lies in, and a phase that is over and waits for that.

use std::sync::Arc;

use laptime_core::SpanFlags;

use crate::laps::{Held, flag_if};
use crate::loader::Iteration;

/// What a phase was.
#[derive(Debug, Clone)]
pub enum Part {
    /// A pass began.
    Start(Arc<Iteration>),
    /// A batch was fetched.
    Batch(Arc<Iteration>),
    /// There was no further batch.
    End(Arc<Iteration>),
    /// A module was called.
    Forward(Called),
    /// An optimizer did something before its step.
    Zero,
    /// Anything else.
    Other,
}

/// A call of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Called {
    /// Which module.
    pub module: usize,
    /// Whether gradients were recorded.
    pub grad: bool,
    /// Whether the call begins an evaluation, should no backward follow; else it goes on with one.
    pub begins: bool,
    /// Whether the last batch may have been given to it.
    pub uses_batch: bool,
}

impl Part {
    /// The pass that it is of.
    pub fn iteration(&self) -> Option<&Arc<Iteration>> {
        match self {
            Self::Start(of) | Self::Batch(of) | Self::End(of) => Some(of),
            Self::Forward(_) | Self::Zero | Self::Other => None,
        }
    }

    /// The module that was called.
    pub fn called(&self) -> Option<&Called> {
        match self {
            Self::Forward(called) => Some(called),
            _ => None,
        }
    }

    /// Whether a batch was fetched.
    pub fn is_batch(&self) -> bool {
        matches!(self, Self::Batch(_))
    }

    /// Whether data was waited for.
    pub fn is_data(&self) -> bool {
        self.iteration().is_some()
    }

    /// Whether data of a pass was waited for.
    pub fn is_of(&self, iteration: &Arc<Iteration>) -> bool {
        self.iteration()
            .is_some_and(|of| Arc::ptr_eq(of, iteration))
    }
}

/// A phase that is over, and what it was.
#[derive(Debug)]
pub struct Entry {
    pub held: Held,
    pub part: Part,
    /// It was written, or laps inside of it were, under the name of the moment.
    pub is_fixed: bool,
    /// It was written.
    pub is_written: bool,
    /// Other units may lie between it and its neighbours.
    pub is_apart: bool,
}

impl Entry {
    /// When it ended.
    pub fn end(&self) -> u64 {
        self.held.start + self.held.duration
    }

    /// Whether it goes on with the last one of its name, or counts.
    pub fn goes_on_if(&mut self, goes_on: bool) {
        let others = SpanFlags(self.held.flags.0 & !SpanFlags::CONTINUES.0);
        self.held.flags = others.with(flag_if(goes_on, SpanFlags::CONTINUES));
    }

    /// It is no whole phase of anything.
    pub fn is_part(&mut self) {
        self.held.flags = self.held.flags.with(SpanFlags::UNFINISHED);
    }

    /// Whether a pass began.
    pub fn is_start(&self) -> bool {
        matches!(self.part, Part::Start(_))
    }

    /// Whether weights were zeroed.
    pub fn is_zero(&self) -> bool {
        matches!(self.part, Part::Zero)
    }

    /// Whether it was the wait for a batch that wasn't there.
    pub fn is_end(&self) -> bool {
        matches!(self.part, Part::End(_))
    }

    /// The module that was called with gradients.
    pub fn learner(&self) -> Option<usize> {
        let called = self.part.called().filter(|called| called.grad);
        called.map(|called| called.module)
    }

    /// Whether it is a piece by itself of what it becomes a part of.
    pub fn is_piece(&self) -> bool {
        self.is_apart || self.is_start()
    }

    /// Whether a batch was fetched.
    pub fn is_batch(&self) -> bool {
        self.part.is_batch()
    }

    /// Whether a module was called.
    pub fn is_call(&self) -> bool {
        self.part.called().is_some()
    }
}
