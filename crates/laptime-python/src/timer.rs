//! `lt.Timer` and its contexts: everything but starting and stopping.
//!
//! Those are in `fast/timer.rs`. Here are the history, the switches and the summary.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::copied;
use crate::entry::{asked, measuring};
use crate::fast::gauge::Gauge;
use crate::fast::name;
use crate::fast::timer::{Clock, Context, HasContext, Settings, add_methods};
use crate::report::Report;
use crate::segments;

/// Name of a timer's own context.
const MAIN: &str = "main";

/// An explicit timer with named segments and a history of its own.
#[pyclass(frozen, weakref, module = "laptime")]
pub struct Timer {
    pub main: Arc<Context>,
    pub name: String,
    pub is_on: Arc<AtomicBool>,
    others: Others,
    /// The device as it was given, and whether its memory was asked for.
    pub device: (Option<Py<PyAny>>, bool),
    /// Why there is no device time, when it was asked for.
    no_device: Option<String>,
}

/// What a context's `__reduce__` gives: how it is got from its timer.
type ReducedContext<'py> = (Bound<'py, PyAny>, (Py<Timer>, String));

struct Others(RefCell<Vec<Arc<Context>>>);

// SAFETY: every access holds the interpreter lock.
unsafe impl Send for Others {}
// SAFETY: as above.
unsafe impl Sync for Others {}

/// A named set of segments of a timer.
#[pyclass(frozen, weakref, module = "laptime")]
pub struct TimerContext {
    context: Arc<Context>,
    timer: Py<Timer>,
}

impl HasContext for Timer {
    #[inline]
    fn context(&self) -> &Context {
        &self.main
    }
}

impl HasContext for TimerContext {
    #[inline]
    fn context(&self) -> &Context {
        &self.context
    }
}

/// The name of a clock.
pub fn clock_name(clock: Clock) -> &'static str {
    match clock {
        Clock::Wall => "wall",
        Clock::Process => "process",
        Clock::Thread => "thread",
    }
}

fn clock(name: &str) -> PyResult<Clock> {
    match name {
        "wall" => Ok(Clock::Wall),
        "process" => Ok(Clock::Process),
        "thread" => Ok(Clock::Thread),
        other => Err(PyValueError::new_err(format!(
            "clock is \"wall\", \"process\" or \"thread\", not {other:?}"
        ))),
    }
}

/// What measures on a device, or why there is none: then host time is measured.
fn device(device: &Bound<'_, PyAny>, memory: bool) -> PyResult<(Gauge, Option<String>)> {
    let module = device.py().import("laptime.device")?;
    let found = module.call_method1("gauge", (device, memory))?;
    let (gauge, reason): (Option<Py<PyAny>>, Option<String>) = found.extract()?;
    Ok((gauge.map_or(Gauge::Clock, Gauge::Device), reason))
}

fn history(context: &Context, segment: &Bound<'_, PyString>, field: &str) -> PyResult<Vec<f64>> {
    if field != "elapsed_time" {
        return Err(PyValueError::new_err(format!(
            "a timer's history holds \"elapsed_time\", not {field:?}"
        )));
    }
    context.settle(segment.py())?;
    // SAFETY: a `str`, with the lock held.
    let site = unsafe { name::site(segment.as_ptr()) };
    let site = site.ok_or_else(|| PyErr::fetch(segment.py()))?;
    let segments = context.segments.borrow();
    let found = segments.iter().find(|one| one.site.index() == site.index());
    let found = found.ok_or_else(|| {
        let context = &context.name;
        PyKeyError::new_err(format!(
            "context {context:?} has no segment {:?}",
            site.name()
        ))
    })?;
    Ok(found.elapsed_ns.iter().map(|ns| *ns as f64 / 1e9).collect())
}

fn remove(context: &Context, segment: &Bound<'_, PyString>) -> PyResult<()> {
    // SAFETY: a `str`, with the lock held.
    let site = unsafe { name::site(segment.as_ptr()) };
    let site = site.ok_or_else(|| PyErr::fetch(segment.py()))?;
    context.forget(Some((site.index(), true)));
    Ok(())
}

#[pymethods]
impl Timer {
    #[new]
    #[pyo3(signature = (name="timer", *, device=None, clock="wall", cpu=false, memory=false))]
    fn new(
        name: &str,
        device: Option<&Bound<'_, PyAny>>,
        clock: &str,
        cpu: bool,
        memory: bool,
    ) -> PyResult<Self> {
        asked(|| Self::made(name, device, clock, cpu, memory))
    }

    /// The timer's name.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The context of that name; made at its first use.
    fn context(this: &Bound<'_, Self>, name: &str) -> TimerContext {
        let timer = this.get();
        TimerContext {
            context: measuring(|| timer.main.clone(), || timer.find_or_make(name)),
            timer: this.clone().unbind(),
        }
    }

