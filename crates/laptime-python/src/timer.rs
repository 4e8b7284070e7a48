//! `lt.Timer` and its contexts: the history, the switches, the summary, and copies.
//!
//! Starting and stopping are in `fast/timer`; figures are the analysis'.

use std::sync::Arc;

use laptime::summarize_live;
use laptime_analysis::timer::{Timer as Timed, TimerSummary};
use laptime_python_macros::guarded;
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::entry::{asked, asked_at_length, measuring, memory_error};
use crate::fast::name::Text;
use crate::fast::timer::context::Context;
use crate::fast::timer::contexts::Contexts;
use crate::fast::timer::gauge::Gauge;
use crate::fast::timer::methods::HasContext;
use crate::fast::timer::segment::Segment;
use crate::fast::timer::settings::{Clock, Settings};
use crate::report::Report;
use crate::timer_state;

/// An explicit timer with named segments and a history of its own.
#[pyclass(frozen, weakref, module = "laptime")]
pub struct Timer {
    pub name: String,
    pub contexts: Contexts,
    /// The device as it was given, and whether its memory was asked for.
    pub device: (Option<Py<PyAny>>, bool),
    /// Why there is no device time, when it was asked for.
    no_device: Option<String>,
}

/// What a context's `__reduce__` gives: how it is got from its timer.
type ReducedContext<'py> = (Bound<'py, PyAny>, (Py<Timer>, String));

/// A named set of segments of a timer.
#[pyclass(frozen, weakref, module = "laptime")]
pub struct TimerContext {
    context: Arc<Context>,
    timer: Py<Timer>,
}

impl HasContext for Timer {
    #[inline]
    fn context(&self) -> &Context {
        &self.contexts.main
    }
}

impl HasContext for TimerContext {
    #[inline]
    fn context(&self) -> &Context {
        &self.context
    }
}

/// What measures on a device, or why there is none: then host time is measured.
fn device(device: &Bound<'_, PyAny>, memory: bool) -> PyResult<(Gauge, Option<String>)> {
    let module = device.py().import("laptime.device")?;
    let found = module.call_method1("gauge", (device, memory))?;
    let (gauge, reason): (Option<Py<PyAny>>, Option<String>) = found.extract()?;
    Ok((gauge.map_or(Gauge::Clock, Gauge::Device), reason))
}

/// Bytes that a run takes while it is summed up.
const RUN: usize = 64;

fn history(context: &Context, segment: &Bound<'_, PyString>, field: &str) -> PyResult<Vec<f64>> {
    if field != "elapsed_time" {
        return Err(PyValueError::new_err(format!(
            "a timer's history holds \"elapsed_time\", not {field:?}"
        )));
    }
    let (site, key) = context.key_of(segment)?;
    let seconds = context.runs(segment.py(), key, |runs| {
        let elapsed_ns = runs.elapsed_ns.iter();
        let mut seconds: Vec<f64> = Vec::new();
        seconds.try_reserve_exact(elapsed_ns.len()).ok()?;
        seconds.extend(elapsed_ns.map(|ns| *ns as f64 / 1e9));
        Some(seconds)
    })?;
    if matches!(seconds, Some(None)) {
        return Err(memory_error(segment.py()));
    }
    seconds.flatten().ok_or_else(|| {
        let (context, name) = (&context.name, site.name());
        PyKeyError::new_err(format!("context {context:?} has no segment {name:?}"))
    })
}

fn remove(context: &Context, segment: &Bound<'_, PyString>) -> PyResult<()> {
    let (_, key) = context.key_of(segment)?;
    context.forget(Some(key));
    Ok(())
}

#[guarded]
#[pymethods]
impl Timer {
    #[new]
    #[pyo3(signature = (name=Text::from("timer"), *, device=None, clock="wall", cpu=false, memory=false))]
    fn new(
        name: Text,
        device: Option<&Bound<'_, PyAny>>,
        clock: &str,
        cpu: bool,
        memory: bool,
    ) -> PyResult<Self> {
        asked(|| Self::made(&name.0, device, clock, cpu, memory))
    }

    /// The timer's name.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The context of that name; made at its first use.
    fn context(this: &Bound<'_, Self>, name: Text) -> TimerContext {
        let timer = this.get();
        TimerContext {
            context: measuring(
                || timer.contexts.main.clone(),
                || timer.contexts.find_or_make(&name.0),
            ),
            timer: this.clone().unbind(),
        }
    }

