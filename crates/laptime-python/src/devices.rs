//! On which stream of which device the calling thread works, asked of the program's framework.

use std::sync::OnceLock;

use laptime_recorder::device::here::{self, Place};
use laptime_recorder::{self as recorder, device::Stream};
use pyo3::ffi;
use pyo3::prelude::*;

use crate::entry::{keeping_error, measuring};

/// What tells the current device's index, and a device's current stream.
struct Framework {
    device: Py<PyAny>,
    stream: Py<PyAny>,
}

static FRAMEWORK: OnceLock<Framework> = OnceLock::new();

/// Times spans on devices from now on: `device()` is the index of the device that the calling thread
/// uses, `stream(device)` the handle of its stream there.
///
/// **Cost** of a span: both are called when it opens, and an event is recorded when it opens and closes.
#[pyfunction]
pub fn time_on_devices(device: Py<PyAny>, stream: Py<PyAny>) {
    measuring(
        || (),
        || {
            let _ = FRAMEWORK.set(Framework { device, stream });
            here::ask(ask);
            recorder::time_on_devices();
        },
    );
}

/// Spans are timed on no device any more.
#[pyfunction]
pub fn leave_devices() {
    measuring(|| (), recorder::leave_devices);
}

/// Spans of threads that run no Python, such as a library's, are asked nothing.
fn ask() -> Option<Place> {
    let framework = FRAMEWORK.get()?;
    // SAFETY: callable on any thread.
    if unsafe { ffi::PyGILState_Check() } == 0 {
        return None;
    }
    keeping_error(|| {
        // SAFETY: the lock is held, as was just asked.
        let python = unsafe { Python::assume_attached() };
        let device = framework.device.call0(python).ok()?;
        let stream = framework.stream.call1(python, (&device,)).ok()?;
        Some(Place {
            device: device.extract(python).ok()?,
            stream: Stream(stream.extract(python).ok()?),
        })
    })
}
