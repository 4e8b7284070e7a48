//! The system's clocks, in nanoseconds.

fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid place for the result.
    let failed = unsafe { libc::clock_gettime(clock, &raw mut time) };
    debug_assert_eq!(failed, 0);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// `CLOCK_MONOTONIC`, in nanoseconds.
pub fn monotonic_ns() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

/// `CLOCK_REALTIME`, in nanoseconds since 1970.
pub fn realtime_ns() -> u64 {
    read(libc::CLOCK_REALTIME)
}

/// `CLOCK_BOOTTIME`, in nanoseconds: as monotonic, and counts while suspended.
pub fn boottime_ns() -> u64 {
    #[cfg(target_os = "linux")]
    return read(libc::CLOCK_BOOTTIME);
    #[cfg(not(target_os = "linux"))]
    return monotonic_ns();
}

/// CPU time of the calling thread, in nanoseconds.
///
/// **Cost** about 200–400 ns: a system call.
pub fn thread_ns() -> u64 {
    read(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// CPU time of all threads of the process, in nanoseconds.
///
/// **Cost** about 200–400 ns: a system call.
pub fn process_ns() -> u64 {
    read(libc::CLOCK_PROCESS_CPUTIME_ID)
}
