//! The allocators of the devices that torch uses, read where laps open and close.
//!
//! Only functions of torch's own extension are called, which run no Python: its dict of numbers, the
//! reset of its peaks, and those of its history. None of them waits for a device or makes a context. Numbers go to the recorder;
//! the program's own peaks stay here, for the stand-ins of `laptime._device_memory`.

mod collector;
mod history;
mod numbers;
mod peaks;
mod playing;
mod reading;
mod trace;
mod turn;

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use laptime_python_macros::guarded;
use laptime_recorder::device_memory::history::History;
use laptime_recorder::device_memory::{self, Mode};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::entry::{keeping_error, measuring};
use history::Recorded;
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
    /// What torch has of its allocators' history, where it is played.
    history: Mutex<Option<Arc<Recorded>>>,
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
            history: Mutex::new(None),
            is_in_use: AtomicBool::new(false),
            devices: AtomicU32::new(0),
            known: AtomicU64::new(0),
            kept: PyDict::new(python).unbind(),
            failure: Mutex::new(None),
        }
    }

    /// Tells laps of them from now on; with `fold` their peaks are reset wherever a lap opens or closes.
    /// With functions that switch the history on and off, that tell whether it is on, and that hand it
    /// out, it tells the peaks.
    #[pyo3(signature = (fold, history=None))]
    fn follow(this: &Bound<'_, Self>, fold: bool, history: Option<[Py<PyAny>; 4]>) {
        let follow = || {
            let mode = if fold { Mode::Fold } else { Mode::Bounds };
            this.get().folds.store(fold, Relaxed);
            *held(&this.get().history) =
                history.map(|functions| Arc::new(Recorded::new(functions)));
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
                this.get().end_history(this.py());
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
                    self.in_history(device.py(), index, History::was_reset);
                }
            });
        };
        measuring(|| (), reset);
    }

    /// The program has let a device's counts begin anew.
    fn was_restarted(&self, device: &Bound<'_, PyAny>) {
        let restart = || {
            keeping_error(|| {
                if let Ok(index) = device.extract() {
                    self.in_history(device.py(), index, History::was_restarted);
                }
            });
        };
        measuring(|| (), restart);
    }

    /// Whether the history is recorded for laps, and for nobody else.
    fn has_own_history(&self) -> bool {
        let recorded = held(&self.history).clone();
        recorded.is_some_and(|recorded| recorded.is_ours())
    }

    /// The program switches the history on or off next: ours ends.
    fn give_way(&self, python: Python<'_>) {
        measuring(|| (), || keeping_error(|| self.give_history_way(python)));
    }

    /// It has switched it: `on` or off.
    fn has_switched(&self, python: Python<'_>, on: bool) {
        measuring(
            || (),
            || keeping_error(|| self.history_is_theirs(python, on)),
        );
    }

    /// Why the history told not all peaks, if so.
    #[getter]
    fn gaps(&self, python: Python<'_>) -> Option<String> {
        measuring(|| None, || self.gaps_of_history(python))
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
