//! A lock that can be held over a fork.
//!
//! The standard library's lock is one word in place, so a forked child that inherits it held
//! can simply release it. A lock that keeps its waiters in a table of the process would not
//! do: the child inherits the parent's waiters there, and wakes those instead of its own.
//!
//! In a child that no fork handler told, a lock that is held is held by nobody, and is opened.

use std::cell::UnsafeCell;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use crate::wiped;

/// A lock. A panic while it is held leaves it usable.
#[derive(Debug)]
pub struct Lock<T: 'static> {
    mutex: Mutex<T>,
    /// The guard that [`Lock::hold`] keeps; touched only by the thread that holds the lock.
    held: UnsafeCell<Option<MutexGuard<'static, T>>>,
}

// SAFETY: `held` is touched only while holding the lock.
unsafe impl<T: Send> Sync for Lock<T> {}

impl<T> Lock<T> {
    /// An open lock around a value.
    pub const fn new(value: T) -> Self {
        Self {
            mutex: Mutex::new(value),
            held: UnsafeCell::new(None),
        }
    }

    /// Waits for the lock and takes it.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        if wiped::is_unknown_child() && self.try_lock().is_none() {
            self.open_in_child();
        }
        self.mutex.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// In a child that no fork handler told: whoever holds the lock isn't there, so that nobody else is here.
    #[cold]
    fn open_in_child(&self) {
        let mutex = (&raw const self.mutex).cast_mut();
        // SAFETY: a lock is what it protects and words that can be changed through a reference; the child has one
        // thread, which holds no reference to it. What it protects stays where it is.
        unsafe {
            let value = std::ptr::read(mutex).into_inner();
            std::ptr::write(
                mutex,
                Mutex::new(value.unwrap_or_else(PoisonError::into_inner)),
            );
        }
    }

    /// Takes the lock if nobody has it.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.mutex.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Takes the lock until [`Lock::release`]: before a fork.
    pub fn hold(&'static self) {
        self.hold_with(|_| ());
    }

    /// Takes the lock as [`Lock::hold`] does, and runs with what it protects.
    pub fn hold_with(&'static self, run: impl FnOnce(&mut T)) {
        let mut guard = self.lock();
        run(&mut guard);
        // SAFETY: this thread holds the lock.
        unsafe { *self.held.get() = Some(guard) };
    }

    /// Undoes [`Lock::hold`], in the parent and in the child of a fork.
    ///
    /// # Safety
    /// The calling thread, or in a forked child its counterpart in the parent, called `hold`.
    pub unsafe fn release(&'static self) {
        // SAFETY: the caller's promise: the lock is held, so nobody else is here. The guard is
        // dropped only after it was taken out.
        let guard = unsafe { (*self.held.get()).take() };
        drop(guard);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_is_released_and_can_be_taken_again() {
        static LOCK: Lock<u32> = Lock::new(1);
        LOCK.hold();
        assert!(LOCK.mutex.try_lock().is_err());
        // SAFETY: held above, by this thread.
        unsafe { LOCK.release() };
        *LOCK.lock() += 1;
        assert_eq!(*LOCK.lock(), 2);
    }
}
