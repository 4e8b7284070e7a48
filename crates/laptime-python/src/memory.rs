//! Counting host memory: on, off, and for an interval that is no lap.

use laptime_core::ProcessMemory;
use laptime_python_macros::guarded;
use laptime_recorder::memory::{self, Interval};
use pyo3::prelude::*;

use crate::entry::measuring;
use crate::fast::span;
use crate::objects;

/// Where Python takes objects from an allocator of its own, none is counted: what would be told is too little.
pub fn refuse_own_allocator() {
    let chosen = std::env::var("PYTHONMALLOC").unwrap_or_default();
    if cfg!(Py_GIL_DISABLED) || chosen.starts_with("mimalloc") {
        memory::refuse("Python takes its objects from mimalloc, and not from malloc");
    }
}

/// Counts the memory of laps from now on: whether this call began it, and why something of it is
/// not possible, if so.
#[guarded]
#[pyfunction]
#[pyo3(signature = (objects=false))]
pub fn memory_start(python: Python<'_>, objects: bool) -> (bool, Option<String>) {
    let start = || match memory::start() {
        Err(reason) => (false, Some(reason.0)),
        Ok(began) if objects => (began, objects::start(python).err()),
        Ok(began) => (began, None),
    };
    measuring(|| (false, None), start)
}

/// Counts no more.
#[guarded]
#[pyfunction]
pub fn memory_stop() {
    let stop = || {
        objects::stop();
        memory::stop();
    };
    measuring(|| (), stop);
}

/// Bytes allocated and not freed since counting began, and their peak; `None` while not counting.
#[guarded]
#[pyfunction]
pub fn memory_of_process() -> Option<(i64, u64)> {
    let ProcessMemory { bytes, peak_bytes } = measuring(|| None, memory::process)?;
    Some((bytes, peak_bytes))
}

/// Begins an interval that is no lap, such as a timer's segment: a token, 0 while not counting.
#[guarded]
#[pyfunction]
pub fn memory_open() -> u64 {
    let begin = || span::at(Interval::begin).map_or(0, Interval::to_raw);
    measuring(|| 0, begin)
}

/// Ends an interval on the thread or task where it began: net and peak in bytes, or `None`.
#[guarded]
#[pyfunction]
pub fn memory_close(token: u64) -> Option<(i64, u64)> {
    let end = || span::at(|| Interval::from_raw(token).end());
    let memory = measuring(|| None, end)?;
    Some((memory.net_bytes, memory.peak_bytes))
}
