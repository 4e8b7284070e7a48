//! The thread that looks at stacks, and what it has seen and nobody has written yet.
//!
//! It has a table of file descriptors of its own, which is empty: what is opened to look at a
//! thread never takes a number that the program's next file would get, and keeps nothing of the
//! program's open. So it must not touch the recording's file; the collector writes what it sees.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::load::Load;
use super::pace::{Look, Pace};
use super::seen::{Looked, Moment, Sample, Seen};
use super::{LOOKING, OpenSource, StackSource};
use crate::clock;
use crate::memory::Quiet;
use crate::platform;
use crate::state;
use crate::worker::Worker;

/// Samples that may wait to be written: ten seconds of ten busy threads. Beyond, the newest are dropped.
const MOST_WAITING: usize = 10_000;
/// Time after the last look that is told as unread. What stands still is looked at less often than every 300 ms.
const MOST_UNSEEN_NS: u64 = 500_000_000;
/// Address space that the thread may take: its stack, what it copies, and what the C library reserves
/// for each thread's allocations.
const NEEDED_BYTES: u64 = 128 << 20;

/// What the thread and its owner share.
#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
    /// What the collector took to write samples since the thread asked last: processor time and bytes.
    writing_ns: AtomicU64,
    written_bytes: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    stop: bool,
    samples: Vec<Sample>,
    /// Why there are no stacks.
    unavailable: Option<String>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits, unless it is to stop; whether it is.
    fn wait(&self, ns: u64) -> bool {
        let (timeout, state) = (Duration::from_nanos(ns), self.state());
        let waited = self
            .wake
            .wait_timeout_while(state, timeout, |state| !state.stop);
        waited.unwrap_or_else(PoisonError::into_inner).0.stop
    }
}

/// A running sampler.
#[derive(Debug)]
pub struct Sampler {
    shared: Arc<Shared>,
    thread: Option<Worker>,
}

