//! How much address space a limit leaves to this process: `ulimit -v`, or a batch system's.

use std::fs;

/// Bytes that may still be mapped; `None` without a limit, or where it can't be told.
pub fn address_space_left() -> Option<u64> {
    // SAFETY: plain data, which the call fills in.
    let mut limit: libc::rlimit = unsafe { std::mem::zeroed() };
    // SAFETY: it points at such a value.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) } == 0;
    if !known || limit.rlim_cur == libc::RLIM_INFINITY {
        return None;
    }
    let statm = fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split(' ').next()?.parse().ok()?;
    // SAFETY: reads a constant of the system.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    let used = pages.saturating_mul(u64::try_from(page).ok()?);
    Some(limit.rlim_cur.saturating_sub(used))
}

/// Whether so many bytes may still be mapped, as far as can be told.
///
/// **Cost** a system call, and three where there is a limit.
pub fn has_room(bytes: usize) -> bool {
    address_space_left().is_none_or(|left| left >= bytes as u64)
}
