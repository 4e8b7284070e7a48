//! What a timer measures beside the host's clock: nothing, host memory, or a device.
//!
//! Host memory is read here; a device through the object that `laptime.device` gives, the one
//! place that a pool of events in Rust would replace. Readings lie outside of the interval: memory
//! is read before the clock at the start and after it at the stop.

use laptime_recorder::memory::{self, Stretch};
use laptime_recorder::{Resident, resident};
use pyo3::prelude::*;

use super::span;

/// Stands in a record for memory that was not read.
const NOT_READ: i64 = i64::MIN;

/// What is measured beside the clock.
pub enum Gauge {
    /// Nothing.
    Clock,
    /// What the thread allocates and frees, counted where it does.
    Allocated,
    /// Resident memory of the process, where allocations cannot be counted.
    Resident,
    /// Whatever the object measures: `start() -> token | None` and
    /// `stop(token) -> (elapsed, before, after, most)`, bytes or `None`.
    Device(Py<PyAny>),
}

/// What a gauge keeps while a segment runs.
pub enum Begun {
    /// Nothing.
    Nothing,
    /// Bytes of the process since counting began, and the stretch that is counted.
    Allocated(i64, Stretch),
    /// Memory at the start.
    Resident(Resident),
    /// The object that the device gave.
    Device(Py<PyAny>),
}

/// Memory over a segment, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// At the start.
    pub before: i64,
    /// At the end.
    pub after: i64,
    /// The most in between.
    pub most: i64,
}

impl Memory {
    /// Nobody looked.
    pub const NOT_READ: Self = Self {
        before: NOT_READ,
        after: NOT_READ,
        most: NOT_READ,
    };

    /// Itself, unless nobody looked.
    pub fn read(self) -> Option<Self> {
        (self != Self::NOT_READ).then_some(self)
    }
}

/// What a gauge says at the end of a segment.
pub struct Ended {
    /// Memory over the segment.
    pub memory: Memory,
    /// The duration, as something that will know it; `None` when the clock's holds.
    pub elapsed: Option<Py<PyAny>>,
}

impl Gauge {
    /// At the start, before the clock is read.
    pub fn begin(&self, python: Python<'_>) -> PyResult<Begun> {
        Ok(match self {
            Self::Clock => Begun::Nothing,
            Self::Allocated => allocated().unwrap_or(Begun::Nothing),
            Self::Resident => resident().map_or(Begun::Nothing, Begun::Resident),
            Self::Device(device) => {
                let token = device.call_method0(python, pyo3::intern!(python, "start"))?;
                if token.is_none(python) {
                    Begun::Nothing
                } else {
                    Begun::Device(token)
                }
            }
        })
    }

    /// At the end, after the clock was read.
    pub fn end(&self, python: Python<'_>, begun: Begun) -> PyResult<Ended> {
        match (self, begun) {
            (Self::Device(device), Begun::Device(token)) => {
                let name = pyo3::intern!(python, "stop");
                let ended = device.call_method1(python, name, (token,))?;
                let (elapsed, before, after, most): (Py<PyAny>, Option<i64>, i64, i64) =
                    ended.extract(python)?;
                let memory = before.map_or(Memory::NOT_READ, |before| Memory {
                    before,
                    after,
                    most,
                });
                Ok(Ended {
                    memory,
                    elapsed: Some(elapsed),
                })
            }
            (_, Begun::Allocated(before, stretch)) => Ok(Ended {
                memory: span::at(|| stretch.end()).map_or(Memory::NOT_READ, |counted| Memory {
                    before,
                    after: before + counted.net_bytes,
                    most: before + counted.peak_bytes as i64,
                }),
                elapsed: None,
            }),
            (_, Begun::Resident(before)) => Ok(Ended {
                memory: resident().map_or(Memory::NOT_READ, |after| over(before, after)),
                elapsed: None,
            }),
            _ => Ok(Ended {
                memory: Memory::NOT_READ,
                elapsed: None,
            }),
        }
    }
}

/// Begins to count what the thread allocates; turns counting on where nobody has.
fn allocated() -> Option<Begun> {
    let begin = || span::at(Stretch::begin);
    let stretch = begin().or_else(|| {
        memory::start().ok()?;
        begin()
    })?;
    let before = memory::process().map_or(0, |process| process.bytes);
    Some(Begun::Allocated(before, stretch))
}

impl Gauge {
    /// Host memory as exactly as this machine lets it be told, and why not exactly.
    pub fn host() -> (Self, Option<String>) {
        match memory::check() {
            Ok(()) => (Self::Allocated, None),
            Err(reason) => (Self::Resident, Some(reason.0)),
        }
    }
}

/// The system notes only the highest peak of all: within the segment when it rose meanwhile.
fn over(before: Resident, after: Resident) -> Memory {
    let seen = before.now_bytes.max(after.now_bytes);
    let most = if after.most_bytes > before.most_bytes {
        after.most_bytes.max(seen)
    } else {
        seen
    };
    Memory {
        before: before.now_bytes as i64,
        after: after.now_bytes as i64,
        most: most as i64,
    }
}
