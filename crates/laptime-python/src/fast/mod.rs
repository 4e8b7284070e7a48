//! The lap's hot path: what runs at every `with lt.lap("x")`.
//!
//! Raw FFI and `unsafe`, and the interpreter lock is kept: a span costs less than letting
//! go of it. [`lap`] has the objects whose `__enter__` and `__exit__` a `with` calls, [`timer`] starts
//! and stops segments; [`place`] keeps the recorder's stack that of the running task, [`name`] turns
//! any `str` into a name. Everything here relies on the lock: mutable state is reached from one
//! thread at a time.

pub mod graves;
pub mod lap;
mod methods;
pub mod name;
pub mod place;
pub mod span;
pub mod task;
pub mod timer;

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
