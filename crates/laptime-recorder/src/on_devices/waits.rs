//! Laps that wait for their device, where that was asked for ([`Wish::Sync`]): before they begin, and before
//! they end.
//!
//! Never while the thread's state is in use, as other threads may run meanwhile. A recording is told that
//! laps waited: its times are not those of a program that runs by itself.

use laptime_core::format::record::Record;

use super::times::{FAILED, note};
use crate::device::wishes::{Wish, is_held};
use crate::device::{self, Stream, Untimed, here};
use crate::registration;
use crate::thread::Thread;

/// Code of the note that says that laps waited.
pub const SYNCHRONIZED: &str = "device.synchronized";
const SAID: &str = "laps waited for their device where they began and ended";

/// Waits for the stream of the calling thread's work, if laps do.
///
/// For those who read the clock themselves, before they do.
#[inline]
pub fn wait_here() {
    if is_waited()
        && let Some(place) = here::here()
    {
        wait(place.stream);
    }
}

/// Waits for the stream of a span that is about to close, if laps do. It is told by its start in ticks.
#[inline]
pub fn wait_for(start: u64) {
    let stream = || Thread::with(|thread| thread.stack().on_devices.stream(start));
    if is_waited()
        && let Some(stream) = stream().flatten()
    {
        wait(stream);
    }
}

/// Waits for the stream of a span that is about to open, if laps do.
#[inline]
pub fn wait_on(stream: Stream) {
    if is_waited() {
        wait(stream);
    }
}

#[inline]
fn is_waited() -> bool {
    is_held(Wish::Sync) && device::is_on()
}

#[cold]
fn wait(stream: Stream) {
    match device::synchronize(stream) {
        Ok(true) => tell(SYNCHRONIZED, SAID),
        Err(Untimed::Failed(fault)) => tell(FAILED, &fault.to_string()),
        Ok(false) | Err(_) => {}
    }
}

fn tell(code: &str, message: &str) {
    registration::with(|thread| {
        note(code, message, |record: &Record<'_>| {
            thread.writer.record(record);
        });
    });
}
