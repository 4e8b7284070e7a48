//! The native half of `laptime.torchtimer.ProfilingTimer`: all but starting and stopping.
//!
//! Starting and stopping is in `fast/timer`, figures come from the analysis. Names and defaults,
//! tables, files and devices are Python's (`python/laptime/compat/torchtimer`).

use std::sync::Arc;

use laptime_analysis::timer::{self, Origin, SegmentRecord, SegmentRuns};
use laptime_python_macros::guarded;
use laptime_recorder::clock;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::fast::name::Text;
use crate::fast::timer::context::Context;
use crate::fast::timer::gauge::Gauge;
use crate::fast::timer::segment::Segment;
use crate::fast::timer::torchtimer::ProfilingSegments;
use crate::rate;
use crate::report::Report;
use crate::timer::summed_up;
use crate::timer_state::{self, ContextState};

/// Memory over a run: at its start, at its end, and the most in between.
type Memory = Option<(i64, i64, i64)>;
/// A finished run: start, duration, and memory.
type Run = (i64, u64, Memory);
/// Least and most of the runs.
type Bounds = Option<(i64, i64)>;
/// A segment in figures: name as it is shown, runs, their sum, net and peak memory.
type Figures = (String, usize, u64, Bounds, Bounds);
/// A context in figures: its name, the time in which any of its segments ran, and theirs.
type ContextFigures = (String, u64, Vec<Figures>);
/// A context with all runs of its segments, by name.
type ContextRuns = (String, Vec<(String, Vec<Run>)>);

/// The finished runs of a segment, oldest first.
fn told(runs: &SegmentRuns, origin: Origin) -> Vec<Run> {
    let told = |run: SegmentRecord| {
        let memory = run.memory.map(|one| (one.before, one.after, one.most));
        (run.start_ns, run.elapsed_ns, memory)
    };
    runs.records(origin).map(told).collect()
}

/// A moment of this process, and how long a tick is now.
fn origin(ticks: u64) -> Origin {
    let ns_per_tick = rate::ns_per_tick(clock::now());
    Origin { ticks, ns_per_tick }
}

impl ProfilingSegments {
    /// Contexts to show, with every duration filled in.
    fn settled(&self, python: Python<'_>) -> PyResult<Vec<Arc<Context>>> {
        let on = self.contexts.enabled();
        on.iter().try_for_each(|context| context.settle(python))?;
        Ok(on)
    }

    fn at(&self, context: &Bound<'_, PyAny>) -> PyResult<Arc<Context>> {
        let name = text(context)?;
        let found = self.contexts.find(&name);
        found.ok_or_else(|| PyKeyError::new_err(format!("there is no context {name:?}")))
    }
}

fn text(name: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(name.str()?.extract::<Text>()?.0)
}

/// A segment's name as the table shows it.
fn shown(segment: &Segment) -> String {
    let name = segment.site.name();
    if segment.is_text {
        return Python::attach(|python| {
            let shown = PyString::new(python, name).repr();
            shown.map_or_else(
                |_| format!("{name:?}"),
                |shown| shown.to_string_lossy().into_owned(),
            )
        });
    }
    name.to_owned()
}

#[guarded]
#[pymethods]
impl ProfilingSegments {
    #[new]
    #[pyo3(signature = (*arguments, **_keywords))]
    fn new(arguments: &Bound<'_, PyTuple>, _keywords: Option<&Bound<'_, PyDict>>) -> Self {
        Self::empty(arguments.py())
    }

    /// Measures from now on: nothing ("clock"), host memory ("host"), or what the object does.
    ///
    /// Why host memory is that of the process in whole pages, if so.
    fn _measure(&self, gauge: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
        let (gauge, reason) = match gauge.extract::<String>().as_deref() {
            Ok("clock") => (Gauge::Clock, None),
            Ok("host") => Gauge::host(),
            Ok(_) => return Err(PyKeyError::new_err("no such gauge")),
            Err(_) => (Gauge::Device(gauge.clone().unbind()), None),
        };
        self.contexts.measure(gauge);
        Ok(reason)
    }

    /// Whether the timer is on.
    #[getter]
    fn _enabled(&self) -> bool {
        self.contexts.is_on()
    }

    /// Measures again.
    fn enable(&self) {
        self.contexts.switch(true);
    }

    /// Measures nothing from now on, in no context, and shows nothing.
    fn disable(&self) {
        self.contexts.switch(false);
    }

