//! How timers are copied and pickled: with their settings and their history, but nothing runs.
//!
//! A device that is not there where the copy is made leaves the copy measuring host time, as
//! making such a timer does. Handles of laps are copied in `fast/copied.rs`.

use pyo3::prelude::*;

use crate::entry::asked;
use crate::fast::history::{Parts, Segment};
use crate::timer::{Timer, clock_name};

/// Name, device, clock, whether CPU times and memory are measured.
type Settings = (String, Option<Py<PyAny>>, String, bool, bool);
/// A context: its name, whether it is on, and its segments.
type ContextParts = (String, bool, Vec<Parts>);
/// A timer: its settings, whether it is on, and its contexts, its own first.
type TimerParts = (Settings, bool, Vec<ContextParts>);
/// What `__reduce__` gives.
pub type Reduced<'py> = (Bound<'py, PyAny>, TimerParts);

/// How a timer is made again.
pub fn reduced<'py>(timer: &Timer, python: Python<'py>) -> PyResult<Reduced<'py>> {
    let contexts = timer.contexts();
    contexts.iter().try_for_each(|one| one.settle(python))?;
    let contexts = contexts.iter().map(|context| {
        let segments = context.segments.borrow();
        let parts = segments.iter().map(Segment::parts).collect();
        (context.name.clone(), context.is_on.get(), parts)
    });
    let settings = timer.main.settings;
    let (device, memory) = &timer.device;
    let settings = (
        timer.name.clone(),
        device.as_ref().map(|device| device.clone_ref(python)),
        clock_name(settings.clock).to_owned(),
        settings.cpu,
        *memory,
    );
    let is_on = timer.is_on.load(std::sync::atomic::Ordering::Relaxed);
    let again = python.import("laptime._core")?.getattr("copied_timer")?;
    Ok((again, (settings, is_on, contexts.collect())))
}

/// Makes it.
#[pyfunction]
pub fn copied_timer(
    python: Python<'_>,
    settings: Settings,
    is_on: bool,
    contexts: Vec<ContextParts>,
) -> PyResult<Timer> {
    asked(|| {
        let (name, device, clock, cpu, memory) = settings;
        let device = device.as_ref().map(|device| device.bind(python));
        let timer = Timer::made(&name, device, &clock, cpu, memory)?;
        timer
            .is_on
            .store(is_on, std::sync::atomic::Ordering::Relaxed);
        for (name, is_on, segments) in contexts {
            let context = timer.find_or_make(&name);
            context.is_on.set(is_on);
            for parts in segments {
                context.add(Segment::from_parts(parts));
            }
        }
        Ok(timer)
    })
}
