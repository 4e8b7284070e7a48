//! A span that runs in pieces: one call of a generator.
//!
//! Each piece stands on the stack while it runs, so what the generator does is filed under it,
//! and is taken off at the `yield`, so what its consumer does is not. At the end the sum of
//! the pieces is written as one span, under what was open when the first one began.

use std::cell::Cell;

use laptime_core::{PathId, SpanFlags, SpanMemory, SpanWork};
use laptime_recorder::{self as recorder, Extra, Open, Site, clock};
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::{given, lap, name, span};
use crate::entry::measuring;

/// One such span.
#[pyclass(frozen, module = "laptime._core")]
pub struct Pieces {
    state: State,
}

struct State {
    site: &'static Site,
    open: Cell<Option<Open>>,
    /// What was open when the first piece began, and when.
    first: Cell<Option<(PathId, u64)>>,
    /// Whether it ran beside its parent, on another track.
    is_detached: Cell<bool>,
    ran: Cell<u64>,
    memory: Cell<Option<SpanMemory>>,
    work: SpanWork,
}

// SAFETY: every access holds the interpreter lock, and none runs Python code.
unsafe impl Send for State {}
// SAFETY: as above.
unsafe impl Sync for State {}

#[pymethods]
impl Pieces {
    #[new]
    #[pyo3(signature = (name, *, flop=None, bytes=None))]
    fn new(
        name: &Bound<'_, PyString>,
        flop: Option<&Bound<'_, PyAny>>,
        bytes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let new = || {
            let amount = |what, given: Option<&Bound<'_, PyAny>>| {
                given.map_or(Ok(None), |given| given::amount(what, given))
            };
            let work = SpanWork {
                flop: amount("flop", flop)?,
                bytes: amount("bytes", bytes)?,
            };
            // SAFETY: a `str`, with the lock held.
            let site = unsafe { name::site(name.as_ptr()) };
            let site = site.ok_or_else(|| PyErr::fetch(name.py()))?;
            Ok(Self::of(site, work))
        };
        measuring(|| Ok(Self::of(lap::spare(), SpanWork::default())), new)
    }

    /// Begins a piece.
    fn resume(&self) {
        measuring(|| (), || self.state.resume());
    }

    /// Ends a piece.
    fn pause(&self) {
        measuring(|| (), || self.state.pause());
    }

    /// Writes the span: the generator is done, or nobody will resume it.
    fn finish(&self) {
        measuring(|| (), || self.state.finish());
    }
}

impl Pieces {
    fn of(site: &'static Site, work: SpanWork) -> Self {
        Self {
            state: State {
                site,
                open: Cell::new(None),
                first: Cell::new(None),
                is_detached: Cell::new(false),
                ran: Cell::new(0),
                memory: Cell::new(Some(SpanMemory::default())),
                work,
            },
        }
    }
}

impl State {
    fn resume(&self) {
        span::at(|| {
            let outside = recorder::current_path();
            let open = recorder::enter(self.site);
            if let (Some(open), None) = (open, self.first.get()) {
                self.first.set(Some((outside, open.start())));
                self.is_detached.set(span::is_detached(open));
            }
            self.open.set(open);
        });
    }

    fn pause(&self) {
        if let Some(open) = self.open.take() {
            let piece = span::at(|| recorder::suspend_piece(open));
            let ticks = piece.map_or(0, |piece| piece.ticks);
            self.ran.set(self.ran.get() + ticks);
            let memory = piece.and_then(|piece| piece.memory);
            let whole = self.memory.get().zip(memory);
            self.memory
                .set(whole.map(|(before, next)| before.then(next)));
        }
    }

    fn finish(&self) {
        self.pause();
        let Some((outside, start)) = self.first.take() else {
            return;
        };
        let flags = if self.is_detached.get() {
            SpanFlags::DETACHED
        } else {
            SpanFlags::NONE
        };
        let extra = Extra {
            flags,
            wall: Some(clock::now().saturating_sub(start)),
            memory: self.memory.take(),
            work: self.work,
            ..Extra::default()
        };
        span::at(|| recorder::emit_under(outside, self.site, start, self.ran.take(), extra));
    }
}
