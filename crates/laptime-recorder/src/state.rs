//! Whether spans are recorded at all, and by which clock: one atomic byte.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use laptime_core::ClockKind;

use crate::clock;
use crate::device;
use crate::nvtx;

/// What the first instructions of a span have to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
#[repr(u8)]
pub enum Mode {
    /// Nothing is recorded.
    Off = 1,
    /// Recorded by a clock that takes a call.
    On = 2,
    /// Recorded by the time stamp counter: the hot path reads it in place.
    OnByTsc = 3,
    /// Recorded the general way: with memory, timed on devices, or told to a tool as ranges.
    OnWithMore = 4,
}

/// A [`Mode`], or 0: not decided yet; the environment is read at the first span.
static MODE: AtomicU8 = AtomicU8::new(0);
/// Whether spans carry memory while they are recorded.
static MEMORY: AtomicBool = AtomicBool::new(false);
/// Whether spans carry their memory on devices while they are recorded.
static DEVICE_MEMORY: AtomicBool = AtomicBool::new(false);
/// Set once, when a mistake of ours was caught: nothing is recorded from then on.
static BROKEN: AtomicBool = AtomicBool::new(false);

fn on() -> Mode {
    if measures_memory() || reads_device_memory() || nvtx::is_on() || device::is_on() {
        return Mode::OnWithMore;
    }
    match clock::kind() {
        ClockKind::Tsc => Mode::OnByTsc,
        ClockKind::Monotonic => Mode::On,
    }
}

/// Whether spans carry memory while they are recorded.
#[inline]
pub fn measures_memory() -> bool {
    MEMORY.load(Ordering::Relaxed)
}

/// Spans carry memory from now on, or no more.
pub fn set_memory(memory: bool) {
    MEMORY.store(memory, Ordering::Relaxed);
    if is_on() {
        enable();
    }
}

/// Whether spans carry their memory on devices while they are recorded.
#[inline]
pub fn reads_device_memory() -> bool {
    DEVICE_MEMORY.load(Ordering::Relaxed)
}

/// Spans carry their memory on devices from now on, or no more.
pub fn set_device_memory(memory: bool) {
    DEVICE_MEMORY.store(memory, Ordering::SeqCst);
    if is_on() {
        enable();
    }
}

/// Spans are timed on devices from now on, or no more.
pub fn follow_devices() {
    if is_on() {
        enable();
    }
}

/// Whether spans are recorded by the time stamp counter.
#[inline]
pub fn is_on_by_tsc() -> bool {
    MODE.load(Ordering::Relaxed) == Mode::OnByTsc as u8
}

/// Whether it was decided that nothing is recorded.
#[inline]
pub fn is_off() -> bool {
    MODE.load(Ordering::Relaxed) == Mode::Off as u8
}

/// Whether spans are recorded. Does not decide.
#[inline]
pub fn is_on() -> bool {
    MODE.load(Ordering::Relaxed) >= Mode::On as u8
}

/// Records from now on, in memory; on disk too while a recording is on.
pub fn enable() {
    nvtx::follow_environment();
    MODE.store(on() as u8, Ordering::SeqCst);
    if BROKEN.load(Ordering::SeqCst) {
        disable();
    }
}

/// Records nothing from now on, whoever asks.
pub fn switch_off_for_good() {
    BROKEN.store(true, Ordering::SeqCst);
    MODE.store(Mode::Off as u8, Ordering::SeqCst);
}

/// Records nothing from now on. Spans that are open close without a trace.
pub fn disable() {
    MODE.store(Mode::Off as u8, Ordering::Relaxed);
}

/// In a forked child: the first span joins the parent's recording.
pub fn undecide_if_on() {
    if is_on() {
        MODE.store(0, Ordering::Relaxed);
    }
}
