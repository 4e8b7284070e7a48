//! Device time of spans: drivers found at run time, and a pool of events.
//!
//! `table` opens the driver and `cuda` speaks to it, `reason` has the words for all that may be missing.
//! `enqueue` records a pair of events for each span, and `pairs` reads them once they are complete: `pair`
//! is one of them, `pool` has the events, `line` the queue of a stream, `streams` those that a span may end
//! at besides, `timeline` ties the device's time to the host's, which `host` tells. This file is the one set of
//! [`begin`], [`end`] and [`closed()`] that the process has. The recorder calls them for spans on the stream
//! that [`here`] names; `open` and `closed` are such spans until they are written. `used` says which devices
//! the program uses, [`wishes`] what is asked of times besides, [`found`] is what `laptime doctor` shows.
//!
//! Off until [`turn_on_with`]. While it is off, [`is_on`] is one load of a byte, and nothing else happens.

pub(crate) mod closed;
pub mod cuda;
pub mod driver;
pub mod enqueue;
pub mod found;
pub mod here;
pub(crate) mod host;
mod line;
pub mod nvml;
mod open;
pub mod pair;
pub mod pairs;
pub mod pool;
pub mod reason;
pub mod streams;
pub mod table;
pub mod timeline;
pub(crate) mod used;
pub mod wishes;

use std::ffi::{OsStr, OsString};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

pub use closed::{Closed, HeldTime, Known, Subject};
pub use driver::Stream;
pub(crate) use open::{OnDevice, OpenOnDevices};
pub use pair::Times;
pub use reason::{Absent, Untimed};

use crate::lock::Lock;
use cuda::Cuda;
use driver::Driver;
use enqueue::Enqueuer;
use host::now_ns;
use pairs::Pairs;
use wishes::Wish;

/// A span of this process that is open, whose start was recorded; or why it isn't timed.
pub type Begun = enqueue::Begun<Subject>;
/// A span of this process whose end was recorded; or why it isn't timed.
pub type Over = enqueue::Over<Subject>;

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
static SEARCH: Lock<Search> = Lock::new(Search {
    library: None,
    absent: None,
});
/// What times spans, once a driver was found that the program uses.
static IN_USE: OnceLock<&'static Enqueuer<Cuda, Subject>> = OnceLock::new();

/// The search for a driver.
#[derive(Debug)]
struct Search {
    library: Option<OsString>,
    /// Why there is none, as of the last time that it was asked.
    absent: Option<Absent>,
}

/// What times spans, once the program uses a device.
fn in_use() -> Option<&'static Enqueuer<Cuda, Subject>> {
    IN_USE.get().copied().or_else(search)
}

#[cold]
fn search() -> Option<&'static Enqueuer<Cuda, Subject>> {
    let mut search = SEARCH.lock();
    if IN_USE.get().is_none() && search.absent.as_ref().is_none_or(Absent::may_change) {
        match Cuda::join(search.library.as_deref()?) {
            Ok(cuda) => {
                search.absent = None;
                let _ = IN_USE.set(Box::leak(Box::new(Enqueuer::new(cuda))));
            }
            Err(absent) => {
                if !absent.may_change() {
                    STATE.store(OFF, Ordering::Relaxed);
                }
                search.absent = Some(absent);
            }
        }
    }
    IN_USE.get().copied()
}

