//! Whether spans are recorded at all, and by which clock: one atomic byte.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use laptime_core::ClockKind;

use crate::clock;
use crate::wiped::PAGE;

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
    /// Recorded the general way: with memory, timed on devices, told to a tool as ranges, or while a profiler is on.
    OnWithMore = 4,
}

/// What spans may carry, or be told to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum More {
    /// The memory that they allocate.
    Memory = 1,
    /// Their memory on devices.
    DeviceMemory = 2,
    /// Their time on devices.
    DeviceTime = 4,
    /// A tool is told of them.
    Ranges = 8,
    /// Another name, where they are steps: a profiler is on.
    OtherNames = 16,
}

/// A [`Mode`], or 0: not decided yet; the environment is read at the first span.
static MODE: &AtomicU8 = &PAGE.mode;
/// The same, where a child finds it after a fork.
static BEFORE: AtomicU8 = AtomicU8::new(0);
/// What spans carry while they are recorded, a bit each of [`More`].
static MORE: AtomicU8 = AtomicU8::new(0);
/// Set once, when a mistake of ours was caught: nothing is recorded from then on.
static BROKEN: AtomicBool = AtomicBool::new(false);

fn on() -> Mode {
    if MORE.load(Ordering::SeqCst) != 0 {
        return Mode::OnWithMore;
    }
    match clock::kind() {
        ClockKind::Tsc => Mode::OnByTsc,
        ClockKind::Monotonic => Mode::On,
    }
}

/// Whether spans carry something while they are recorded.
#[inline]
pub fn carries(more: More) -> bool {
    MORE.load(Ordering::Relaxed) & more as u8 != 0
}

/// Whether spans are recorded, and carry this and nothing else.
#[inline]
pub fn carries_alone(more: More) -> bool {
    MODE.load(Ordering::Relaxed) == Mode::OnWithMore as u8
        && MORE.load(Ordering::Relaxed) == more as u8
}

/// Whether spans carry memory while they are recorded.
#[inline]
pub fn measures_memory() -> bool {
    carries(More::Memory)
}

/// Spans carry something from now on, or no more.
pub fn set(more: More, is_carried: bool) {
    if is_carried {
        MORE.fetch_or(more as u8, Ordering::SeqCst);
    } else {
        MORE.fetch_and(!(more as u8), Ordering::SeqCst);
    }
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
    store(on());
    if BROKEN.load(Ordering::SeqCst) {
        disable();
    }
}

/// Records nothing from now on, whoever asks.
pub fn switch_off_for_good() {
    BROKEN.store(true, Ordering::SeqCst);
    store(Mode::Off);
}

/// Records nothing from now on. Spans that are open close without a trace.
pub fn disable() {
    store(Mode::Off);
}

fn store(mode: Mode) {
    BEFORE.store(mode as u8, Ordering::SeqCst);
    MODE.store(mode as u8, Ordering::SeqCst);
}

/// In a forked child: as in the parent, for now.
pub fn keep_after_fork() {
    MODE.store(BEFORE.load(Ordering::SeqCst), Ordering::SeqCst);
}

/// In a forked child: the first span joins the parent's recording.
pub fn undecide_if_on() {
    if is_on() {
        BEFORE.store(0, Ordering::SeqCst);
        MODE.store(0, Ordering::SeqCst);
    }
}
