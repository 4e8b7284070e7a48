//! When things happen in a run: both system clocks at one moment, and the boot they count from.

use std::fs;

/// `CLOCK_MONOTONIC` and `CLOCK_REALTIME`, read together.
///
/// **Units** nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// Since some moment before the machine started.
    pub monotonic_ns: u64,
    /// Since 1970.
    pub realtime_ns: u64,
}

impl Moment {
    /// Reads both clocks.
    pub fn now() -> Self {
        Self {
            monotonic_ns: read(libc::CLOCK_MONOTONIC),
            realtime_ns: read(libc::CLOCK_REALTIME),
        }
    }
}

fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid place to write to for the length of the call.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The boot that monotonic times count from, as 32 hexadecimal digits; empty where the system doesn't tell.
pub fn boot_id() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id")
        .map(|text| text.trim().replace('-', ""))
        .unwrap_or_default()
}
