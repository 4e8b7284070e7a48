//! One thread at a time looks at the devices: reading a peak and resetting it belong together.
//!
//! A thread that waits lets the interpreter go, so the one that looks can always go on. One that comes
//! back here while it looks, from a finalizer say, gets no turn, and neither does one that waited long.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;

/// A look takes some ten microseconds, a yield less than one where nobody else runs.
const MOST_YIELDS: u32 = 100_000;

static TAKEN: AtomicBool = AtomicBool::new(false);

thread_local! {
    static MINE: Cell<bool> = const { Cell::new(false) };
}

/// It is the calling thread's turn while this lives.
pub struct Turn(());

impl Turn {
    /// Waits for it.
    pub fn take(python: Python<'_>) -> Option<Self> {
        if MINE.get() {
            return None;
        }
        let is_free = || {
            let taken = TAKEN.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed);
            taken.is_ok()
        };
        let is_mine = is_free()
            || python.detach(|| {
                (0..MOST_YIELDS).any(|_| {
                    std::thread::yield_now();
                    is_free()
                })
            });
        MINE.set(is_mine);
        is_mine.then_some(Self(()))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        MINE.set(false);
        TAKEN.store(false, Ordering::Release);
    }
}
