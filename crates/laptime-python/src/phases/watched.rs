//! The wrapper around a function of torch's: tells the machine when it begins and ends.
//!
//! It passes through inside a phase whose inside is not looked at; otherwise it tells the
//! machine, calls, and tells the machine again. What the program raises goes on its way; what
//! Laptime raises switches the phases off and is logged.

use std::sync::Arc;

use pyo3::exceptions::{PyException, PyStopIteration, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::asked::Asked;
use super::here::{self, Working};
use super::loader::Iteration;
use super::machine::Machine;
use super::process::Phases;

unsafe extern "C" {
    // Of the interpreter's stable C interface; the bindings leave it out.
    fn PyMethod_New(
        function: *mut ffi::PyObject,
        instance: *mut ffi::PyObject,
    ) -> *mut ffi::PyObject;
}

/// What a wrapper watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    Fetch,
    Forward,
    Backward,
    Gradient,
    Step,
    Work,
}

impl Event {
    fn named(name: &str) -> PyResult<Self> {
        Ok(match name {
            "fetch" => Self::Fetch,
            "forward" => Self::Forward,
            "backward" => Self::Backward,
            "gradient" => Self::Gradient,
            "step" => Self::Step,
            "work" => Self::Work,
            _ => return Err(PyValueError::new_err(format!("no such event: {name:?}"))),
        })
    }

    /// Whether what happens inside is looked at: an optimizer's closure is.
    fn is_open(self) -> bool {
        matches!(self, Self::Step | Self::Work)
    }
}

/// Calls a function of torch's and lets the machine see it begin and end.
#[pyclass(dict, frozen, module = "laptime._core")]
pub struct Watched {
    event: Event,
    original: Py<PyAny>,
    /// What is called in its place inside a phase; it calls the original.
    inside: Option<Py<PyAny>>,
    phases: Py<Phases>,
}

/// An event that the machine has seen begin.
struct Began {
    iteration: Option<Arc<Iteration>>,
    _working: Working,
}

#[pymethods]
impl Watched {
    #[new]
    #[pyo3(signature = (event, original, phases, inside=None))]
    fn new(
        event: &str,
        original: Py<PyAny>,
        phases: Py<Phases>,
        inside: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        Ok(Self {
            event: Event::named(event)?,
            original,
            inside,
            phases,
        })
    }

    /// Binds to an instance as a function does.
    fn __get__<'py>(
        slf: Bound<'py, Self>,
        instance: Option<Bound<'py, PyAny>>,
        _owner: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let python = slf.py();
        match instance {
            None => Ok(slf.into_any()),
            // SAFETY: two objects, with the lock held; a new reference or an error.
            Some(object) => unsafe {
                Bound::from_owned_ptr_or_err(python, PyMethod_New(slf.as_ptr(), object.as_ptr()))
            },
        }
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__(
        &self,
        python: Python<'_>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let phases = self.phases.get();
        if here::is_busy() {
            if self.event == Event::Step {
                phases.with(Machine::update_inside);
            }
            return self.original.call(python, args, kwargs);
        }
        let began = match self.may_begin(python, phases, args) {
            Ok(Some(began)) => self.begin(python, phases, args, began)?,
            Ok(None) => None,
            Err(error) => sort(python, phases, error).map(|()| None)?,
        };
        let Some(began) = began else {
            return self.original.call(python, args, kwargs);
        };
        let call = self.inside.as_ref().unwrap_or(&self.original);
        let result = call.call(python, args, kwargs);
        self.end(python, phases, &began, result.as_ref().err());
        result
    }
}

impl Watched {
    fn may_begin(
        &self,
        python: Python<'_>,
        phases: &Phases,
        args: &Bound<'_, PyTuple>,
    ) -> PyResult<Option<Began>> {
        let fetches = self.event == Event::Fetch;
        if !phases.may_begin(python, !fetches)? {
            return Ok(None);
        }
        let iteration = if fetches {
            Some(phases.iteration_of(&args.get_item(0)?)?)
        } else {
            None
        };
        Ok(Some(Began {
            iteration,
            _working: here::begin_work(),
        }))
    }

    fn begin(
        &self,
        python: Python<'_>,
        phases: &Phases,
        args: &Bound<'_, PyTuple>,
        began: Began,
    ) -> PyResult<Option<Began>> {
        here::set_busy(!self.event.is_open());
        let program = Asked::new(python, phases, args);
        phases.with(|machine| match (self.event, &began.iteration) {
            (Event::Fetch, Some(iteration)) => machine.fetch_begin(iteration, &program),
            (Event::Fetch, None) => {}
            (Event::Forward, _) => machine.forward_begin(&program),
            (Event::Backward, _) => machine.backward_begin(),
            (Event::Gradient, _) => machine.gradient_begin(),
            (Event::Step, _) => machine.optimizer_begin(true),
            (Event::Work, _) => machine.optimizer_begin(false),
        });
        let Some(error) = here::take_trouble() else {
            return Ok(Some(began));
        };
        self.end(python, phases, &began, Some(&error));
        sort(python, phases, error).map(|()| None)
    }

    fn end(&self, python: Python<'_>, phases: &Phases, began: &Began, error: Option<&PyErr>) {
        here::set_busy(false);
        let raised = error.is_some();
        let look = phases.with(|machine| {
            match (self.event, &began.iteration) {
                (Event::Fetch, Some(iteration)) => match error {
                    None => machine.fetch_end(),
                    Some(error) if error.is_instance_of::<PyStopIteration>(python) => {
                        machine.exhausted(iteration);
                    }
                    Some(_) => machine.fetch_failed(iteration),
                },
                (Event::Fetch, None) => {}
                (Event::Forward, _) => machine.forward_end(raised),
                (Event::Backward | Event::Gradient, _) => machine.backward_end(raised),
                (Event::Step, _) => machine.optimizer_end(true, raised),
                (Event::Work, _) => machine.optimizer_end(false, raised),
            }
            machine.take_look()
        });
        if look == Some(true) {
            phases.look(python);
        }
        if let Some(error) = here::take_trouble() {
            phases.broken(python, error);
        }
    }
}

/// What was raised while the machine was told something: a failure of Laptime's switches the
/// phases off, an interrupt by the user goes on its way.
fn sort(python: Python<'_>, phases: &Phases, error: PyErr) -> PyResult<()> {
    if !error.is_instance_of::<PyException>(python) {
        return Err(error);
    }
    here::set_busy(false);
    phases.broken(python, error);
    Ok(())
}
