//! What a timer measures beside the host's clock: nothing, host memory, or a device.
//!
//! Host memory is read here; a device through the object that `laptime.device` gives, the one
//! place that a pool of events in Rust would replace. Readings lie outside of the interval: memory
//! is read before the clock at the start and after it at the stop.

use laptime_analysis::timer::SegmentMemory;
use laptime_recorder::memory::{self, Interval};
use laptime_recorder::{Resident, resident};
use pyo3::prelude::*;

use crate::fast::span;
use crate::interned::intern;

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
    /// Bytes of the process since counting began, and the interval over which they are counted.
    Allocated(i64, Interval),
    /// Memory at the start.
    Resident(Resident),
    /// The object that the device gave.
    Device(Py<PyAny>),
}

/// What a gauge says at the end of a segment.
#[derive(Default)]
pub struct Ended {
    /// Memory over the segment, where it was read.
    pub memory: Option<SegmentMemory>,
    /// The duration, as something that will know it; `None` when the clock's holds.
    pub elapsed: Option<Py<PyAny>>,
}

impl Gauge {
    /// Begins to measure a segment, before the clock is read.
    pub fn begin(&self, python: Python<'_>) -> PyResult<Begun> {
        Ok(match self {
            Self::Clock => Begun::Nothing,
            Self::Allocated => allocated().unwrap_or(Begun::Nothing),
            Self::Resident => resident().map_or(Begun::Nothing, Begun::Resident),
            Self::Device(device) => {
                let token = device.call_method0(python, intern!(python, "start"))?;
                if token.is_none(python) {
                    Begun::Nothing
                } else {
                    Begun::Device(token)
                }
            }
        })
    }

    /// Ends measuring a segment, after the clock was read.
    pub fn end(&self, python: Python<'_>, begun: Begun) -> PyResult<Ended> {
        let (memory, elapsed) = match (self, begun) {
            (Self::Device(device), Begun::Device(token)) => {
                let name = intern!(python, "stop");
                let ended = device.call_method1(python, name, (token,))?;
                let (elapsed, before, after, most): (_, Option<i64>, i64, i64) =
                    ended.extract(python)?;
                let memory = before.map(|before| SegmentMemory {
                    before,
                    after,
                    most,
                });
                (memory, Some(elapsed))
            }
            (_, Begun::Allocated(before, interval)) => {
                let counted = span::at(|| interval.end());
                let memory = counted.map(|counted| SegmentMemory {
                    before,
                    after: before + counted.net_bytes,
                    most: before + counted.peak_bytes as i64,
                });
                (memory, None)
            }
            (_, Begun::Resident(before)) => (resident().map(|after| over(before, after)), None),
            _ => (None, None),
        };
        Ok(Ended { memory, elapsed })
    }

    /// Host memory as exactly as this machine lets it be told, and why not exactly.
    pub fn host() -> (Self, Option<String>) {
        match memory::check() {
            Ok(()) => (Self::Allocated, None),
            Err(reason) => (Self::Resident, Some(reason.0)),
        }
    }
}

/// Begins to count what the thread allocates; turns counting on where nobody has.
fn allocated() -> Option<Begun> {
    let begin = || span::at(Interval::begin);
    let interval = begin().or_else(|| {
        memory::start().ok()?;
        begin()
    })?;
    let before = memory::process().map_or(0, |process| process.bytes);
    Some(Begun::Allocated(before, interval))
}

/// The system notes only the highest peak of all: within the segment when it rose meanwhile.
fn over(before: Resident, after: Resident) -> SegmentMemory {
    let seen = before.now_bytes.max(after.now_bytes);
    let most = if after.most_bytes > before.most_bytes {
        after.most_bytes.max(seen)
    } else {
        seen
    };
    SegmentMemory {
        before: before.now_bytes as i64,
        after: after.now_bytes as i64,
        most: most as i64,
    }
}
