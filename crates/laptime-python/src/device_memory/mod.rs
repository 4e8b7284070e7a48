//! The allocators of the devices that torch uses, read where laps open and close.
//!
//! Only functions of torch's own extension are called, which run no Python: its dict of numbers and the
//! reset of its peaks. Neither waits for a device or makes a context. Numbers go to the recorder; the
//! program's own peaks stay here, for the stand-ins of `laptime._device_memory`.

mod collector;
mod numbers;
mod peaks;
mod reading;
mod turn;

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use laptime_python_macros::guarded;
use laptime_recorder::device_memory::{self, Mode};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::entry::{keeping_error, measuring};
use turn::Turn;

/// Those that laps are told of.
static FOLLOWED: Mutex<Option<Py<Allocators>>> = Mutex::new(None);

/// A lock, usable after a panic too.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The allocators of `torch`, one a device.
#[pyclass(frozen, module = "laptime._core")]
pub struct Allocators {
    /// `torch.cuda`, which knows whether the program uses it.
    module: Py<PyAny>,
    stats: Py<PyAny>,
    reset: Py<PyAny>,
    /// Tells the index of the device that the calling thread uses.
    current: Py<PyAny>,
    /// Tells how many devices there are.
    count: Py<PyAny>,
    folds: AtomicBool,
    is_in_use: AtomicBool,
    devices: AtomicU32,
    /// Bit by index: the devices that were found in use.
    known: AtomicU64,
    /// By index: the program's peaks before our resets.
    kept: Py<PyDict>,
    failure: Mutex<Option<String>>,
}

#[guarded]
#[pymethods]
impl Allocators {
    /// By functions of `torch._C`: `stats(index)`, `reset(index)`, `current()` and `count()`.
    #[new]
    fn new(
        python: Python<'_>,
        module: Py<PyAny>,
        stats: Py<PyAny>,
        reset: Py<PyAny>,
        current: Py<PyAny>,
        count: Py<PyAny>,
    ) -> Self {
        Self {
            module,
            stats,
            reset,
            current,
            count,
            folds: AtomicBool::new(false),
            is_in_use: AtomicBool::new(false),
            devices: AtomicU32::new(0),
            known: AtomicU64::new(0),
            kept: PyDict::new(python).unbind(),
            failure: Mutex::new(None),
        }
    }

    /// Tells laps of them from now on; with `fold` their peaks are reset wherever a lap opens or closes.
    fn follow(this: &Bound<'_, Self>, fold: bool) {
        let follow = || {
            let mode = if fold { Mode::Fold } else { Mode::Bounds };
            this.get().folds.store(fold, Relaxed);
            let before = held(&FOLLOWED).replace(this.clone().unbind());
            drop(before);
            device_memory::turn_on(mode, reading::look);
        };
        measuring(|| (), follow);
    }

    /// Tells laps nothing more.
    fn leave(this: &Bound<'_, Self>) {
        let leave = || {
            let left = held(&FOLLOWED).take_if(|followed| followed.is(this));
            if left.is_some() {
                device_memory::turn_off();
            }
        };
        measuring(|| (), leave);
    }

    /// What the program is told by its own reading of a device: each peak as high as without us.
    fn raised<'py>(
        &self,
        device: &Bound<'py, PyAny>,
        told: Bound<'py, PyAny>,
    ) -> Bound<'py, PyAny> {
        let raise = || {
            keeping_error(|| {
                let kept = self
                    .kept
                    .bind(device.py())
                    .get_item(device)
                    .ok()
                    .flatten()?;
                peaks::raise(told.cast().ok()?, kept.cast().ok()?).ok()
            });
        };
        measuring(|| (), raise);
        told
    }

    /// The program resets a device's peaks next: what they are goes to the open laps.
    fn before_reset(&self, device: &Bound<'_, PyAny>) {
        let python = device.py();
        let read = || {
            keeping_error(|| {
                if let Ok(index) = device.extract::<u32>()
                    && device_memory::is_on()
                    && self.is_known(index)
                    && let Some(_turn) = Turn::take(python)
                {
                    let _ = self.tell_last(python, index);
                }
            });
        };
        measuring(|| (), read);
    }

    /// It has reset them.
    fn was_reset(&self, device: &Bound<'_, PyAny>) {
        let reset = || {
            keeping_error(|| {
                let _ = self.kept.bind(device.py()).del_item(device);
                if let Ok(index) = device.extract() {
                    device_memory::was_reset(index);
                }
            });
        };
        measuring(|| (), reset);
    }

    /// Whether the program's peaks are higher than the allocators'.
    fn keeps_peaks(&self, python: Python<'_>) -> bool {
        !self.kept.bind(python).is_empty()
    }

    /// Whether any device was read.
    fn has_read(&self) -> bool {
        self.known.load(Relaxed) != 0
    }

    /// What they failed with, if they did: they are read no more.
    #[getter]
    fn failure(&self) -> Option<String> {
        held(&self.failure).clone()
    }
}
