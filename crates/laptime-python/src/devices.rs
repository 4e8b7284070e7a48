//! On which stream of which device the calling thread works, asked of the program's framework; and what is
//! asked of device times besides.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use laptime_python_macros::guarded;
use laptime_recorder::device::here::{self, Place};
use laptime_recorder::device::wishes::{self, Wish};
use laptime_recorder::device::{self, Stream};
use laptime_recorder::{self as recorder};
use pyo3::ffi;
use pyo3::prelude::*;

use crate::entry::{keeping_error, measuring};
use crate::handler;

/// What tells whether it may be asked, the current device's index, and a device's current stream.
struct Framework {
    is_ready: Py<PyAny>,
    /// Whether it was, once.
    was_ready: AtomicBool,
    device: Py<PyAny>,
    stream: Py<PyAny>,
}

impl Framework {
    /// Whether asking it starts nothing.
    fn is_ready(&self, python: Python<'_>) -> PyResult<bool> {
        if self.was_ready.load(Relaxed) {
            return Ok(true);
        }
        let is_ready = self.is_ready.bind(python).call0()?.is_truthy()?;
        self.was_ready.store(is_ready, Relaxed);
        Ok(is_ready)
    }

    /// What it returns is let go of as bound, at once: other references wait for `PyO3`'s own entries, and there
    /// may be none for a long time.
    fn place(&self, python: Python<'_>) -> PyResult<Option<Place>> {
        if !self.is_ready(python)? {
            return Ok(None);
        }
        let device = self.device.bind(python).call0()?;
        let stream = self.stream.bind(python).call1((&device,))?;
        Ok(Some(Place {
            device: device.extract()?,
            stream: Stream(stream.extract()?),
        }))
    }
}

static FRAMEWORK: OnceLock<Framework> = OnceLock::new();

/// Times spans on devices from when `is_ready()` first says so: `device()` is the index of the device that
/// the calling thread uses, `stream(device)` the handle of its stream there. What was given first stays.
///
/// **Cost** of a span: both are called when it opens, and an event is recorded when it opens and closes.
#[guarded]
#[pyfunction]
pub fn time_on_devices(is_ready: Py<PyAny>, device: Py<PyAny>, stream: Py<PyAny>) {
    measuring(
        || (),
        || {
            let _ = FRAMEWORK.set(Framework {
                is_ready,
                was_ready: AtomicBool::new(false),
                device,
                stream,
            });
            here::ask(ask);
            wishes::wait_by(without_lock);
            recorder::time_on_devices();
        },
    );
}

/// Spans are timed on no device any more.
#[guarded]
#[pyfunction]
pub fn leave_devices() {
    measuring(|| (), recorder::leave_devices);
}

/// Writes what the devices of closed laps tell, as the interpreter begins to exit: later the driver shuts down.
///
/// **Cost** waits for these devices without the interpreter's lock, at most two seconds; nothing where none is
/// pending.
#[guarded]
#[pyfunction]
pub fn catch_up_at_exit(python: Python<'_>) {
    measuring(|| (), || python.detach(recorder::catch_up_at_exit));
}

/// Laps wait for their device where they begin and end, until the same is asked with `False`.
#[guarded]
#[pyfunction]
pub fn wait_for_devices(wanted: bool) {
    wish(Wish::Sync, wanted);
}

/// Laps end on their device at the last of all streams, until the same is asked with `False`.
#[guarded]
#[pyfunction]
pub fn see_all_streams(wanted: bool) {
    wish(Wish::AllStreams, wanted);
}

fn wish(wish: Wish, wanted: bool) {
    let change = if wanted {
        wishes::hold
    } else {
        wishes::release
    };
    measuring(|| (), || change(wish));
}

/// The program uses a stream that lives as long as the program does: laps may end at it. Whether it is known
/// from now on.
#[guarded]
#[pyfunction]
pub fn see_stream(stream: usize) -> bool {
    // SAFETY: who tells it knows which streams never end.
    measuring(|| false, || unsafe { device::see(Stream(stream)) })
}

/// Waits without the interpreter's lock, if this thread has it: what the device waits for may be Python's.
fn without_lock(wait: &mut dyn FnMut()) {
    /// Takes the lock again, however the waiting ended.
    struct Released(*mut ffi::PyThreadState);

    impl Drop for Released {
        fn drop(&mut self) {
            // SAFETY: released by this thread, below.
            unsafe { ffi::PyEval_RestoreThread(self.0) };
        }
    }

    // SAFETY: released where it is held.
    let _released = has_lock().then(|| Released(unsafe { ffi::PyEval_SaveThread() }));
    wait();
}

/// Whether this thread has the interpreter's lock. `PyGILState_Check` says so of every thread, once there was
/// a sub-interpreter.
fn has_lock() -> bool {
    // SAFETY: callable on any thread.
    let (own, current) = unsafe {
        (
            ffi::PyGILState_GetThisThreadState(),
            ffi::compat::PyThreadState_GetUnchecked(),
        )
    };
    !own.is_null() && own == current
}

/// Spans of threads that run no Python, such as a library's, are asked nothing.
fn ask() -> Option<Place> {
    let framework = FRAMEWORK.get()?;
    if !has_lock() {
        return None;
    }
    keeping_error(|| {
        // SAFETY: the lock is held, as was just asked.
        let python = unsafe { Python::assume_attached() };
        framework.place(python).unwrap_or_else(|error| {
            if handler::raised_amid(python, &error) {
                handler::raise_later(python, error);
            }
            None
        })
    })
}
