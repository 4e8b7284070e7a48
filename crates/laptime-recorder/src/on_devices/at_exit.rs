//! The last of what devices tell, caught up with while their driver still answers.
//!
//! A driver shuts down when the program exits, and what it is asked from then on it doesn't tell. So the
//! laps whose devices told nothing yet are caught up with before: where a program's interpreter begins to
//! exit ([`catch_up_at_exit`]), and by a handler of exit that comes before the driver's
//! ([`come_before_the_driver`]). Nobody waits where nothing is pending, and only the first of them does where
//! something is. `_exit` and signals run neither.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use laptime_core::format::record::Record;
use laptime_core::{DeviceSpan, NoDeviceTime};

use super::times;
use crate::collector;
use crate::device;
use crate::device::closed::Known;
use crate::guard::guard;
use crate::registration;
use crate::wiped;

/// Code of the note that says that the driver had shut down before it told of all laps.
const ENDED: &str = "device.ended";

/// Devices were waited for at the end: nobody waits a second time for the same ones.
static WAITED: AtomicBool = AtomicBool::new(false);
/// Laps whose device time the driver took along.
static GONE: AtomicU64 = AtomicU64::new(0);

/// Writes what the devices of closed spans tell, as the program's interpreter begins to exit. Those that are
/// not done in time are told as still running.
///
/// **Cost** waits for these devices, at most two seconds; nothing where none is pending.
pub fn catch_up_at_exit() {
    if wiped::is_unknown_child() {
        return;
    }
    if let Some(known) = last_known() {
        registration::with(|thread| times::write(thread, &known));
    }
}

fn last_known() -> Option<Known> {
    let is_pending = !device::is_idle();
    let known = is_pending.then(times::last_known);
    WAITED.fetch_or(is_pending, Ordering::Relaxed);
    known
}

/// A recording begins: its end waits for devices again.
pub fn begin_anew() {
    WAITED.store(false, Ordering::Relaxed);
}

/// How long is waited for devices as a recording ends: not again, once that was done for the program's exit.
pub(super) fn patience(usual: Duration) -> Duration {
    if WAITED.load(Ordering::Relaxed) {
        Duration::ZERO
    } else {
        usual
    }
}

/// Has the program's exit catch up before the driver shuts down: handlers of exit run in reverse order, and
/// the driver's are there once a device is in use.
pub(super) fn come_before_the_driver() {
    extern "C" fn at_exit() {
        guard((), catch_up_by_scribe);
    }
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: a plain function, good for the life of the process.
        unsafe { libc::atexit(at_exit) };
    });
}

/// The exiting thread has no window any more, so the recording's own writer writes.
fn catch_up_by_scribe() {
    if wiped::is_unknown_child() || device::is_idle() {
        return;
    }
    times::wait();
    WAITED.store(true, Ordering::Relaxed);
    // What can't be written now stays for the end of the recording.
    collector::write_by_scribe(|scribe| {
        if let Some(known) = last_known() {
            times::tell(&known, |record| scribe.record(record));
        }
    });
}

/// Counts a span whose time the driver took along.
pub(super) fn count(span: &DeviceSpan) {
    if span.times == Err(NoDeviceTime::Gone) {
        GONE.fetch_add(1, Ordering::Relaxed);
    }
}

/// Says how many laps have no device time because the driver had shut down, if there are any.
pub(super) fn tell_gone(write: impl FnMut(&Record<'_>)) {
    let said = match GONE.load(Ordering::Relaxed) {
        0 => return,
        1 => "the last lap was not timed on the device: the NVIDIA driver had shut down".to_owned(),
        laps => format!(
            "the last {laps} laps were not timed on the device: the NVIDIA driver had shut down"
        ),
    };
    times::note(ENDED, &said, write);
}
