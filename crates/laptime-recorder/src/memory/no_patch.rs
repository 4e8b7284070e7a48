//! Where relocation tables are not patched: everything but glibc on x86-64 and aarch64.

use laptime_core::Unavailable;

/// Says that allocations can't be counted here.
pub fn start() -> Result<(), Unavailable> {
    check_machine()
}

/// Says why allocations can't be counted here.
pub fn check_machine() -> Result<(), Unavailable> {
    let reason = "allocations are counted on Linux with glibc, on x86-64 and aarch64 only";
    Err(Unavailable(reason.to_owned()))
}

pub fn stop() {}
pub fn look_for_new_objects() {}
pub fn lock_for_fork() {}
pub fn start_over_after_fork() {}

/// Does nothing.
///
/// # Safety
/// None needed.
pub unsafe fn unlock_after_fork() {}
