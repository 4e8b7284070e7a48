//! How much address space is left to this process: limits are `ulimit -v`, or a batch system's.

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

/// Whether so many bytes can be had now, of the limit and of what the system promises. They are mapped and
/// given back, and never touched.
///
/// **Cost** 2 µs.
pub fn has_room(bytes: usize) -> bool {
    let (access, kind) = (
        libc::PROT_READ | libc::PROT_WRITE,
        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
    );
    // SAFETY: a new mapping where the system likes, which nobody sees before it goes.
    unsafe {
        let mapped = libc::mmap(std::ptr::null_mut(), bytes.max(1), access, kind, -1, 0);
        mapped != libc::MAP_FAILED && libc::munmap(mapped, bytes.max(1)) == 0
    }
}
