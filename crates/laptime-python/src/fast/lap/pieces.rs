//! [`laptime_recorder::Pieces`] for Python: one call of a generator.

use laptime_core::{SpanFlags, SpanWork};
use laptime_python_macros::guarded;
use laptime_recorder::{self as recorder, Extra, Site, clock};
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::{builtin, work};
use crate::entry::{measuring, raised};
use crate::fast::{Locked, name, span};

/// A generator's span.
#[pyclass(frozen, module = "laptime._core")]
pub struct Pieces(Locked<Generator>);

struct Generator {
    pieces: recorder::Pieces,
    /// That it ran beside its parent, on another track, if so.
    flags: SpanFlags,
    work: SpanWork,
}

#[guarded]
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
                given.map_or(Ok(None), |given| work::amount(what, given))
            };
            let work = SpanWork {
                flop: amount("flop", flop)?,
                bytes: amount("bytes", bytes)?,
            };
            // SAFETY: a `str`, with the lock held.
            let site = unsafe { name::site(name.as_ptr()) };
            let site = site.ok_or_else(|| raised(name.py()))?;
            Ok(Self::of(site, work))
        };
        measuring(|| Ok(Self::of(builtin::spare(), SpanWork::default())), new)
    }

    /// Begins a piece.
    fn resume(&self) {
        let resume = |generator: &mut Generator| {
            let is_first = generator.pieces.began().is_none();
            let open = generator.pieces.resume();
            if is_first && open.is_some_and(span::is_detached) {
                generator.flags = SpanFlags::DETACHED;
            }
        };
        measuring(|| (), || self.with(resume));
    }

    /// Ends a piece.
    fn pause(&self) {
        measuring(|| (), || self.with(|generator| generator.pieces.pause()));
    }

    /// Writes the span: the generator is done, or nobody will resume it.
    fn finish(&self) {
        let finish = |generator: &mut Generator| {
            generator.pieces.pause();
            let began = generator.pieces.began();
            generator.pieces.finish(Extra {
                flags: generator.flags,
                wall: began.map(|began| clock::now().saturating_sub(began)),
                work: generator.work,
                ..Extra::default()
            });
        };
        measuring(|| (), || self.with(finish));
    }
}

impl Pieces {
    fn of(site: &'static Site, work: SpanWork) -> Self {
        Self(Locked::new(Generator {
            pieces: recorder::Pieces::new(site),
            flags: SpanFlags::NONE,
            work,
        }))
    }

    /// Runs where the generator runs: on the stack of the thread, or of the task.
    fn with(&self, body: impl FnOnce(&mut Generator)) {
        // SAFETY: the lock is held, and no body runs Python code.
        span::at(|| body(unsafe { self.0.get() }));
    }
}
