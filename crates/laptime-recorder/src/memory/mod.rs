//! Host memory: what the laps allocate and free.
//!
//! Allocations are counted where they are made, thread by thread ([`counters`]); open laps
//! remember where the count stood ([`frames`]). What calls the counters is either the
//! program's own global allocator ([`Tally`], for Rust) or replacements for `malloc` and its
//! kin that are written into the relocation tables of the loaded objects ([`patch`], for
//! Python). Nothing of this runs, and spans cost nothing more, until [`start`].

mod alloc;
mod counters;
mod frames;
#[cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod patch;
#[cfg(not(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
#[path = "unpatched.rs"]
mod patch;
mod stretch;

use laptime_core::{ProcessMemory, Unavailable};

pub use alloc::Tally;
pub use counters::Quiet;
pub use counters::count;
pub(crate) use frames::Frames;
pub use stretch::Stretch;

use crate::lock::Lock;
use crate::notes;
use crate::state;

/// Code of the note that says why memory is not counted.
const NOT_COUNTED: &str = "memory.unavailable";

static ON: Lock<bool> = Lock::new(false);

/// Counts the memory of laps from now on. Whether this call began it: a second one does nothing.
///
/// **Errors** with the reason where allocations cannot be counted; resident memory is all there is
/// then, and the recording says why.
pub fn start() -> Result<bool, Unavailable> {
    let mut on = ON.lock();
    if *on {
        return Ok(false);
    }
    let started = if alloc::is_installed() {
        alloc::set_counting(true);
        Ok(())
    } else {
        patch::start()
    };
    if let Err(reason) = started {
        drop(on);
        notes::note(NOT_COUNTED, &reason.0);
        return Err(reason);
    }
    counters::begin();
    *on = true;
    state::set_memory(true);
    Ok(true)
}

/// Counts no more, and puts every relocation table back.
pub fn stop() {
    let mut on = ON.lock();
    if std::mem::take(&mut *on) {
        state::set_memory(false);
        alloc::set_counting(false);
        patch::stop();
    }
}

/// Whether programs on this machine can have their allocations counted.
pub fn check() -> Result<(), Unavailable> {
    patch::check_machine()
}

/// Memory of the process since counting began; `None` while it is not counted.
pub fn process() -> Option<ProcessMemory> {
    state::measures_memory().then(counters::process)
}

/// Objects that were opened since the last look are counted too from here on.
#[inline]
pub(crate) fn look_for_new_objects() {
    patch::look_for_new_objects();
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
