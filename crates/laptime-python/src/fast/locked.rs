//! What relies on the interpreter lock alone: a cell that is shared, and `None`.

use pyo3::ffi;

/// A cell whose users hold the interpreter lock, which is what makes it safe to share.
pub struct Locked<T>(std::cell::UnsafeCell<T>);

// SAFETY: every access is made with the interpreter lock held, see `get`.
unsafe impl<T> Sync for Locked<T> {}

impl<T> Locked<T> {
    /// Wraps a value.
    pub const fn new(value: T) -> Self {
        Self(std::cell::UnsafeCell::new(value))
    }

    /// The value.
    ///
    /// # Safety
    /// The interpreter lock is held, and no other reference is used until this one's last use:
    /// nothing in between may run Python code.
    #[expect(clippy::mut_from_ref, reason = "that is what the lock is for")]
    pub unsafe fn get(&self) -> &mut T {
        // SAFETY: the caller's promise.
        unsafe { &mut *self.0.get() }
    }
}

/// `None`, as a new reference.
#[inline]
pub fn none() -> *mut ffi::PyObject {
    // SAFETY: `None` lives as long as the interpreter.
    unsafe { ffi::Py_NewRef(ffi::Py_None()) }
}
