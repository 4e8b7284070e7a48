//! A backward that is split by module: when the engine reaches a tagged node, its module's lap
//! opens in place of the one before.
//!
//! On the thread that asked for the gradients laps open and close as they happen. A thread of the
//! engine's own, one per device, is noted and written afterwards, under the backward that waited.

use std::cell::{Cell, RefCell};

use laptime_recorder::clock;
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit, ffi};

use super::called_module::CalledModule;

/// Where the engine was, and since when; no place is outside of all modules.
pub type Reached = (u64, Option<Py<CalledModule>>);

/// The state of one thread's backward.
pub struct Backward {
    now: Py<PyAny>,
    is_native: bool,
    on: Cell<bool>,
    thread: Cell<u64>,
    current: Cell<Option<Py<CalledModule>>>,
    /// When the laps of this thread's modules changed last.
    moved: Cell<u64>,
    elsewhere: RefCell<Vec<Reached>>,
}

fn this_thread() -> u64 {
    // SAFETY: asks for a number.
    unsafe { ffi::PyThread_get_thread_ident() as u64 }
}

fn is_same(one: Option<&Py<CalledModule>>, other: Option<&Bound<'_, CalledModule>>) -> bool {
    one.map(Py::as_ptr) == other.map(Bound::as_ptr)
}

impl Backward {
    /// Nothing is under way. `core` tells the time.
    pub fn new(core: &Bound<'_, PyAny>) -> PyResult<Self> {
        let own = core.py().import("laptime._core")?;
        Ok(Self {
            now: core.getattr("now")?.unbind(),
            is_native: core.is(&own),
            on: Cell::new(false),
            thread: Cell::new(this_thread()),
            current: Cell::new(None),
            moved: Cell::new(0),
            elsewhere: RefCell::default(),
        })
    }

    /// Whether a backward is under way.
    pub fn is_on(&self) -> bool {
        self.on.get()
    }

    /// When the engine, on this thread, went on to another module: what it waits for came later. Never where that
    /// one is in no replica: what it computes there after a replica's last gradient is no wait.
    pub fn moved(&self, python: Python<'_>) -> u64 {
        // SAFETY: read at once, and nothing runs in between.
        let current = unsafe { &*self.current.as_ptr() };
        let mut place = current.as_ref().map(|place| place.bind(python).get());
        let mut is_outside = place.is_some();
        while let Some(at) = place {
            is_outside &= !at.replicates();
            place = at.above(python);
        }
        if is_outside {
            u64::MAX
        } else {
            self.moved.get()
        }
    }

    /// The engine starts, and this thread waits for it.
    pub fn begin(&self) {
        self.thread.set(this_thread());
        self.on.set(true);
    }

    /// The engine is done: closes the laps and returns what happened on other threads. The laps ended
    /// at `since`, if the engine has waited ever since.
    pub fn end(&self, python: Python<'_>, since: Option<u64>) -> PyResult<Vec<Reached>> {
        self.on.set(false);
        match since {
            Some(since) => self.leave(python, since)?,
            None => self.switch(python, None)?,
        }
        Ok(self.elsewhere.take())
    }

    /// Closes all laps, at a moment that has passed.
    fn leave(&self, python: Python<'_>, since: u64) -> PyResult<()> {
        let current = self.current.take();
        let mut from = current.as_ref().map(|place| place.bind(python).get());
        while let Some(place) = from {
            place.close_at(python, since)?;
            from = place.above(python);
        }
        Ok(())
    }

    /// The engine is at a node of that place, or of none.
    #[inline]
    pub fn reached(
        &self,
        python: Python<'_>,
        place: Option<&Bound<'_, CalledModule>>,
    ) -> PyResult<()> {
        // SAFETY: read at once, and nothing runs in between.
        let current = unsafe { &*self.current.as_ptr() };
        if !self.on.get() || is_same(current.as_ref(), place) {
            return Ok(());
        }
        if this_thread() == self.thread.get() {
            self.switch(python, place)?;
            self.moved.set(clock::now());
            return Ok(());
        }
        let now = self.now(python)?; // a thread of the engine's, for a device
        let mut elsewhere = self.elsewhere.borrow_mut();
        if elsewhere
            .last()
            .is_none_or(|(_, last)| !is_same(last.as_ref(), place))
        {
            elsewhere.push((now, place.map(|place| place.clone().unbind())));
        }
        Ok(())
    }

    fn now(&self, python: Python<'_>) -> PyResult<u64> {
        if self.is_native {
            return Ok(clock::now());
        }
        self.now.bind(python).call0()?.extract()
    }

    /// Closes the laps that `to` is not inside of, and opens those that it is.
    fn switch(&self, python: Python<'_>, to: Option<&Bound<'_, CalledModule>>) -> PyResult<()> {
        let old = self.current.replace(to.map(|to| to.clone().unbind()));
        let old = old.map(|old| old.into_bound(python));
        let to = to.map(Bound::get);
        let (mut from, mut shared) = (old.as_ref().map(Bound::get), to);
        while let Some(place) = from {
            match shared {
                Some(other) if std::ptr::eq(place, other) => break,
                Some(other) if other.depth() > place.depth() => shared = other.above(python),
                _ => {
                    place.close(python)?;
                    from = place.above(python);
                }
            }
        }
        to.map_or(Ok(()), |to| to.open_below(python, from))
    }

    /// Shows the garbage collector what is held for long.
    pub fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.now)
    }
}
