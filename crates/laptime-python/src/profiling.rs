//! The native half of `laptime.torchtimer.ProfilingTimer`: all but starting and stopping.
//!
//! Those are in `fast/profiling.rs`. Figures come from the analysis and tables from the report;
//! names and defaults, files and devices are Python's business (`python/laptime/torchtimer`).

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use laptime_analysis::{SegmentMemory, SegmentRecord, context_totals};
use laptime_recorder::Site;
use laptime_report::torchtimer;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::fast::gauge::{Gauge, Memory};
use crate::fast::history::{Kept, Segment};
use crate::fast::profiling::{Contexts, Locked, ProfilingSegments, add_methods};
use crate::fast::timer::Context;
use crate::rate;

/// Start, duration, and memory at the start, at the end and at most.
type Row = (i64, u64, Option<(i64, i64, i64)>);
/// A context as it is pickled: its name, and its segments with whether their name was a string.
type State = (String, Vec<(String, bool, Vec<Row>)>);
/// A segment of a timeline: name, start, duration, memory net, peak, and before.
type Shown = (String, i64, u64, Option<i64>, Option<i64>, Option<i64>);

impl ProfilingSegments {
    fn contexts(&self) -> &Contexts {
        &self.contexts.0
    }

    /// Those to show, with every duration filled in.
    fn enabled(&self, python: Python<'_>) -> PyResult<Vec<Arc<Context>>> {
        let list = self.contexts().list.borrow().clone();
        let on: Vec<_> = list.into_iter().filter(|one| one.is_on.get()).collect();
        on.iter().try_for_each(|context| context.settle(python))?;
        Ok(on)
    }

    fn at(&self, context: &Bound<'_, PyAny>) -> PyResult<Arc<Context>> {
        let name = context.str()?.to_string_lossy().into_owned();
        let at = self.contexts().position(&name);
        let at = at.ok_or_else(|| PyKeyError::new_err(format!("there is no context {name:?}")))?;
        Ok(self.contexts().list.borrow()[at].clone())
    }
}

/// The records of a segment, from the origin on.
fn records(segment: &Segment, origin: u64) -> Vec<Row> {
    let rate = rate::ns_per_tick(laptime_recorder::clock::now());
    let rows = segment.elapsed_ns.iter().zip(&segment.started).enumerate();
    rows.map(|(at, (elapsed_ns, started))| {
        let ticks = i128::from(*started) - i128::from(origin);
        let memory = segment.memory(at);
        let memory = memory.map(|memory| (memory.before, memory.after, memory.most));
        ((ticks as f64 * rate).round() as i64, *elapsed_ns, memory)
    })
    .collect()
}

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

#[pymethods]
impl ProfilingSegments {
    #[new]
    #[pyo3(signature = (*arguments, **_keywords))]
    fn new(arguments: &Bound<'_, PyTuple>, _keywords: Option<&Bound<'_, PyDict>>) -> Self {
        let name = PyString::intern(arguments.py(), "default");
        Self {
            contexts: Locked(Contexts::new(name.into_any().unbind())),
        }
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
        let gauge = Arc::new(gauge);
        *self.contexts().gauge.borrow_mut() = gauge.clone();
        for context in self.contexts().list.borrow().iter() {
            context.measure(gauge.clone());
        }
        Ok(reason)
    }

    /// Whether the timer is on.
    #[getter]
    fn _enabled(&self) -> bool {
        self.contexts().is_on.load(Relaxed)
    }

    /// Measures again.
    fn enable(&self) {
        self.contexts().is_on.store(true, Relaxed);
    }

    /// Measures nothing from now on, in no context, and shows nothing.
    fn disable(&self) {
        self.contexts().is_on.store(false, Relaxed);
    }

    /// Measures again in a context.
    fn enable_context(&self, context: &Bound<'_, PyAny>) -> PyResult<()> {
        let name = context.str()?.to_string_lossy().into_owned();
        self.contexts().off.borrow_mut().retain(|off| *off != name);
        if let Some(at) = self.contexts().position(&name) {
            self.contexts().list.borrow()[at].is_on.set(true);
        }
        Ok(())
    }

    /// Measures nothing from now on in a context, and leaves it out of what is shown.
    fn disable_context(&self, context: &Bound<'_, PyAny>) -> PyResult<()> {
        let name = context.str()?.to_string_lossy().into_owned();
        if let Some(at) = self.contexts().position(&name) {
            self.contexts().list.borrow()[at].is_on.set(false);
        }
        let mut off = self.contexts().off.borrow_mut();
        if !off.contains(&name) {
            off.push(name);
        }
        Ok(())
    }

    /// Names of the contexts that are off.
    fn _disabled(&self) -> Vec<String> {
        self.contexts().off.borrow().clone()
    }

    /// Forgets everything.
    fn clear(&self) {
        self.contexts().clear();
    }