    /// A copy has the history so far, and nothing of it runs.
    fn __reduce__<'py>(&self, python: Python<'py>) -> PyResult<timer_state::Reduced<'py>> {
        asked(|| timer_state::reduced(self, python))
    }

    /// Seconds of every finished run of a segment, oldest first.
    #[pyo3(signature = (name, *, context=Text::from("main"), field="elapsed_time"))]
    fn history(
        &self,
        name: &Bound<'_, PyString>,
        context: Text,
        field: &str,
    ) -> PyResult<Vec<f64>> {
        asked(|| {
            let context = &context.0;
            let found = self.contexts.find(context).ok_or_else(|| {
                PyKeyError::new_err(format!("timer {:?} has no context {context:?}", self.name))
            })?;
            history(&found, name, field)
        })
    }

    /// Measures nothing from now on, in no context; running segments are given up.
    fn disable(&self) {
        self.contexts.switch(false);
    }

    /// Measures again.
    fn enable(&self) {
        self.contexts.switch(true);
    }

    /// Forgets everything.
    fn clear(&self) {
        measuring(|| (), || self.contexts.forget());
    }

    /// Forgets a segment.
    #[pyo3(signature = (name, *, context=Text::from("main")))]
    fn remove(&self, name: &Bound<'_, PyString>, context: Text) -> PyResult<()> {
        let forget = || {
            let found = self.contexts.find(&context.0);
            found.map_or(Ok(()), |found| remove(&found, name))
        };
        measuring(|| Ok(()), forget)
    }

    /// The history as a report, one table per context.
    fn summary(&self, python: Python<'_>) -> PyResult<Report> {
        asked_at_length(self.bytes(), || {
            self.contexts.settle(python)?;
            Ok(self.summed_up())
        })
    }

    /// What notebooks show: the summary.
    #[pyo3(signature = (include=None, exclude=None))]
    fn _repr_mimebundle_<'py>(
        &self,
        python: Python<'py>,
        include: Option<&Bound<'py, PyAny>>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        asked_at_length(self.bytes(), || {
            self.contexts.settle(python)?;
            let summary = self.summed_up();
            summary.mime_bundle(python, include, exclude)
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
        let clock = Clock::of(clock)?;
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
        Ok(Self {
            name: name.to_owned(),
            contexts: Contexts::new(settings, gauge),
            device: (device.map(|device| device.clone().unbind()), memory),
            no_device,
        })
    }

    /// What it takes to sum up.
    fn bytes(&self) -> usize {
        let contexts = self.contexts.all();
        let runs = |context: &Context| {
            let segments = context.segments.borrow();
            segments
                .iter()
                .map(|one| one.runs.elapsed_ns.len())
                .sum::<usize>()
        };
        contexts.iter().map(|one| runs(one)).sum::<usize>() * RUN
    }

    /// The history as a report; every duration that a device owed has been filled in.
    fn summed_up(&self) -> Report {
        let timer = Timed {
            name: &self.name,
            source: self.contexts.main.settings.clock.source(),
            no_device: self.no_device.as_deref(),
        };
        let name = |segment: &Segment| segment.site.name().to_owned();
        summed_up(timer, &self.contexts.all(), name)
    }
}

/// The history of contexts as a report, each segment by the name that it is given.
pub fn summed_up(
    timer: Timed<'_>,
    contexts: &[Arc<Context>],
    name: impl Fn(&Segment) -> String,
) -> Report {
    let process = summarize_live(&laptime_recorder::live());
    let segments: Vec<_> = contexts.iter().map(|one| one.segments.borrow()).collect();
    let shown = segments.iter().map(|some| some.iter().map(&name).collect());
    let shown: Vec<Vec<String>> = shown.collect();
    let named = contexts.iter().zip(&segments).zip(&shown);
    let named = named.map(|((context, segments), shown)| {
        let runs = segments.iter().map(|one| &one.runs);
        let named = shown.iter().map(|name| &**name).zip(runs);
        (&*context.name, named.collect())
    });
    let TimerSummary { whole, tables } =
        TimerSummary::new(timer, &named.collect::<Vec<_>>(), &process);
    Report::with_tables(whole, tables)
}

#[guarded]
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
