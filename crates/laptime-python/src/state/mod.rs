//! What a call of the program can reach, and how all of it was before.
//!
//! A count runs the program's own code, which may write to whatever it holds: attributes, lists,
//! cells, globals. [`walk`] goes from the call's roots through everything that Python can reach
//! from there ([`elements`], [`code`], [`written`]), [`kind`] says what each class of objects is to it, and
//! [`contents`] notes what they hold and puts it back. What only others can save, such as random generators, they do through
//! callables that are given. Nothing here knows a framework: the classes to be found are given too.

mod code;
mod contents;
mod elements;
mod holder;
pub mod iterators;
mod kind;
mod walk;
mod written;

use std::sync::{Mutex, MutexGuard, PoisonError};

use laptime_python_macros::guarded;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyType};

use crate::handler;

use self::kind::Kinds;
use self::walk::Walk;

/// What was found of a class that was asked for: where it stands, and it.
type Found = (String, Py<PyAny>);

/// Everything that was reached, as it was when it was reached.
#[pyclass(frozen, module = "laptime._core")]
pub struct State {
    walk: Mutex<Walk>,
    /// What could not be put back, in words.
    failed: Mutex<Vec<String>>,
}

impl State {
    /// The lock of the interpreter is held all along, so nobody waits for it.
    fn walk(&self) -> MutexGuard<'_, Walk> {
        self.walk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[guarded]
#[pymethods]
impl State {
    /// `sought`: classes whose instances are told, and how many of them, from the first, compute.
    /// `leaves`: those that are not entered. `libraries`: where code lies that is not the
    /// program's, whose globals are left alone. `savers`: by class, what saves an instance and
    /// answers with a callable that puts it back. `outside` takes the next of an iterator as if
    /// nothing were counted; without it iterators are left alone. `enters` says of a class whether
    /// its objects are looked at; without it all are.
    #[new]
    #[pyo3(signature = (sought, leaves, libraries, savers, outside=None, enters=None, /))]
    fn new(
        sought: (Vec<Py<PyType>>, usize),
        leaves: Vec<Py<PyType>>,
        libraries: Vec<String>,
        savers: Vec<(Py<PyType>, Py<PyAny>)>,
        outside: Option<Py<PyAny>>,
        enters: Option<Py<PyAny>>,
    ) -> Self {
        let kinds = Kinds::new(sought, leaves, libraries, savers, enters);
        let walk = Walk::new(kinds, outside);
        Self {
            walk: Mutex::new(walk),
            failed: Mutex::default(),
        }
    }

    /// Goes on from roots, each with its name.
    fn reach(&self, python: Python<'_>, roots: Vec<(String, Py<PyAny>)>) -> PyResult<()> {
        self.walk().reach(python, roots)
    }

    /// What was found so far of the class `sought[index]`, nearest first.
    fn found(&self, python: Python<'_>, index: usize) -> Vec<Found> {
        self.walk().found(python, index)
    }

    /// Puts everything back; raises only what a signal's handler raises. Again does no harm.
    fn restore(&self, python: Python<'_>) -> PyResult<()> {
        // Nothing is locked while Python may run.
        let kept = self.walk().kept(python);
        let (failed, outcome) = contents::restore(python, &kept);
        *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = failed;
        outcome
    }

    /// What could not be put back, and why.
    fn failed(&self) -> Vec<String> {
        let failed = self.failed.lock();
        failed.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Runs `body`, then every callable of `undo` from the last to the first, whatever is raised: what
/// a signal's handler raises in the midst of one lets it run again.
#[guarded]
#[pyfunction]
#[pyo3(signature = (body, undo, /))]
pub fn undone<'py>(
    body: &Bound<'py, PyAny>,
    undo: &Bound<'py, PyList>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut outcome = body.call0();
    if let Err(error) = &outcome {
        handler::forget_interrupted(body.py(), error);
    }
    while let Some(last) = undo.len().checked_sub(1) {
        let part = undo.get_item(last)?;
        for _ in 0..ATTEMPTS {
            match part.call0() {
                Ok(_) => break,
                Err(error) => outcome = outcome.and(Err(error)),
            }
        }
        undo.del_item(last)?;
    }
    outcome
}

/// How often an undoing that is interrupted is tried: handlers seldom raise twice.
const ATTEMPTS: usize = 3;
