//! What lies over a function of torch's: tells the machine when a call begins and ends.
//!
//! A call passes through inside a phase whose inside is not looked at; otherwise the machine is
//! told, the function called, and the machine told again. What the program raises goes on its way; what
//! Laptime raises switches the phases off, with one line. What is Laptime's own Python runs
//! hidden from the program's tracers.

use std::ptr::null_mut;
use std::sync::Arc;

use laptime_python_macros::guarded;
use pyo3::exceptions::{PyStopIteration, PyValueError};
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit, ffi};

use laptime_phases::{Iteration, Machine, Program};
use laptime_recorder::clock;

use super::call::Call;
use super::counting::Counting;
use super::hooks;
use super::own_python::{Hidden, guarded};
use super::process::Phases;
use super::program::ProgramAtCall;
use super::ranges;
use super::thread::{self, Working};
use crate::entry::{measuring, memory_error};
use crate::modules::call::Split;
use crate::modules::structure;
use crate::steps;

/// What is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    /// An iterator of a loader's is made.
    Iter,
    /// A loader is gone over that makes its iterators itself, or keeps one.
    Over,
    Fetch,
    /// A module is made, or gets other weights.
    Made,
    Forward,
    Backward,
    Gradient,
    /// A function is called for its value and its gradient.
    Function,
    Step,
    Work,
    /// A call whose result is told, and nothing else.
    Result,
    /// A call that opens, closes or is a range of the program's: told with what it was given.
    Range,
    /// A call that is a range as a whole: inside of the lap that is told.
    Inside,
    /// A call that is told before it begins, with its first argument, and nothing else.
    Before,
    /// A collective that is waited for.
    Exchange,
    /// A module of which other processes have copies is called.
    Replicated,
    CompileBegin,
    CompileEnd,
}

impl Event {
    fn named(name: &str) -> PyResult<Self> {
        Ok(match name {
            "iter" => Self::Iter,
            "over" => Self::Over,
            "fetch" => Self::Fetch,
            "made" => Self::Made,
            "forward" => Self::Forward,
            "backward" => Self::Backward,
            "gradient" => Self::Gradient,
            "function" => Self::Function,
            "step" => Self::Step,
            "work" => Self::Work,
            "result" => Self::Result,
            "range" => Self::Range,
            "inside" => Self::Inside,
            "before" => Self::Before,
            "exchange" => Self::Exchange,
            "replicated" => Self::Replicated,
            "compile begin" => Self::CompileBegin,
            "compile end" => Self::CompileEnd,
            _ => return Err(PyValueError::new_err(format!("no such event: {name:?}"))),
        })
    }

    /// Whether the event is a phase: others are seen inside phases too.
    fn is_phase(self) -> bool {
        !matches!(
            self,
            Self::Result
                | Self::Range
                | Self::Inside
                | Self::Before
                | Self::Exchange
                | Self::Replicated
                | Self::CompileBegin
                | Self::CompileEnd
        )
    }

    /// Whether what happens inside is looked at: an optimizer's closure is.
    fn is_open(self) -> bool {
        matches!(self, Self::Step | Self::Work | Self::Function)
    }
}

/// Lets the machine see calls of a function begin and end.
#[pyclass(frozen, module = "laptime._core")]
pub struct Watched {
    event: Event,
    phases: Py<Phases>,
    counting: Option<Counting>,
    /// Splits what happens by module.
    split: Option<Split>,
    /// Is told what a call brought.
    told: Option<Py<PyAny>>,
}

/// An event that the machine has seen begin.
struct Began {
    iteration: Option<Arc<Iteration>>,
    _working: Working,
}

#[guarded]
#[pymethods]
impl Watched {
    #[new]
    #[pyo3(signature = (event, phases, *, counting=None, split=None, told=None))]
    fn new(
        event: &str,
        phases: Py<Phases>,
        counting: Option<(Py<PyAny>, Py<PyAny>)>,
        split: Option<(Py<PyAny>, Py<PyAny>, Py<PyAny>)>,
        told: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        Ok(Self {
            event: Event::named(event)?,
            phases,
            counting: counting.map(|(begin, end)| Counting { begin, end }),
            split: split.map(|(here, make, step_aside)| Split {
                here,
                make,
                step_aside,
            }),
            told,
        })
    }

    /// Lies over a function from now on. `inlined`: Python code calls it directly.
    #[pyo3(signature = (function, *, inlined=true))]
    fn put(this: &Bound<'_, Self>, function: &Bound<'_, PyAny>, inlined: bool) -> PyResult<()> {
        hooks::put(this.py(), function, this, inlined)
    }

    /// Lies over nothing any more.
    fn take(this: &Bound<'_, Self>) {
        hooks::take(this.py(), this);
    }

    // Who is told holds this: the collector finds the two together, once nothing is watched.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.phases)?;
        visit.call(&self.told)?;
        if let Some(counting) = &self.counting {
            counting.traverse(&visit)?;
        }
        self.split
            .as_ref()
            .map_or(Ok(()), |split| split.traverse(&visit))
    }
}

