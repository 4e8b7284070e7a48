//! The thread that looks at stacks, and what it has seen and nobody has written yet.
//!
//! It has a table of file descriptors of its own, which is empty: what is opened to look at a
//! thread never takes a number that the program's next file would get, and keeps nothing of the
//! program's open. So it must not touch the recording's file; the collector writes what it sees.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::pace::Pace;
use super::{LOOKING, OpenSource, SeenThread, StackSource};
use crate::clock;
use crate::guard::guard;
use crate::memory::Quiet;
use crate::platform;

/// Looks that may wait to be written: ten seconds of them. Beyond, the newest are dropped.
const MOST_WAITING: usize = 1_000;

/// What one look saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// When, in ticks.
    pub ticks: u64,
    /// How far that may be off.
    pub within_ns: u64,
    /// The time since the look before.
    pub stands_for_ns: u64,
    /// The threads; `None` when they could not be read.
    pub threads: Option<Vec<SeenThread>>,
}

/// What the thread and its owner share.
#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Debug, Default)]
struct State {
    stop: bool,
    looks: Vec<Look>,
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
    thread: Option<JoinHandle<()>>,
}

impl Sampler {
    /// Starts the thread; `None` where the system has none to give.
    pub fn start(open: OpenSource) -> Option<Self> {
        let shared = Arc::new(Shared::default());
        let of_thread = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("laptime-stacks".to_owned())
            .spawn(move || guard((), || run(&of_thread, open)))
            .ok()?;
        Some(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// What was seen since it was asked last.
    pub fn take(&self) -> Vec<Look> {
        std::mem::take(&mut self.shared.state().looks)
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
            let _ = thread.join();
        }
    }
}

fn run(shared: &Shared, open: OpenSource) {
    platform::block_signals();
    Quiet::for_ever();
    let opened = platform::leave_descriptors()
        .map_err(|error| format!("this system gives threads no files of their own: {error}"))
        .and_then(|()| {
            let _looking = LOOKING.lock();
            open()
        });
    match opened {
        Ok(mut source) => look_again_and_again(shared, &mut *source),
        // Of an interpreter that ends before it can be read, there is nothing to say.
        Err(_) if shared.state().stop => {}
        Err(reason) => shared.state().unavailable = Some(reason),
    }
}

fn look_again_and_again(shared: &Shared, source: &mut dyn StackSource) {
    let mut before = clock::monotonic_ns();
    let mut pace = Pace::new(u64::from(std::process::id()) ^ before);
    while !shared.wait(pace.wait_ns()) {
        let looking = LOOKING.lock();
        let (began_cpu, began, ticks) = (clock::thread_ns(), clock::monotonic_ns(), clock::now());
        let threads = source.look();
        drop(looking);
        let (ended_ticks, ended) = (clock::now(), clock::monotonic_ns());
        let look = Look {
            // In the middle: which thread was read when isn't known.
            ticks: ticks + ended_ticks.saturating_sub(ticks) / 2,
            within_ns: ended.saturating_sub(began) / 2,
            stands_for_ns: ended.saturating_sub(before),
            threads,
        };
        before = ended;
        let mut state = shared.state();
        if state.looks.len() < MOST_WAITING {
            state.looks.push(look);
        }
        drop(state);
        pace.spent(clock::thread_ns().saturating_sub(began_cpu));
    }
}