/// Times spans on the device from now on, once the program uses one, by the driver in this library.
///
/// Spans have to name their streams: see [`begin`].
pub fn turn_on_with(library: &OsStr) {
    let mut search = SEARCH.lock();
    search.library.get_or_insert_with(|| library.to_owned());
    let is_final = search.absent.as_ref().is_some_and(|why| !why.may_change());
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
/// **Cost** an event is recorded, and where the stream is behind others may run meanwhile; the span's host
/// time should begin after it.
pub fn begin(stream: Stream) -> Option<Begun> {
    if !is_on() {
        return None;
    }
    let in_use = in_use()?;
    if stream == DEFAULT && wishes::is_held(Wish::AllStreams) {
        in_use.see(stream);
    }
    let begun = in_use.begin(stream, now_ns);
    look_for_end(in_use);
    Some(begun)
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
    in_use().map(|in_use| in_use.see(stream)).is_some()
}

/// Whether a driver was found, so that spans are timed by it.
pub fn is_timing() -> bool {
    !is_forked() && IN_USE.get().is_some()
}

/// Whether there were more streams than spans end at.
pub fn has_too_many_streams() -> bool {
    with_pairs(|pairs| pairs.streams().is_full()).unwrap_or(false)
}

/// Waits until a stream has done all that was enqueued on it, and the others that spans end at. Whether
/// there was something to wait for: not while it is captured, nor before a device is used.
pub fn synchronize(stream: Stream) -> Result<bool, Untimed> {
    let Some(in_use) = is_on().then(in_use).flatten() else {
        return Ok(false);
    };
    let (driver, all) = (in_use.driver(), wishes::is_held(Wish::AllStreams));
    let streams = in_use.awaited(stream, all)?;
    let mut done = Ok(());
    wishes::wait(|| {
        done = driver.beside_captures(|| {
            let mut each = streams.iter();
            each.try_for_each(|stream| driver.synchronize(*stream).map_err(Untimed::Failed))
        });
    });
    done.map(|()| !streams.is_empty())
}

/// The device's part of a span is over. `None` in a forked child. [`closed()`] follows, or [`forget_over`].
/// `at_ns` says when, by [`host`]'s clock. From time to time `tell` is given what is known of others by now.
///
/// **Cost** as that of [`begin`].
pub fn end(begun: Begun, at_ns: impl Fn() -> u64, tell: impl FnOnce(Known)) -> Option<Over> {
    let in_use = usable()?;
    let over = in_use.end(begun, at_ns, wishes::is_held(Wish::AllStreams));
    let known = in_use.read_if_due(&over, now_ns, closed::take);
    look_for_end(in_use);
    known.map(tell);
    Some(over)
}

/// A span whose device's part is over closed: what is told of it. Calls nothing of the driver.
pub fn closed(subject: Subject, over: Over) {
    if let Some(in_use) = usable() {
        in_use.closed(subject, over);
    }
}

/// A span that began on a device will never close, or not be recorded.
pub fn forget(begun: Begun) {
    if let Some(in_use) = usable() {
        in_use.forget(begun);
    }
}

/// As [`forget`], where the device's part is over.
pub fn forget_over(over: Over) {
    if let Some(in_use) = usable() {
        in_use.forget_over(over);
    }
}

fn usable() -> Option<&'static Enqueuer<Cuda, Subject>> {
    IN_USE.get().copied().filter(|_| !is_forked())
}

/// A driver that has shut down times nothing any more.
fn look_for_end(in_use: &Enqueuer<Cuda, Subject>) {
    if in_use.is_ended() {
        STATE.store(OFF, Ordering::Relaxed);
    }
}

/// Whether nothing is known or awaited of closed spans.
pub fn is_idle() -> bool {
    with_pairs(|pairs| pairs.is_idle()).unwrap_or(true)
}

/// Takes what is known of closed spans by now. Waits for nothing.
pub fn take() -> Known {
    with_pairs(|pairs| {
        pairs.drain(now_ns());
        closed::take(pairs)
    })
    .unwrap_or_default()
}

/// Waits for the devices of the spans that are closed now, but no longer than told.
///
/// For a report that was asked for, never for a span. The program's other threads go on timing.
pub fn wait(patience: Duration) {
    let until = now_ns().saturating_add(patience.as_nanos() as u64);
    let awaited = with_pairs(|pairs| pairs.queued()).unwrap_or_default();
    loop {
        let now = now_ns();
        let is_over = with_pairs(|pairs| {
            pairs.drain(now);
            now >= until || pairs.is_past(awaited)
        });
        if is_over.unwrap_or(true) {
            return;
        }
        std::thread::sleep(LOOK_AGAIN);
    }
}

/// Takes what is known of all closed spans, and waits for their devices as [`wait`] does. Those that
/// are not done then are told as still running.
pub fn flush(patience: Duration) -> Known {
    wait(patience);
    with_pairs(|pairs| {
        pairs.drain(now_ns());
        pairs.give_up();
        closed::take(pairs)
    })
    .unwrap_or_default()
}

/// Why [`begin`] gives nothing now, if devices were asked for.
pub fn reason() -> Option<Absent> {
    if is_forked() {
        return Some(Absent::Forked);
    }
    match IN_USE.get() {
        Some(in_use) if in_use.is_ended() => Some(Absent::Ended),
        Some(_) => None,
        None => SEARCH.lock().absent.clone(),
    }
}

fn with_pairs<T>(work: impl FnOnce(&mut Pairs<Cuda, Subject>) -> T) -> Option<T> {
    Some(usable()?.with(work))
}

/// Locks over a fork.
pub(crate) fn lock_for_fork() {
    // In this order, as what becomes known is looked up while the pairs are held.
    SEARCH.hold();
    if let Some(in_use) = IN_USE.get() {
        in_use.lock_for_fork();
    }
    closed::lock_for_fork();
}

/// Undoes [`lock_for_fork`].
///
/// # Safety
/// The calling thread holds the lock.
pub(crate) unsafe fn unlock_after_fork() {
    // SAFETY: the caller's promise. Nothing was found meanwhile, as the search was locked.
    unsafe {
        closed::unlock_after_fork();
        if let Some(in_use) = IN_USE.get() {
            in_use.unlock_after_fork();
        }
        SEARCH.release();
    }
}

/// In a forked child: where the parent used the driver, the child never calls it.
pub(crate) fn start_over_after_fork() {
    closed::start_over_after_fork();
    if IN_USE.get().is_some() {
        STATE.store(FORKED, Ordering::SeqCst);
    }
}
