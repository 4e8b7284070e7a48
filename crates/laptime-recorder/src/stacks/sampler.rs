//! The thread that looks at stacks, and what it has seen and nobody has written yet.
//!
//! It has a table of file descriptors of its own, which is empty: what is opened to look at a
//! thread never takes a number that the program's next file would get, and keeps nothing of the
//! program's open. So it must not touch the recording's file; the collector writes what it sees.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::pace::Pace;
use super::seen::{Moment, Sample, Seen};
use super::{LOOKING, OpenSource, StackSource};
use crate::clock;
use crate::memory::Quiet;
use crate::platform;
use crate::worker::Worker;

/// Samples that may wait to be written: ten seconds of ten busy threads. Beyond, the newest are dropped.
const MOST_WAITING: usize = 10_000;
/// Address space that the thread may take: its stack, what it copies, and what the C library reserves
/// for each thread's allocations.
const NEEDED_BYTES: u64 = 128 << 20;

/// What the thread and its owner share.
#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
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
    /// Starts the thread; `None` where the system has none to give.
    pub fn start(open: OpenSource) -> Option<Self> {
        let shared = Arc::new(Shared::default());
        let of_thread = Arc::clone(&shared);
        let thread = Worker::start(c"laptime-stacks", move || run(&of_thread, open))?;
        Some(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// What was seen since it was asked last.
    pub fn take(&self) -> Vec<Sample> {
        std::mem::take(&mut self.shared.state().samples)
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

fn run(shared: &Shared, open: OpenSource) {
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
        Ok(mut source) => look_again_and_again(shared, &mut *source),
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

fn look_again_and_again(shared: &Shared, source: &mut dyn StackSource) {
    let mut before_ns = clock::monotonic_ns();
    let mut pace = Pace::new(u64::from(std::process::id()) ^ before_ns);
    let mut seen = Seen::default();
    for look in 0.. {
        if shared.wait(pace.wait_ns()) {
            break;
        }
        let looking = LOOKING.lock();
        let (began_cpu, began_ns) = (clock::thread_ns(), clock::monotonic_ns());
        look_at_all(source, &mut seen, look, before_ns);
        drop(looking);
        before_ns = began_ns;
        hand_over(shared, &mut seen);
        pace.spent(clock::thread_ns().saturating_sub(began_cpu));
    }
    seen.finish();
    hand_over(shared, &mut seen);
}

/// Looks at each thread that isn't where it was.
fn look_at_all(source: &mut dyn StackSource, seen: &mut Seen, look: u64, before_ns: u64) {
    let moment = |ticks, within_ns| Moment {
        look,
        ticks,
        within_ns,
        ns: clock::monotonic_ns(),
    };
    let Some(threads) = source.threads() else {
        seen.take_unread(moment(clock::now(), 0), before_ns);
        return;
    };
    for thread in threads {
        // In this order: what used no time until after the moment stood still at it, and what the thread
        // does from here on shows at the next look.
        let now = moment(clock::now(), 0);
        let used_ns = platform::used_ns(thread);
        if seen.stands_still(thread, used_ns, now) {
            continue;
        }
        let is_running = platform::is_running(thread);
        let (began_ns, ticks) = (clock::monotonic_ns(), clock::now());
        let Some(stack) = source.look(thread) else {
            continue;
        };
        // In the middle: which of its frames was read when isn't known.
        let ticks = ticks + clock::now().saturating_sub(ticks) / 2;
        let within_ns = clock::monotonic_ns().saturating_sub(began_ns) / 2;
        let moment = moment(ticks, within_ns);
        seen.take((thread, used_ns, is_running), stack, moment, before_ns);
    }
    seen.keep_those_of(look);
}

fn hand_over(shared: &Shared, seen: &mut Seen) {
    let mut state = shared.state();
    let room = MOST_WAITING.saturating_sub(state.samples.len());
    state.samples.extend(seen.ready().take(room));
}
