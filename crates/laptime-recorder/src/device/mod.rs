//! Device time of spans: drivers found at run time, and a pool of events.
//!
//! `table` opens the driver and `cuda` speaks to it, `reason` has the words for all that may be missing.
//! `pairs` times spans by pairs of events without ever waiting: `pool` has the events, `line` the
//! queue of a stream, `streams` those that a span may end at besides, `timeline` ties the device's time to the host's. This file is the one pair of
//! [`begin`] and [`end`] that the process has. The recorder calls them for spans on the stream that
//! [`here`] names; `open` and `closed` are such spans until they are written. `used` says which devices
//! the program uses, [`wishes`] what is asked of times besides, [`found`] is what `laptime doctor` shows.
//!
//! Off until [`turn_on_with`]. While it is off, [`is_on`] is one load of a byte, and nothing else happens.

pub(crate) mod closed;
pub mod cuda;
pub mod driver;
pub mod found;
pub mod here;
mod line;
pub mod nvml;
mod open;
pub mod pairs;
pub mod pool;
pub mod reason;
pub mod streams;
pub mod table;
pub mod timeline;
pub(crate) mod used;
pub mod wishes;

use std::ffi::{OsStr, OsString};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

pub use closed::HeldTime;
pub use driver::Stream;
pub(crate) use open::{Begun, OpenOnDevices};
pub use pairs::{Outcome, Times, Token};
pub use reason::{Absent, Untimed};

use crate::clock::monotonic_ns;
use crate::lock::Lock;
use cuda::Cuda;
use driver::Driver;
use pairs::Pairs;
use wishes::Wish;

/// Nobody asked for device times, or there never will be any.
const OFF: u8 = 0;
/// Spans are timed, or will be once the program uses a device.
const ON: u8 = 1;
/// This process was forked from one that used the driver. For good: the driver can't be used here.
const FORKED: u8 = 2;

/// The default stream of the context in use: it lives as long as that.
const DEFAULT: Stream = Stream(0);
/// Between two looks at a device that is waited for.
const LOOK_AGAIN: Duration = Duration::from_micros(100);

static STATE: AtomicU8 = AtomicU8::new(OFF);
static TIMING: Lock<Timing> = Lock::new(Timing {
    library: None,
    pairs: None,
    absent: None,
});

#[derive(Debug)]
struct Timing {
    library: Option<OsString>,
    pairs: Option<Pairs<Cuda>>,
    /// Why `pairs` is none, as of the last time that it was asked.
    absent: Option<Absent>,
}

impl Timing {
    /// The pairs, once the program uses a device.
    fn pairs(&mut self) -> Option<&mut Pairs<Cuda>> {
        if self.pairs.is_none() && self.absent.as_ref().is_none_or(Absent::may_change) {
            match Cuda::join(self.library.as_deref()?) {
                Ok(cuda) => (self.pairs, self.absent) = (Some(Pairs::new(cuda)), None),
                Err(absent) => {
                    if !absent.may_change() {
                        STATE.store(OFF, Ordering::Relaxed);
                    }
                    self.absent = Some(absent);
                }
            }
        }
        self.pairs.as_mut()
    }
}

/// Times spans on the device from now on, once the program uses one, by the driver in this library.
///
/// Spans have to name their streams: see [`begin`].
pub fn turn_on_with(library: &OsStr) {
    let mut timing = TIMING.lock();
    timing.library.get_or_insert_with(|| library.to_owned());
    let is_final = timing.absent.as_ref().is_some_and(|why| !why.may_change());
    if !is_final {
        // A forked child stays forked.
        let _ = STATE.compare_exchange(OFF, ON, Ordering::SeqCst, Ordering::Relaxed);
    }
}

/// Times no more. What was begun can still be ended and read.
pub fn turn_off() {
    let _ = STATE.compare_exchange(ON, OFF, Ordering::SeqCst, Ordering::Relaxed);
}

/// Whether spans that name their stream are timed on the device.
///
/// **Cost** the load of a byte.
#[inline]
pub fn is_on() -> bool {
    STATE.load(Ordering::Relaxed) == ON
}

fn is_forked() -> bool {
    STATE.load(Ordering::Relaxed) == FORKED
}

/// A span opens, whose work goes to a stream. `None` where devices aren't timed, or none is used yet.
///
/// **Cost** an event is recorded; the span's host time should begin after it.
#[inline]
pub fn begin(stream: Stream) -> Option<Token> {
    if !is_on() {
        return None;
    }
    begin_on_device(stream)
}

#[cold]
#[inline(never)]
fn begin_on_device(stream: Stream) -> Option<Token> {
    let mut timing = TIMING.lock();
    let pairs = timing.pairs()?;
    if stream == DEFAULT && wishes::is_held(Wish::AllStreams) {
        pairs.see(stream);
    }
    Some(pairs.begin(stream, monotonic_ns()))
}

/// A stream is in use, which never ends: where [`Wish::AllStreams`] is held, spans end there too. Whether
/// devices are timed, and so it is known from now on.
///
/// # Safety
/// The stream is the driver's, and lives as long as the program.
pub unsafe fn see(stream: Stream) -> bool {
    if !is_on() {
        return false;
    }
    let mut timing = TIMING.lock();
    let pairs = timing.pairs();
    pairs.map(|pairs| pairs.see(stream)).is_some()
}