    /// Measures again in a context.
    fn enable_context(&self, context: &Bound<'_, PyAny>) -> PyResult<()> {
        self.contexts.switch_one(&text(context)?, true);
        Ok(())
    }

    /// Measures nothing from now on in a context, and leaves it out of what is shown.
    fn disable_context(&self, context: &Bound<'_, PyAny>) -> PyResult<()> {
        self.contexts.switch_one(&text(context)?, false);
        Ok(())
    }

    /// Names of the contexts that are off.
    fn _disabled(&self) -> Vec<String> {
        self.contexts.off()
    }

    /// Forgets everything.
    fn clear(&self) {
        self.forget();
    }

    /// Forgets what was started and not stopped.
    fn clear_states(&self, python: Python<'_>) -> PyResult<()> {
        for context in self.settled(python)? {
            let mut gone = Vec::new();
            for segment in context.segments.borrow_mut().iter_mut() {
                gone.append(&mut segment.running);
            }
            drop(gone);
        }
        Ok(())
    }

    fn _remove(&self, name: &Bound<'_, PyAny>, context: &Bound<'_, PyAny>) -> PyResult<()> {
        let context = self.at(context)?;
        let (_, key) = context.key_of(name)?;
        if context.is_on.get() && !context.forget(Some(key)) {
            return Err(no_segment(&context, name)?);
        }
        Ok(())
    }

    /// Every finished run of a name, times from the origin on.
    fn _history(
        &self,
        name: &Bound<'_, PyAny>,
        context: &Bound<'_, PyAny>,
        origin: u64,
    ) -> PyResult<Vec<Run>> {
        let context = self.at(context)?;
        let (_, key) = context.key_of(name)?;
        let origin = self::origin(origin);
        let found = context.runs(name.py(), key, |runs| told(runs, origin))?;
        found.map_or_else(|| Err(no_segment(&context, name)?), Ok)
    }

    /// Each context that is on and has finished segments: the time in which any of them ran, and
    /// their figures.
    fn _figures(&self, python: Python<'_>, origin: u64) -> PyResult<Vec<ContextFigures>> {
        let origin = self::origin(origin);
        let figures = |context: Arc<Context>| {
            let segments = context.segments.borrow();
            let runs = segments.iter().map(|one| &one.runs);
            let runtime_ns = timer::runtime_ns(runs, origin);
            let used = segments
                .iter()
                .filter(|one| !one.runs.elapsed_ns.is_empty());
            let rows = used.map(|one| {
                let runs = &one.runs;
                let (count, total_ns) = (runs.elapsed_ns.len(), runs.total_ns());
                (
                    shown(one),
                    count,
                    total_ns,
                    runs.net_bytes(),
                    runs.peak_bytes(),
                )
            });
            (context.name.clone(), runtime_ns, rows.collect::<Vec<_>>())
        };
        let all = self.settled(python)?.into_iter().map(figures);
        Ok(all.filter(|(.., rows)| !rows.is_empty()).collect())
    }

    /// The history as a report, as other timers have it, for notebooks.
    fn _report(&self, timer: &Bound<'_, PyAny>) -> PyResult<Report> {
        let contexts = self.settled(timer.py())?;
        let timer = timer::Timer {
            name: &text(timer)?,
            source: self.contexts.main.settings.clock.source(),
            no_device: None,
        };
        Ok(summed_up(timer, &contexts, shown))
    }

    /// Contexts that are on, each with its segments by name and all that ran of them.
    fn _runs(&self, python: Python<'_>, origin: u64) -> PyResult<Vec<ContextRuns>> {
        let origin = self::origin(origin);
        let runs = |context: Arc<Context>| {
            let segments = context.segments.borrow();
            let named = segments.iter().map(|one| {
                let name = one.site.name().to_owned();
                (name, told(&one.runs, origin))
            });
            (context.name.clone(), named.collect())
        };
        Ok(self.settled(python)?.into_iter().map(runs).collect())
    }

    /// All finished segments, to be pickled.
    fn _state(&self, python: Python<'_>, origin: u64) -> PyResult<Vec<ContextState>> {
        timer_state::of(&self.contexts, python, self::origin(origin))
    }

    /// Takes what `_state` gave; its origin is `origin` here.
    fn _restore(&self, state: Vec<ContextState>, origin: u64) {
        timer_state::restore(&self.contexts, state, self::origin(origin));
    }
}

fn no_segment(context: &Context, name: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    let context = &context.name;
    Ok(PyKeyError::new_err(format!(
        "context {context:?} has no segment {}",
        name.repr()?
    )))
}
