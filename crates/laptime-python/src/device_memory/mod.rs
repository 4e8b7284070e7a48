//! The allocators of PyTorch's devices, read where laps open and close.
//!
//! Only functions of torch's own extension are called, which run no Python: its dict of numbers, and the
//! reset of its peaks. None of them waits for a device or makes a context. Numbers go to the recorder;
//! the program's own peaks stay here, for the stand-ins of `laptime._device_memory`.

mod peaks;
mod turn;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

use laptime_recorder::device_memory::{self, Mode};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::entry::{keeping_error, measuring};
use turn::Turn;

/// Those that laps are told of.
static FOLLOWED: Mutex<Option<Py<Allocators>>> = Mutex::new(None);

/// Devices beyond this index are not looked for.
const MOST_DEVICES: u32 = 64;

/// PyTorch's allocators, one a device.
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
    fn follow(this: Py<Self>, python: Python<'_>, fold: bool) {
        let follow = || {
            let mode = if fold { Mode::Fold } else { Mode::Bounds };
            this.get().folds.store(fold, Relaxed);
            let allocators = this.clone_ref(python);
            let before = FOLLOWED
                .lock()
                .unwrap_or_else(|held| held.into_inner())
                .replace(allocators);
            drop(before);
            device_memory::turn_on(mode, look);
        };
        measuring(|| (), follow);
    }

    /// Tells laps nothing more.
    fn leave(&self) {
        let leave = || {
            device_memory::turn_off();
            let left = FOLLOWED
                .lock()
                .unwrap_or_else(|held| held.into_inner())
                .take();
            drop(left);
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
                    let _ = self.tell(python, index);
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
        self.failure
            .lock()
            .unwrap_or_else(|held| held.into_inner())
            .clone()
    }
}

impl Allocators {
    fn is_known(&self, index: u32) -> bool {
        index < MOST_DEVICES && self.known.load(Relaxed) & 1 << index != 0
    }

    /// Whether the program uses the devices. Asked of a variable: the function would run Python.
    fn is_in_use(&self, python: Python<'_>) -> PyResult<bool> {
        if self.is_in_use.load(Relaxed) {
            return Ok(true);
        }
        let module = self.module.bind(python);
        let is_in_use = match module.getattr(intern!(python, "_initialized")) {
            Ok(told) => told.is_truthy()?,
            Err(_) => module
                .call_method0(intern!(python, "is_initialized"))?
                .is_truthy()?,
        };
        if is_in_use {
            let count: u32 = self.count.bind(python).call0()?.extract()?;
            self.devices.store(count.min(MOST_DEVICES), Relaxed);
            self.is_in_use.store(true, Relaxed);
        }
        Ok(is_in_use)
    }

    /// Looks at the devices in use, and where no lap is open for such as came into use since.
    fn look(&self, python: Python<'_>, is_inside: bool) -> PyResult<bool> {
        if !self.is_in_use(python)? {
            return Ok(true);
        }
        let Some(_turn) = Turn::take(python) else {
            return Ok(false);
        };
        let _pause = PausedCollector::begin();
        let count = self.devices.load(Relaxed);
        let current = match count {
            1 => 0,
            _ => self.current.bind(python).call0()?.extract()?,
        };
        for index in 0..count {
            if index == current
                || self.is_known(index)
                || (!is_inside && self.holds(python, index)?)
            {
                self.known.fetch_or(1 << index, Relaxed);
                let stats = self.tell(python, index)?;
                self.fold(python, index, &stats)?;
            }
        }
        Ok(true)
    }

    fn read<'py>(&self, python: Python<'py>, index: u32) -> PyResult<Bound<'py, PyDict>> {
        Ok(self.stats.bind(python).call1((index,))?.cast_into()?)
    }

    /// Whether anything was ever allocated on a device.
    fn holds(&self, python: Python<'_>, index: u32) -> PyResult<bool> {
        Ok(peaks::reading(&self.read(python, index)?)?.reserved.peak > 0)
    }

    /// Reads a device and tells the recorder.
    fn tell<'py>(&self, python: Python<'py>, index: u32) -> PyResult<Bound<'py, PyDict>> {
        let stats = self.read(python, index)?;
        device_memory::read(index, peaks::reading(&stats)?);
        Ok(stats)
    }

    /// Lets the peaks begin anew, and keeps the program's own. Where none of them is higher than what is
    /// there now, nothing has to be done.
    fn fold(&self, python: Python<'_>, index: u32, stats: &Bound<'_, PyDict>) -> PyResult<()> {
        let reading = peaks::reading(stats)?;
        let is_high = [reading.allocated, reading.reserved]
            .iter()
            .any(|one| one.peak > one.now);
        if !self.folds.load(Relaxed) || !is_high {
            return Ok(());
        }
        let all = self.kept.bind(python);
        let kept = match all.get_item(index)? {
            Some(kept) => kept.cast_into::<PyDict>()?,
            None => {
                let new = PyDict::new(python);
                all.set_item(index, &new)?;
                new
            }
        };
        peaks::keep(&kept, stats)?;
        self.reset.bind(python).call1((index,))?;
        device_memory::was_reset(index);
        Ok(())
    }

    /// They can't be read: laps have no memory there from now on.
    fn fail(&self, python: Python<'_>, error: &PyErr) {
        let said = error.value(python).to_string();
        *self.failure.lock().unwrap_or_else(|held| held.into_inner()) = Some(said);
        device_memory::turn_off();
    }
}

/// Whether the devices were looked at. Threads that run no Python, such as a library's, don't look.
fn look(is_inside: bool) -> bool {
    // SAFETY: callable on any thread.
    if unsafe { ffi::PyGILState_Check() } == 0 {
        return false;
    }
    keeping_error(|| {
        // SAFETY: the lock is held, as was just asked.
        let python = unsafe { Python::assume_attached() };
        let followed = FOLLOWED.lock().unwrap_or_else(|held| held.into_inner());
        let Some(allocators) = followed.as_ref().map(|one| one.clone_ref(python)) else {
            return false;
        };
        drop(followed);
        let looked = allocators.get().look(python, is_inside);
        looked.unwrap_or_else(|error| {
            allocators.get().fail(python, &error);
            false
        })
    })
}

/// No garbage is collected while this lives: finalizers are the program's code.
struct PausedCollector {
    was_on: bool,
}

impl PausedCollector {
    fn begin() -> Self {
        // SAFETY: the lock is held.
        let was_on = unsafe { ffi::PyGC_Disable() } == 1;
        Self { was_on }
    }
}

impl Drop for PausedCollector {
    fn drop(&mut self) {
        if self.was_on {
            // SAFETY: the lock is held.
            unsafe { ffi::PyGC_Enable() };
        }
    }
}