    /// Forgets what was started and not stopped.
    fn clear_states(&self, python: Python<'_>) -> PyResult<()> {
        for context in self.enabled(python)? {
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
        // SAFETY: a live object, with the lock held.
        let key = unsafe { context.key(name.as_ptr()) };
        let (site, is_text) = key.ok_or_else(|| PyErr::fetch(name.py()))?;
        if context.is_on.get() && !context.forget(Some((site.index(), is_text))) {
            return Err(no_segment(&context, name)?);
        }
        Ok(())
    }

    /// The records of a segment, times from the origin on.
    fn _records(
        &self,
        name: &Bound<'_, PyAny>,
        context: &Bound<'_, PyAny>,
        origin: u64,
    ) -> PyResult<Vec<Row>> {
        let context = self.at(context)?;
        context.settle(name.py())?;
        // SAFETY: a live object, with the lock held.
        let key = unsafe { context.key(name.as_ptr()) };
        let (site, is_text) = key.ok_or_else(|| PyErr::fetch(name.py()))?;
        let segments = context.segments.borrow();
        let found = segments
            .iter()
            .find(|one| one.key() == (site.index(), is_text));
        match found {
            Some(segment) => Ok(records(segment, origin)),
            None => Err(no_segment(&context, name)?),
        }
    }

    /// The table of each context that is on and has records, its lines ended.
    fn _tables(&self, timer: &Bound<'_, PyAny>, origin: u64) -> PyResult<Vec<String>> {
        let timer_name = timer.str()?.to_string_lossy().into_owned();
        let mut tables = Vec::new();
        for context in self.enabled(timer.py())? {
            let segments = context.segments.borrow();
            let rows = segments.iter().map(|segment| {
                let rows = records(segment, origin).into_iter();
                (shown(segment), rows.map(record).collect())
            });
            let totals = context_totals(rows);
            if !totals.segments.is_empty() {
                tables.push(torchtimer::table(&timer_name, &context.name, &totals));
            }
        }
        Ok(tables)
    }

    /// Contexts that are on and have records, each with the segments of its timeline.
    fn _timeline(&self, python: Python<'_>, origin: u64) -> PyResult<Vec<(String, Vec<Shown>)>> {
        let line = |context: Arc<Context>| {
            let segments = context.segments.borrow();
            let shown = segments.iter().flat_map(|segment| {
                let name = segment.site.name();
                let rows = records(segment, origin).into_iter();
                rows.map(move |row| timed(name, row)).collect::<Vec<_>>()
            });
            (context.name.clone(), shown.collect::<Vec<_>>())
        };
        let lines = self.enabled(python)?.into_iter().map(line);
        Ok(lines.filter(|(_, shown)| !shown.is_empty()).collect())
    }

    /// All finished segments, to be pickled.
    fn _state(&self, python: Python<'_>, origin: u64) -> PyResult<Vec<State>> {
        let list = self.contexts().list.borrow().clone();
        list.iter().try_for_each(|context| context.settle(python))?;
        let state = |context: &Arc<Context>| {
            let segments = context.segments.borrow();
            let rows = segments.iter().map(|one| {
                (
                    one.site.name().to_owned(),
                    one.is_text,
                    records(one, origin),
                )
            });
            (context.name.clone(), rows.collect())
        };
        Ok(list.iter().map(state).collect())
    }

    /// Takes what `_state` gave; its origin is `origin` here.
    fn _restore(&self, state: Vec<State>, origin: u64) {
        let rate = rate::ns_per_tick(laptime_recorder::clock::now());
        for (context, segments) in state {
            let at = self.contexts().add(&context);
            let context = self.contexts().list.borrow()[at].clone();
            for (name, is_text, rows) in segments {
                let at = context.add(Segment::new(Site::intern(&name), is_text));
                let segment = &mut context.segments.borrow_mut()[at];
                for (start_ns, elapsed_ns, memory) in rows {
                    let ticks = (start_ns as f64 / rate).round() as i64;
                    let kept = Kept {
                        started: origin.saturating_add_signed(ticks),
                        elapsed_ns,
                        process_ns: 0,
                        thread_ns: 0,
                        delayed_ns: None,
                    };
                    let memory = memory.map_or(Memory::NOT_READ, |(before, after, most)| Memory {
                        before,
                        after,
                        most,
                    });
                    segment.keep(kept, context.settings, memory);
                }
            }
        }
    }
}

fn record((start_ns, elapsed_ns, memory): Row) -> SegmentRecord {
    SegmentRecord {
        start_ns,
        elapsed_ns,
        memory: memory.map(|(before, after, most)| SegmentMemory {
            net_bytes: after - before,
            peak_bytes: most - before,
        }),
    }
}

fn timed(name: &str, row: Row) -> Shown {
    let record = record(row);
    (
        name.to_owned(),
        record.start_ns,
        record.elapsed_ns,
        record.memory.map(|memory| memory.net_bytes),
        record.memory.map(|memory| memory.peak_bytes),
        row.2.map(|(before, ..)| before),
    )
}

fn no_segment(context: &Context, name: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    let context = &context.name;
    Ok(PyKeyError::new_err(format!(
        "context {context:?} has no segment {}",
        name.repr()?
    )))
}

/// Adds the class to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<ProfilingSegments>()?;
    add_methods(module.py())
}