/// Whether a driver was found, so that spans are timed by it.
pub fn is_timing() -> bool {
    with_pairs(|_| ()).is_some()
}

/// Whether there were more streams than spans end at.
pub fn has_too_many_streams() -> bool {
    with_pairs(|pairs| pairs.streams().is_full()).unwrap_or(false)
}

/// Waits until a stream has done all that was enqueued on it, and the others that spans end at. Whether
/// there was something to wait for: not while it is captured, nor before a device is used.
pub fn synchronize(stream: Stream) -> Result<bool, Untimed> {
    let awaited = || {
        let mut timing = TIMING.lock();
        let pairs = timing.pairs()?;
        let all = wishes::is_held(Wish::AllStreams);
        Some((*pairs.driver(), pairs.awaited(stream, all)))
    };
    let Some((driver, streams)) = is_on().then(awaited).flatten() else {
        return Ok(false);
    };
    let streams = streams?;
    let mut done = Ok(());
    wishes::wait(|| {
        done = driver.beside_captures(|| {
            let mut each = streams.iter();
            each.try_for_each(|stream| driver.synchronize(*stream).map_err(Untimed::Failed))
        });
    });
    done.map(|()| !streams.is_empty())
}

/// A span that [`begin`] gave a token for closes. Reads what is complete meanwhile, and waits for nothing.
pub fn end(token: Token) {
    with_pairs(|pairs| end_in(pairs, token));
}

/// As [`end`], and takes what is known of closed spans by then. `take` must call nothing here.
fn end_and_take(token: Token, take: impl FnOnce(&mut dyn Iterator<Item = Outcome>)) {
    with_pairs(|pairs| {
        end_in(pairs, token);
        take(&mut pairs.take());
    });
}

fn end_in(pairs: &mut Pairs<Cuda>, token: Token) {
    let now = monotonic_ns();
    pairs.end_at(token, now, wishes::is_held(Wish::AllStreams));
    pairs.drain(now);
    if pairs.is_ended() {
        STATE.store(OFF, Ordering::Relaxed);
    }
}

/// A span that [`begin`] gave a token for will never close, or not be recorded.
pub fn forget(token: Token) {
    with_pairs(|pairs| pairs.forget(token));
}

/// Takes what is known of closed spans by now. Waits for nothing.
pub fn take() -> Vec<Outcome> {
    with_pairs(|pairs| {
        pairs.drain(monotonic_ns());
        pairs.take().collect()
    })
    .unwrap_or_default()
}

/// Waits for the devices of the spans that are closed now, but no longer than told.
///
/// For a report that was asked for, never for a span. The program's other threads go on timing.
pub fn wait(patience: Duration) {
    let until = monotonic_ns().saturating_add(patience.as_nanos() as u64);
    let awaited = with_pairs(|pairs| pairs.pending_tokens()).unwrap_or_default();
    loop {
        let now = monotonic_ns();
        let is_over = with_pairs(|pairs| {
            pairs.drain(now);
            now >= until || pairs.pending_tokens().is_disjoint(&awaited)
        });
        if is_over.unwrap_or(true) {
            return;
        }
        std::thread::sleep(LOOK_AGAIN);
    }
}

/// Takes what is known of all closed spans, and waits for their devices as [`wait`] does. Those that
/// are not done then are told as still running.
pub fn flush(patience: Duration) -> Vec<Outcome> {
    wait(patience);
    with_pairs(|pairs| {
        pairs.drain(monotonic_ns());
        pairs.give_up();
        pairs.take().collect()
    })
    .unwrap_or_default()
}

/// Why [`begin`] gives no token now, if devices were asked for.
pub fn reason() -> Option<Absent> {
    if is_forked() {
        return Some(Absent::Forked);
    }
    let timing = TIMING.lock();
    match &timing.pairs {
        Some(pairs) if pairs.is_ended() => Some(Absent::Ended),
        _ => timing.absent.clone(),
    }
}

fn with_pairs<T>(work: impl FnOnce(&mut Pairs<Cuda>) -> T) -> Option<T> {
    if is_forked() {
        return None;
    }
    TIMING.lock().pairs.as_mut().map(work)
}

/// Locks over a fork.
pub(crate) fn lock_for_fork() {
    // In this order, as what becomes known is looked up while timing is held.
    TIMING.hold();
    closed::lock_for_fork();
}

/// Undoes [`lock_for_fork`].
///
/// # Safety
/// The calling thread holds the lock.
pub(crate) unsafe fn unlock_after_fork() {
    // SAFETY: the caller's promise.
    unsafe {
        closed::unlock_after_fork();
        TIMING.release();
    }
}

/// In a forked child: where the parent used the driver, the child never calls it.
pub(crate) fn start_over_after_fork() {
    closed::start_over_after_fork();
    if TIMING.lock().pairs.is_some() {
        STATE.store(FORKED, Ordering::SeqCst);
    }
}
