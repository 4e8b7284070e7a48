//! Reading the allocators: which of them, when, and what becomes of their peaks.
//!
//! The recorder calls [`look`] where a span opens and after one closed. A device is read once it was the
//! current one at such a moment, or held memory where an outermost lap opened.

use std::sync::atomic::Ordering::Relaxed;

use laptime_recorder::device_memory;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::collector::PausedCollector;
use super::turn::Turn;
use super::{Allocators, FOLLOWED, held, numbers, peaks};
use crate::entry::keeping_error;
use crate::interned::intern;

/// Devices beyond this index are not looked for.
pub(super) const MOST_DEVICES: u32 = 64;

impl Allocators {
    pub(super) fn is_known(&self, index: u32) -> bool {
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

    pub(super) fn read<'py>(
        &self,
        python: Python<'py>,
        index: u32,
    ) -> PyResult<Bound<'py, PyDict>> {
        Ok(self.stats.bind(python).call1((index,))?.cast_into()?)
    }

    /// Whether anything was ever allocated on a device.
    fn holds(&self, python: Python<'_>, index: u32) -> PyResult<bool> {
        Ok(numbers::reading(&self.read(python, index)?)?.reserved.peak > 0)
    }

    /// Reads a device and tells the recorder.
    fn tell<'py>(&self, python: Python<'py>, index: u32) -> PyResult<Bound<'py, PyDict>> {
        let stats = self.read(python, index)?;
        device_memory::read(index, numbers::reading(&stats)?);
        Ok(stats)
    }

    /// Tells the recorder what a device's peaks are before the program resets them.
    pub(super) fn tell_last(&self, python: Python<'_>, index: u32) -> PyResult<()> {
        self.tell(python, index).map(drop)
    }

    /// Lets the peaks begin anew, and keeps the program's own. Where none of them is higher than what is
    /// there now, nothing has to be done.
    fn fold(&self, python: Python<'_>, index: u32, stats: &Bound<'_, PyDict>) -> PyResult<()> {
        let reading = numbers::reading(stats)?;
        let is_high = [reading.allocated, reading.reserved]
            .iter()
            .any(|one| one.peak > one.now);
        if !self.folds.load(Relaxed) || !is_high {
            return Ok(());
        }
        let index_object = index.into_pyobject(python)?.into_any();
        let kept = peaks::inner_of(self.kept.bind(python), &index_object)?;
        peaks::keep(&kept, stats)?;
        self.reset.bind(python).call1((index,))?;
        device_memory::was_reset(index);
        Ok(())
    }

    /// They can't be read: laps have no memory there from now on.
    fn fail(&self, python: Python<'_>, error: &PyErr) {
        let said = error.value(python).to_string();
        *held(&self.failure) = Some(said);
        device_memory::turn_off();
    }
}

/// Whether the devices were looked at. Threads that run no Python, such as a library's, don't look.
pub fn look(is_inside: bool) -> bool {
    // SAFETY: callable on any thread.
    if unsafe { ffi::PyGILState_Check() } == 0 {
        return false;
    }
    keeping_error(|| {
        // SAFETY: the lock is held, as was just asked.
        let python = unsafe { Python::assume_attached() };
        let followed = held(&FOLLOWED);
        let Some(allocators) = followed.as_ref().map(|one| one.bind(python).clone()) else {
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
