//! How timers are copied and pickled: with their settings and their history, but nothing runs.
//!
//! A device that is not there where the copy is made leaves the copy measuring host time, as
//! making such a timer does. Handles of laps are copied in `fast/lap/value.rs`.

use laptime_analysis::timer::{Origin, SegmentMemory, SegmentRuns};
use laptime_python_macros::guarded;
use laptime_recorder::Site;
use pyo3::prelude::*;

use crate::entry::asked;
use crate::fast::timer::contexts::Contexts;
use crate::fast::timer::segment::Segment;
use crate::timer::Timer;

/// Name, device, clock, whether CPU times and memory are measured.
type Settings = (String, Option<Py<PyAny>>, String, bool, bool);
/// A segment: its name and whether that was a string; durations and, where they are kept, starts in
/// nanoseconds; CPU times and delay; memory; how many were measured by a device, and their sum.
type SegmentState = (
    (String, bool),
    (Vec<u64>, Vec<i64>),
    (Vec<(u64, u64)>, Option<u64>),
    Vec<(i64, i64, i64)>,
    (u64, u64),
);
/// A context: its name, whether it is on, and its segments.
pub type ContextState = (String, bool, Vec<SegmentState>);
/// A timer: its settings, whether it is on, and its contexts, its own first.
type TimerState = (Settings, bool, Vec<ContextState>);
/// What `__reduce__` gives.
pub type Reduced<'py> = (Bound<'py, PyAny>, TimerState);

/// Starts that nobody keeps have any origin.
const NO_STARTS: Origin = Origin {
    ticks: 0,
    ns_per_tick: 1.0,
};

/// All that has finished, every duration that a device owed filled in.
pub fn of(contexts: &Contexts, python: Python<'_>, origin: Origin) -> PyResult<Vec<ContextState>> {
    contexts.settle(python)?;
    let state = contexts.all().into_iter().map(|context| {
        let segments = context.segments.borrow();
        let segments = segments.iter().map(|one| segment_state(one, origin));
        (
            context.name.clone(),
            context.is_on.get(),
            segments.collect(),
        )
    });
    Ok(state.collect())
}

/// Adds what [`of`] gave.
pub fn restore(contexts: &Contexts, state: Vec<ContextState>, origin: Origin) {
    for (name, is_on, segments) in state {
        let context = contexts.find_or_make(&name);
        context.is_on.set(is_on);
        for state in segments {
            context.add(segment(state, origin));
        }
    }
}

fn segment_state(segment: &Segment, origin: Origin) -> SegmentState {
    let runs = &segment.runs;
    let memory = runs.memory.iter();
    let starts = runs.records(origin).map(|one| one.start_ns);
    (
        (segment.site.name().to_owned(), segment.is_text),
        (runs.elapsed_ns.clone(), starts.collect()),
        (runs.cpu_ns.clone(), runs.delayed_ns),
        memory
            .map(|one| (one.before, one.after, one.most))
            .collect(),
        (runs.on_device, runs.device_ns),
    )
}

fn segment(state: SegmentState, origin: Origin) -> Segment {
    let ((name, is_text), (elapsed_ns, starts), (cpu_ns, delayed_ns), memory, device) = state;
    let memory = memory
        .into_iter()
        .map(|(before, after, most)| SegmentMemory {
            before,
            after,
            most,
        });
    let runs = SegmentRuns {
        elapsed_ns,
        started: starts.into_iter().map(|ns| origin.ticks_at(ns)).collect(),
        memory: memory.collect(),
        cpu_ns,
        delayed_ns,
        on_device: device.0,
        device_ns: device.1,
    };
    Segment::new(Site::intern(&name), is_text, runs)
}

/// How a timer is made again.
pub fn reduced<'py>(timer: &Timer, python: Python<'py>) -> PyResult<Reduced<'py>> {
    let contexts = of(&timer.contexts, python, NO_STARTS)?;
    let settings = timer.contexts.main.settings;
    let (device, memory) = &timer.device;
    let settings = (
        timer.name.clone(),
        device.as_ref().map(|device| device.clone_ref(python)),
        settings.clock.name().to_owned(),
        settings.cpu,
        *memory,
    );
    let again = python.import("laptime._core")?.getattr("copied_timer")?;
    Ok((again, (settings, timer.contexts.is_on(), contexts)))
}

/// Makes a timer again from what [`reduced`] gave.
#[guarded]
#[pyfunction]
pub fn copied_timer(
    python: Python<'_>,
    settings: Settings,
    is_on: bool,
    contexts: Vec<ContextState>,
) -> PyResult<Timer> {
    asked(|| {
        let (name, device, clock, cpu, memory) = settings;
        let device = device.as_ref().map(|device| device.bind(python));
        let timer = Timer::made(&name, device, &clock, cpu, memory)?;
        timer.contexts.switch(is_on);
        restore(&timer.contexts, contexts, NO_STARTS);
        Ok(timer)
    })
}