    /// A copy has the history so far, and nothing of it runs.
    fn __reduce__<'py>(&self, python: Python<'py>) -> PyResult<copied::Reduced<'py>> {
        asked(|| copied::reduced(self, python))
    }

    /// Seconds of every finished run of a segment, oldest first.
    #[pyo3(signature = (name, *, context="main", field="elapsed_time"))]
    fn history(
        &self,
        name: &Bound<'_, PyString>,
        context: &str,
        field: &str,
    ) -> PyResult<Vec<f64>> {
        asked(|| {
            let found = self.find(context).ok_or_else(|| {
                PyKeyError::new_err(format!("timer {:?} has no context {context:?}", self.name))
            })?;
            history(&found, name, field)
        })
    }

    /// Measures nothing from now on, in no context; running segments are given up.
    fn disable(&self) {
        self.is_on.store(false, Relaxed);
    }

    /// Measures again.
    fn enable(&self) {
        self.is_on.store(true, Relaxed);
    }

    /// Forgets everything.
    fn clear(&self) {
        let clear = || {
            for context in self.contexts() {
                context.forget(None);
            }
        };
        measuring(|| (), clear);
    }

    /// Forgets a segment.
    #[pyo3(signature = (name, *, context="main"))]
    fn remove(&self, name: &Bound<'_, PyString>, context: &str) -> PyResult<()> {
        let forget = || {
            self.find(context)
                .map_or(Ok(()), |found| remove(&found, name))
        };
        measuring(|| Ok(()), forget)
    }

    /// The history as a report, one table per context.
    fn summary(&self, python: Python<'_>) -> PyResult<Report> {
        asked(|| {
            let contexts = self.contexts();
            for context in &contexts {
                context.settle(python)?;
            }
            let reason = self.no_device.as_deref();
            Ok(segments::report(&self.name, &contexts, reason))
        })
    }

    fn __repr__(&self) -> String {
        format!("<laptime.Timer {:?}>", self.name)
    }
}

impl Timer {
    /// A new one.
    pub fn made(
        name: &str,
        device: Option<&Bound<'_, PyAny>>,
        clock: &str,
        cpu: bool,
        memory: bool,
    ) -> PyResult<Self> {
        let clock = self::clock(clock)?;
        let (gauge, no_device) = match device {
            None if memory => Err(PyValueError::new_err(
                "memory=True measures a device's memory: it needs device=…",
            )),
            None => Ok((Gauge::Clock, None)),
            Some(_) if clock != Clock::Wall => Err(PyValueError::new_err(
                "a device has a clock of its own: give device=… or clock=…, not both",
            )),
            Some(device) => self::device(device, memory),
        }?;
        let settings = Settings {
            clock,
            cpu,
            profiling: false,
        };
        let is_on = Arc::new(AtomicBool::new(true));
        let main = Context::new(MAIN.to_owned(), settings, Arc::new(gauge), is_on.clone());
        Ok(Self {
            main: Arc::new(main),
            name: name.to_owned(),
            is_on,
            others: Others(RefCell::default()),
            device: (device.map(|device| device.clone().unbind()), memory),
            no_device,
        })
    }

    /// The context of that name; made when there is none.
    pub fn find_or_make(&self, name: &str) -> Arc<Context> {
        self.find(name).unwrap_or_else(|| {
            let (settings, gauge) = (self.main.settings, self.main.gauge());
            let is_on = self.is_on.clone();
            let made = Arc::new(Context::new(name.to_owned(), settings, gauge, is_on));
            self.others.0.borrow_mut().push(made.clone());
            made
        })
    }

    fn find(&self, name: &str) -> Option<Arc<Context>> {
        self.contexts().into_iter().find(|one| one.name == name)
    }

    /// All contexts, its own first.
    pub fn contexts(&self) -> Vec<Arc<Context>> {
        let mut contexts = vec![self.main.clone()];
        contexts.extend(self.others.0.borrow().iter().cloned());
        contexts
    }
}

#[pymethods]
impl TimerContext {
    /// The context's name.
    #[getter]
    fn name(&self) -> &str {
        &self.context.name
    }

    /// Seconds of every finished run of a segment, oldest first.
    #[pyo3(signature = (name, *, field="elapsed_time"))]
    fn history(&self, name: &Bound<'_, PyString>, field: &str) -> PyResult<Vec<f64>> {
        asked(|| history(&self.context, name, field))
    }

    /// Measures nothing from now on.
    fn disable(&self) {
        self.context.is_on.set(false);
    }

    /// Measures again.
    fn enable(&self) {
        self.context.is_on.set(true);
    }

    /// Forgets everything.
    fn clear(&self) {
        measuring(|| false, || self.context.forget(None));
    }

    /// Forgets a segment.
    fn remove(&self, name: &Bound<'_, PyString>) -> PyResult<()> {
        measuring(|| Ok(()), || remove(&self.context, name))
    }

    /// A copy is the context of that name in the copy of its timer.
    fn __reduce__<'py>(&self, python: Python<'py>) -> PyResult<ReducedContext<'py>> {
        asked(|| {
            let context = python.get_type::<Timer>().getattr("context")?;
            let name = self.context.name.clone();
            Ok((context, (self.timer.clone_ref(python), name)))
        })
    }

    fn __repr__(&self) -> String {
        format!("<laptime.TimerContext {:?}>", self.context.name)
    }
}

/// Adds the classes to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Timer>()?;
    module.add_class::<TimerContext>()?;
    module.add_function(wrap_pyfunction!(copied::copied_timer, module)?)?;
    add_methods::<Timer>(module.py())?;
    add_methods::<TimerContext>(module.py())
}
