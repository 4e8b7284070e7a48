//! Whether spans are recorded at all: one atomic byte.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::recording;

/// Not decided yet: the environment is read at the first span.
const UNDECIDED: u8 = 0;
const OFF: u8 = 1;
const ON: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(UNDECIDED);

/// Whether spans are recorded. Does not decide.
#[inline]
pub fn is_on() -> bool {
    STATE.load(Ordering::Relaxed) == ON
}

/// Records from now on, in memory; on disk too while a recording is on.
pub fn enable() {
    STATE.store(ON, Ordering::Relaxed);
}

/// Records nothing from now on. Spans that are open close without a trace.
pub fn disable() {
    STATE.store(OFF, Ordering::Relaxed);
}

/// In a forked child: the first span joins the parent's recording.
pub fn undecide_if_on() {
    let _ = STATE.compare_exchange(ON, UNDECIDED, Ordering::Relaxed, Ordering::Relaxed);
}

/// Decides at the first span of the process, by the environment; whether recording is on.
#[cold]
#[inline(never)]
pub fn decide() -> bool {
    if STATE.load(Ordering::Relaxed) == UNDECIDED {
        // First, so that a span opened while joining does not come back here.
        STATE.store(OFF, Ordering::Relaxed);
        if recording::join_after_fork() || recording::start_from_environment() {
            STATE.store(ON, Ordering::Relaxed);
        }
    }
    is_on()
}