impl Sampler {
    /// Starts the thread for a recording's folder; `None` where the system has none to give.
    pub fn start(open: OpenSource, folder: PathBuf) -> Option<Self> {
        let shared = Arc::new(Shared::default());
        let of_thread = Arc::clone(&shared);
        let thread = Worker::start(c"laptime-stacks", move || run(&of_thread, open, folder))?;
        Some(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// What was seen since it was asked last.
    pub fn take(&self) -> Vec<Sample> {
        std::mem::take(&mut self.shared.state().samples)
    }

    /// Takes in what writing samples took: it is paid for by fewer looks.
    pub fn wrote(&self, cpu_ns: u64, bytes: u64) {
        self.shared.writing_ns.fetch_add(cpu_ns, Relaxed);
        self.shared.written_bytes.fetch_add(bytes, Relaxed);
    }

    /// Why there are no stacks; told once.
    pub fn take_reason(&self) -> Option<String> {
        self.shared.state().unavailable.take()
    }

    /// Ends the thread. What it saw can still be taken.
    ///
    /// **Cost** at most one look, some milliseconds.
    pub fn stop(&mut self) {
        self.shared.state().stop = true;
        self.shared.wake.notify_all();
        if let Some(thread) = self.thread.take() {
            thread.join();
        }
    }
}

fn run(shared: &Shared, open: OpenSource, folder: PathBuf) {
    platform::block_signals();
    Quiet::for_ever();
    let ready = platform::leave_descriptors()
        .map_err(|error| format!("this system gives threads no files of their own: {error}"))
        .and_then(|()| has_room());
    if let Err(reason) = ready {
        shared.state().unavailable = Some(reason);
        return;
    }
    let opened = {
        let _looking = LOOKING.lock();
        open()
    };
    match opened {
        Ok(mut source) => look_again_and_again(shared, &mut *source, Load::new(folder)),
        // Of an interpreter that ends before it can be read, there is nothing to say.
        Err(_) if shared.state().stop => {}
        Err(reason) => shared.state().unavailable = Some(reason),
    }
}

/// Whether a limit leaves what looking takes. Without it an allocation would fail, which ends the program.
fn has_room() -> Result<(), String> {
    match platform::address_space_left() {
        Some(left) if left < NEEDED_BYTES => Err(format!(
            "the limit on this process's address space (ulimit -v) leaves {} MiB, and reading stacks takes up to {}",
            left >> 20,
            NEEDED_BYTES >> 20,
        )),
        _ => Ok(()),
    }
}

fn look_again_and_again(shared: &Shared, source: &mut dyn StackSource, mut load: Load) {
    let mut before_ns = clock::monotonic_ns();
    let (mut ran_ns, mut spent_ns) = (before_ns, clock::thread_ns());
    // From when on a thread that is new counts; `None` while nothing is recorded.
    let mut counted_ns = Some(before_ns);
    let mut pace = Pace::new(u64::from(std::process::id()) ^ before_ns);
    let mut seen = Seen::default();
    let (mut looks, mut has_seen) = (0, false);
    for look in 0.. {
        if shared.wait(pace.wait_ns()) {
            break;
        }
        let looking = LOOKING.lock();
        let began_ns = clock::monotonic_ns();
        // While nothing is to be recorded nobody looks; the waits grow as those of a program that stands still.
        if state::is_off() {
            seen.finish();
            counted_ns = None;
        } else {
            looks += 1;
            let since_ns = counted_ns.unwrap_or(began_ns);
            if look_at_all(source, &mut seen, look, since_ns, load.processors()) {
                ran_ns = began_ns;
            }
            counted_ns = Some(began_ns);
        }
        drop(looking);
        has_seen |= hand_over(shared, &mut seen);
        load.look(began_ns);
        // All of the thread's time, that of waking and of going to sleep included.
        let cpu_ns = clock::thread_ns();
        pace.take(&Look {
            since_ns: began_ns.saturating_sub(before_ns),
            cpu_ns: cpu_ns.saturating_sub(spent_ns) + shared.writing_ns.swap(0, Relaxed),
            bytes: shared.written_bytes.swap(0, Relaxed),
            still_ns: began_ns.saturating_sub(ran_ns),
            is_busy: load.is_busy(),
            processes: load.processes(),
            processors: load.processors(),
        });
        (before_ns, spent_ns) = (began_ns, cpu_ns);
    }
    seen.finish();
    let end_ns = clock::monotonic_ns();
    if counted_ns.is_some_and(|since_ns| end_ns.saturating_sub(since_ns) > MOST_UNSEEN_NS) {
        let moment = Moment {
            look: u64::MAX,
            ticks: clock::now(),
            within_ns: 0,
            ns: end_ns,
        };
        seen.take_unread(moment, before_ns);
    }
    has_seen |= hand_over(shared, &mut seen);
    if !has_seen && counted_ns.is_some() {
        shared.state().unavailable = Some(nothing_seen(looks).to_owned());
    }
}

/// Says why no function was seen at so many looks.
fn nothing_seen(looks: u64) -> &'static str {
    match looks {
        0 => "it ended before its functions were looked at",
        _ => "whenever it was looked at, no function of Python's ran",
    }
}

/// Looks at each thread that isn't where it was; whether there is one.
fn look_at_all(
    source: &mut dyn StackSource,
    seen: &mut Seen,
    look: u64,
    before_ns: u64,
    processors: u64,
) -> bool {
    let moment = |ticks, within_ns| Moment {
        look,
        ticks,
        within_ns,
        ns: clock::monotonic_ns(),
    };
    let Some(threads) = source.threads() else {
        seen.take_unread(moment(clock::now(), 0), before_ns);
        return true;
    };
    let mut has_run = false;
    for thread in threads {
        // In this order: what used no time until after the moment stood still at it, and what the thread
        // does from here on shows at the next look.
        let now = moment(clock::now(), 0);
        let used_ns = platform::used_ns(thread);
        if seen.stands_still(thread, used_ns, now) {
            continue;
        }
        has_run = true;
        let is_running = platform::is_running(thread);
        let (began_ns, ticks) = (clock::monotonic_ns(), clock::now());
        let Some(stack) = source.look(thread) else {
            continue;
        };
        // In the middle: which of its frames was read when isn't known.
        let ticks = ticks + clock::now().saturating_sub(ticks) / 2;
        let within_ns = clock::monotonic_ns().saturating_sub(began_ns) / 2;
        let moment = moment(ticks, within_ns);
        let looked = Looked {
            thread,
            used_ns,
            is_running,
            is_on_processor: platform::used_ns(thread) > used_ns,
        };
        seen.take(looked, stack, moment, before_ns);
    }
    seen.share_processors(processors, clock::monotonic_ns().saturating_sub(before_ns));
    seen.check_collections();
    seen.keep_those_of(look);
    has_run
}

/// Hands over what was seen; whether a function is among it.
fn hand_over(shared: &Shared, seen: &mut Seen) -> bool {
    let mut state = shared.state();
    let room = MOST_WAITING.saturating_sub(state.samples.len());
    let mut has_seen = false;
    let ready = seen.ready().inspect(|sample| {
        let stack = sample.stack.as_deref();
        has_seen |=
            stack.is_some_and(|stack| stack.frames.as_ref().is_none_or(|all| !all.is_empty()));
    });
    state.samples.extend(ready.take(room));
    has_seen
}
