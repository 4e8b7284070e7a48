//! Whether memory is counted: the switch, the process's total, and what a fork does to them.

use std::sync::OnceLock;

use laptime_core::{ProcessMemory, Unavailable};

use super::{alloc, counters, patch};
use crate::lock::Lock;
use crate::state::{self, More};

static ON: Lock<bool> = Lock::new(false);
static REFUSED: OnceLock<Unavailable> = OnceLock::new();

/// Has memory not be counted in this process, for a reason that the program's language knows.
pub fn refuse(reason: &str) {
    let _ = REFUSED.set(Unavailable(reason.into()));
}

/// Counts from now on; whether this call began it.
pub fn turn_on() -> Result<bool, Unavailable> {
    let mut on = ON.lock();
    if *on {
        return Ok(false);
    }
    if let Some(reason) = REFUSED.get() {
        return Err(reason.clone());
    }
    if alloc::is_installed() {
        alloc::set_counting(true);
    } else {
        patch::start()?;
    }
    counters::begin();
    *on = true;
    state::set(More::Memory, true);
    Ok(true)
}

/// Counts no more, and puts every relocation table back.
pub fn stop() {
    let mut on = ON.lock();
    if std::mem::take(&mut *on) {
        state::set(More::Memory, false);
        alloc::set_counting(false);
        patch::stop();
    }
}

/// Memory of the process since counting began; `None` while it is not counted.
pub fn process() -> Option<ProcessMemory> {
    state::measures_memory().then(counters::process)
}

/// Locks over a fork.
pub(crate) fn lock_for_fork() {
    ON.hold();
    patch::lock_for_fork();
}

/// Undoes [`lock_for_fork`].
///
/// # Safety
/// The calling thread holds the locks.
pub(crate) unsafe fn unlock_after_fork() {
    // SAFETY: the caller's promise.
    unsafe {
        patch::unlock_after_fork();
        ON.release();
    }
}

/// In a forked child: its memory counts from here.
pub(crate) fn start_over_after_fork() {
    patch::start_over_after_fork();
    counters::begin();
}
