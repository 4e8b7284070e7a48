//! Python's garbage collector, paused while devices are looked at.

use pyo3::ffi;

/// No garbage is collected while this lives: finalizers are the program's code.
pub struct PausedCollector {
    was_on: bool,
}

impl PausedCollector {
    /// The interpreter lock is held.
    pub fn begin() -> Self {
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
