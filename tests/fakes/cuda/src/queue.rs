//! A stream's queue that is full: recording an event waits there, as long as the stream has something to do.
#![allow(missing_docs)]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use crate::machine::machine;

static IS_FULL: AtomicBool = AtomicBool::new(false);
static WAITING: AtomicUsize = AtomicUsize::new(0);

/// Between two looks: nobody measures how long a fake waits.
const LOOK_AGAIN: Duration = Duration::from_micros(200);

/// Queues of streams that are busy are full from now on, or have room again.
#[unsafe(no_mangle)]
pub extern "C" fn fake_fill_queues(is_full: bool) {
    IS_FULL.store(is_full, SeqCst);
}

/// Threads that wait for room.
#[unsafe(no_mangle)]
pub extern "C" fn fake_waiting_threads() -> usize {
    WAITING.load(SeqCst)
}

/// Waits until a stream takes another call.
pub fn wait_for_room(stream: usize, current: usize) {
    let is_busy = || {
        let mut machine = machine();
        let now = machine.now_ns;
        let found = machine.stream(stream, current);
        found.is_ok_and(|stream| stream.ready_at_ns > now)
    };
    if !IS_FULL.load(SeqCst) {
        return;
    }
    WAITING.fetch_add(1, SeqCst);
    while IS_FULL.load(SeqCst) && is_busy() {
        std::thread::sleep(LOOK_AGAIN);
    }
    WAITING.fetch_sub(1, SeqCst);
}