impl Watched {
    /// Sees a call.
    #[inline]
    pub fn call(&self, call: &Call<'_>) -> *mut ffi::PyObject {
        if self.event == Event::Forward
            && self.counting.is_some()
            && thread::is_busy()
            && let Some(module) = call.argument(0)
        {
            structure::called(&module);
        }
        if thread::is_busy() && self.split.is_none() && self.event.is_phase() {
            if self.event == Event::Step {
                self.phases.get().with(Machine::update_inside);
            }
            return call.pass_raw();
        }
        let python = call.python;
        let seen = || {
            self.see(call).map_or_else(
                |error| {
                    error.restore(python);
                    null_mut()
                },
                Bound::into_ptr,
            )
        };
        let was_busy = thread::is_busy();
        let cut_short = || {
            thread::set_busy(was_busy);
            if !call.went.get() {
                return call.pass_raw();
            }
            memory_error(python).restore(python); // what it brought is lost
            null_mut()
        };
        measuring(cut_short, seen)
    }

    fn see<'py>(&self, call: &Call<'py>) -> PyResult<Bound<'py, PyAny>> {
        let phases = self.phases.get();
        match self.event {
            Event::Iter => return self.passes(call),
            Event::Over => {
                let kept = guarded(|| {
                    call.argument(0).inspect(|loader| phases.gone_over(loader));
                    Ok(())
                });
                kept.or_else(|error| phases.broken(call.python, error))?;
                return call.pass();
            }
            Event::Made => {
                phases
                    .with(|machine| machine.module_made(ProgramAtCall::new(phases, call).called()));
                return call.pass();
            }
            Event::Result => return self.result(call),
            Event::Range => return ranges::told(call, self.told.as_ref(), phases),
            Event::Inside => return ranges::inside(call, self.told.as_ref(), phases),
            Event::Before => return self.before(call),
            Event::Exchange => return phases.exchange(call),
            Event::Replicated => {
                return match &self.told {
                    Some(told) => phases.replicated(call, told),
                    None => call.pass(),
                };
            }
            Event::CompileBegin => {
                phases.compile_begin();
                return call.pass();
            }
            Event::CompileEnd => {
                phases.compile_end();
                return call.pass();
            }
            _ => {}
        }
        if self.event == Event::Forward
            && self.split.is_some()
            && let Some(result) = Split::inner(call, phases)
        {
            return result;
        }
        if let Some(split) = &self.split
            && self.event != Event::Forward
        {
            split.step_aside(call, phases)?;
        }
        if thread::is_busy() {
            return call.pass();
        }
        let Some(began) = self.begin(call)? else {
            return call.pass();
        };
        let counted = match Counting::begin(self.counting.as_ref(), call, phases) {
            Ok(counted) => counted,
            Err(error) => {
                self.end(call.python, &began, Some(&error))?;
                return Err(error);
            }
        };
        let mut result = match (&self.split, self.event) {
            (Some(split), Event::Forward) => split.root(call, phases),
            (_, Event::Backward) => self.backward(call),
            _ => call.pass(),
        };
        let counted = counted.map_or(Ok(()), |counted| {
            counted.end(call.python, phases, result.as_mut().err())
        });
        let ended = self.end(call.python, &began, result.as_ref().err());
        counted.and(ended).and(result)
    }

    /// Gradients are computed, and other processes' waited for.
    fn backward<'py>(&self, call: &Call<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (phases, python) = (self.phases.get(), call.python);
        let mut since = None;
        // Computed from when the forward was seen to end: on a busy machine that is late. And what
        // the engine computes after a replica's last gradient can't be told from the wait.
        let mut engine_is_done = |moved: u64| {
            let waited = phases.waited_since(python)?;
            since = waited.filter(|since| (moved..clock::now()).contains(since));
            Ok(since)
        };
        let result = if let Some(split) = &self.split {
            split.backward(call, phases, &mut engine_is_done)
        } else {
            let result = call.pass()?;
            guarded(|| engine_is_done(0).map(|_| ()))
                .or_else(|error| phases.broken(python, error))?;
            Ok(result)
        };
        if let Some(since) = since {
            phases.with(|machine| machine.waited_since(since));
        }
        result
    }

    // -- the machine -----------------------------------------------------------------------

    /// Tells the machine that a call begins. None: it is not looked at.
    fn begin(&self, call: &Call<'_>) -> PyResult<Option<Began>> {
        let python = call.python;
        match guarded(|| self.may_begin(call)) {
            Ok(Some(began)) => self.tell(call, began),
            Ok(None) => Ok(None),
            Err(error) => self.sort(python, error).map(|()| None),
        }
    }

    fn may_begin(&self, call: &Call<'_>) -> PyResult<Option<Began>> {
        let phases = self.phases.get();
        let fetches = self.event == Event::Fetch;
        let waits = fetches || self.event == Event::Iter;
        let updates = matches!(self.event, Event::Step | Event::Work);
        if !phases.may_begin(call.python, !waits, updates)? {
            return Ok(None);
        }
        if self.event == Event::Function
            && !ProgramAtCall::new(phases, call).learns_by_function()?
        {
            return Ok(None);
        }
        let iteration = match call.argument(0) {
            Some(iterator) if fetches => Some(phases.iteration_of(&iterator)?),
            None if fetches => return Ok(None),
            _ => None,
        };
        Ok(Some(Began {
            iteration,
            _working: thread::begin_work(),
        }))
    }

    fn tell(&self, call: &Call<'_>, began: Began) -> PyResult<Option<Began>> {
        let phases = self.phases.get();
        if !phases.look_before(call.python)? {
            return Ok(None);
        }
        thread::set_busy(!self.event.is_open());
        if self.event == Event::Forward && !phases.calls_modules.get() {
            phases.calls_modules.set(true);
        }
        if self.event == Event::Forward
            && let Some(tensors) = &phases.asked.tensors
        {
            tensors.look(call);
        }
        let program = ProgramAtCall::new(phases, call);
        phases.with(|machine| match (self.event, &began.iteration) {
            (Event::Fetch, Some(iteration)) => machine.fetch_begin(iteration, &program),
            (Event::Iter, _) => machine.pass_begin(&program),
            (Event::Forward, _) => machine.forward_begin(&program),
            (Event::Backward, _) => machine.backward_begin(&program),
            (Event::Gradient, _) => machine.gradient_begin(&program),
            (Event::Function, _) => machine.function_begin(&program),
            (Event::Step, _) => machine.optimizer_begin(true),
            (Event::Work, _) => machine.optimizer_begin(false),
            _ => {}
        });
        let Some(error) = thread::take_trouble() else {
            return Ok(Some(began));
        };
        self.end(call.python, &began, Some(&error))?;
        self.sort(call.python, error).map(|()| None)
    }

    fn end(&self, python: Python<'_>, began: &Began, error: Option<&PyErr>) -> PyResult<()> {
        let phases = self.phases.get();
        thread::set_busy(false);
        let raised = error.is_some();
        let look = phases.with(|machine| {
            let steps = machine.steps();
            match (self.event, &began.iteration) {
                (Event::Fetch, Some(iteration)) => match error {
                    None => machine.fetch_end(),
                    Some(error) if error.is_instance_of::<PyStopIteration>(python) => {
                        machine.exhausted(iteration);
                    }
                    Some(_) => machine.fetch_failed(iteration),
                },
                (Event::Iter, iteration) => machine.pass_end(iteration.as_ref()),
                (Event::Forward, _) => machine.forward_end(raised),
                (Event::Backward | Event::Gradient, _) => machine.backward_end(raised),
                (Event::Function, _) => machine.function_end(raised),
                (Event::Step, _) => machine.optimizer_end(true, raised),
                (Event::Work, _) => machine.optimizer_end(false, raised),
                _ => {}
            }
            // After the first step, the second, the fourth, ….
            machine.steps() != steps && machine.steps().is_power_of_two()
        });
        let looked = match look {
            Some(true) => phases.look(python),
            _ => Ok(()),
        };
        let trouble = thread::take_trouble();
        let sorted = trouble.map_or(Ok(()), |error| phases.broken(python, error));
        // The machine has let go: who listens to steps may do what it likes.
        looked.and(sorted).and_then(|()| steps::deliver(python))
    }

    /// What was raised while the machine was told something.
    fn sort(&self, python: Python<'_>, error: PyErr) -> PyResult<()> {
        thread::set_busy(false);
        self.phases.get().broken(python, error)
    }

    // -- calls that are no phases ----------------------------------------------------------

    /// An iterator is made: a pass begins, and data is waited for.
    fn passes<'py>(&self, call: &Call<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (phases, python) = (self.phases.get(), call.python);
        let began = self.begin(call)?;
        let result = call.pass();
        let made = guarded(|| match (&result, call.argument(0)) {
            (Ok(iterator), Some(loader)) => phases.made(iterator, &loader),
            _ => Ok(None),
        });
        let (iteration, kept) = match made {
            Ok(iteration) => (iteration, Ok(())),
            Err(error) => (None, phases.broken(python, error)),
        };
        let ended = began.map_or(Ok(()), |began| {
            let began = Began { iteration, ..began };
            self.end(python, &began, result.as_ref().err())
        });
        kept.and(ended).and(result)
    }

    fn before<'py>(&self, call: &Call<'py>) -> PyResult<Bound<'py, PyAny>> {
        if let Some(told) = &self.told {
            let told = {
                let _hidden = Hidden::new(call.python);
                told.bind(call.python).call1((call.argument(0),))
            };
            if let Err(error) = told {
                self.phases.get().broken(call.python, error)?;
            }
        }
        call.pass()
    }

    fn result<'py>(&self, call: &Call<'py>) -> PyResult<Bound<'py, PyAny>> {
        let result = call.pass()?;
        if let Some(told) = &self.told {
            let told = {
                let _hidden = Hidden::new(call.python);
                told.bind(call.python).call1((&result,))
            };
            if let Err(error) = told {
                self.phases.get().broken(call.python, error)?;
            }
        }
        Ok(result)
    }
}
