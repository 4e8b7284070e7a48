//! The native half of `laptime.torchtimer.ProfilingTimer`: all but starting and stopping.
//!
//! Starting and stopping is in `fast/timer`. Figures come from the analysis and tables from the
//! report; names and defaults, files and devices are Python's (`python/laptime/torchtimer`).

use std::sync::Arc;

use laptime::summarize_live;
use laptime_analysis::timer::{self, Origin, SegmentMemory, SegmentRecord, TimerSummary};
use laptime_python_macros::guarded;
use laptime_recorder::clock;
use laptime_report::torchtimer;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::fast::timer::context::Context;
use crate::fast::timer::gauge::Gauge;
use crate::fast::timer::segment::Segment;
use crate::fast::timer::torchtimer::ProfilingSegments;
use crate::rate;
use crate::report::Report;
use crate::timer_state::{self, ContextState};

/// A segment of a timeline: name, start, duration, memory net, peak, and before.
type Shown = (String, i64, u64, Option<i64>, Option<i64>, Option<i64>);

/// One value of a history.
#[derive(IntoPyObject)]
enum Value {
    Seconds(f64),
    Bytes(Option<i64>),
}

/// What a field of a history is of a record; the names are torchtimer's.
fn value(field: &str, record: &SegmentRecord) -> PyResult<Value> {
    let seconds = |ns: f64| Value::Seconds(ns / 1e9);
    let bytes = |read: fn(SegmentMemory) -> i64| Value::Bytes(record.memory.map(read));
    Ok(match field {
        "start_time" => seconds(record.start_ns as f64),
        "end_time" => seconds(record.end_ns() as f64),
        "elapsed_time" => seconds(record.elapsed_ns as f64),
        "memory_allocated_start" => bytes(|memory| memory.before),
        "memory_allocated_end" => bytes(|memory| memory.after),
        "max_memory_allocated_end" => bytes(|memory| memory.most),
        "net_memory_allocated" => bytes(SegmentMemory::net_bytes),
        "peak_memory_allocated" => bytes(SegmentMemory::peak_bytes),
        _ => return Err(PyKeyError::new_err(field.to_owned())),
    })
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
    Ok(name.str()?.to_string_lossy().into_owned())
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

    /// One field of every finished segment of a name, times from the origin on.
    fn _history(
        &self,
        name: &Bound<'_, PyAny>,
        context: &Bound<'_, PyAny>,
        field: &str,
        origin: u64,
    ) -> PyResult<Vec<Value>> {
        let context = self.at(context)?;
        let (_, key) = context.key_of(name)?;
        let origin = self::origin(origin);
        let values = context.runs(name.py(), key, |runs| {
            runs.records(origin)
                .map(|record| value(field, &record))
                .collect()
        })?;
        values.unwrap_or_else(|| Err(no_segment(&context, name)?))
    }

    /// The table of each context that is on and has records, its lines ended.
    fn _tables(&self, timer: &Bound<'_, PyAny>, origin: u64) -> PyResult<Vec<String>> {
        let timer_name = text(timer)?;
        let origin = self::origin(origin);
        let mut tables = Vec::new();
        for context in self.settled(timer.py())? {
            let segments = context.segments.borrow();
            let shown: Vec<String> = segments.iter().map(shown).collect();
            let runs = segments.iter().map(|one| &one.runs);
            let named: Vec<_> = shown.iter().map(|name| &**name).zip(runs.clone()).collect();
            let rows = timer::rows(&named);
            if !rows.is_empty() {
                let runtime_ns = timer::runtime_ns(runs, origin);
                tables.push(torchtimer::table(
                    &timer_name,
                    &context.name,
                    &rows,
                    runtime_ns,
                ));
            }
        }
        Ok(tables)
    }

    /// The tables as a report, as other timers have it, for notebooks.
    fn _report(&self, timer: &Bound<'_, PyAny>) -> PyResult<Report> {
        let name = text(timer)?;
        let contexts = self.settled(timer.py())?;
        let process = summarize_live(&laptime_recorder::live());
        let segments: Vec<_> = contexts.iter().map(|one| one.segments.borrow()).collect();
        let shown: Vec<Vec<String>> = segments
            .iter()
            .map(|segments| segments.iter().map(shown).collect())
            .collect();
        let named = contexts.iter().zip(&segments).zip(&shown);
        let named = named.map(|((context, segments), shown)| {
            let runs = segments.iter().map(|one| &one.runs);
            let named = shown.iter().map(|name| &**name).zip(runs);
            (&*context.name, named.collect())
        });
        let timer = timer::Timer {
            name: &name,
            source: self.contexts.main.settings.clock.source(),
            no_device: None,
        };
        let summary = TimerSummary::new(timer, &named.collect::<Vec<_>>(), &process);
        Ok(Report::with_tables(summary.whole, summary.tables))
    }

    /// Contexts that are on and have records, each with the segments of its timeline.
    fn _timeline(&self, python: Python<'_>, origin: u64) -> PyResult<Vec<(String, Vec<Shown>)>> {
        let origin = self::origin(origin);
        let line = |context: Arc<Context>| {
            let segments = context.segments.borrow();
            let shown = segments.iter().flat_map(|segment| {
                segment.runs.records(origin).map(|record| {
                    let memory = record.memory;
                    (
                        segment.site.name().to_owned(),
                        record.start_ns,
                        record.elapsed_ns,
                        memory.map(SegmentMemory::net_bytes),
                        memory.map(SegmentMemory::peak_bytes),
                        memory.map(|memory| memory.before),
                    )
                })
            });
            (context.name.clone(), shown.collect::<Vec<_>>())
        };
        let lines = self.settled(python)?.into_iter().map(line);
        Ok(lines.filter(|(_, shown)| !shown.is_empty()).collect())
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
