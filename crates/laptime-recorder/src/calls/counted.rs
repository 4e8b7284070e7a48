//! What threads share that count calls, and what each of them has: nothing here writes.
//!
//! A fork needs no more than this, so it stands apart from what counts and what writes.

use std::cell::Cell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use laptime_core::FunctionCalls;

use super::book::{Book, Defined};
use super::known::Known;
use super::table::{FunctionKey, Table};
use crate::clock;
use crate::lock::Lock;
use crate::platform;

/// The first sums are written after a second, the next ones after twice as long.
const FIRST_NS: u64 = 1_000_000_000;
/// A thread that has returned from everything, such as a worker that waits for work, may end at any
/// moment without a word: it writes that often.
const IDLE_NS: u64 = 100_000_000;

pub static IS_ON: AtomicBool = AtomicBool::new(false);
/// Another number for each time that counting begins, and in each forked child.
pub static EPOCH: AtomicU32 = AtomicU32::new(0);

/// What all threads share.
#[derive(Debug, Default)]
pub struct Shared {
    pub book: Book,
    pub threads: Vec<Owner>,
    /// What threads left that ended.
    pub left: Vec<FunctionCalls>,
    /// A thread ended, or counting did, after something else had taken its calls.
    pub was_replaced: bool,
    pub disorder: u64,
}

/// A thread's counts, which only it touches while counting is on.
#[derive(Debug)]
pub struct Owner(pub *mut Counted);

// SAFETY: followed by the thread itself, or under the promise of [`stop`](super::stop).
unsafe impl Send for Owner {}

static SHARED: Lock<Option<Shared>> = Lock::new(None);

pub fn with_shared<T>(run: impl FnOnce(&mut Shared) -> T) -> T {
    run(SHARED.lock().get_or_insert_default())
}

thread_local! {
    /// The calling thread's counts; null until it counts.
    pub static CURRENT: Cell<*mut Counted> = const { Cell::new(null_mut()) };
}

/// What one thread counts.
#[derive(Debug)]
pub struct Counted {
    pub known: Known,
    pub table: Table,
    pub epoch: u32,
    /// The system's thread id.
    pub thread: u64,
    /// What the interpreter knows the thread by.
    pub owner: usize,
    pub defined: Defined,
    pub written: u64,
    /// Ticks between two times of writing.
    pub wait: u64,
    pub idle: u64,
}

impl Counted {
    /// Of the calling thread, which the interpreter knows by `owner`.
    pub fn new(owner: usize) -> Self {
        let ticks = |ns: u64| (ns as f64 / clock::nominal_ns_per_tick()) as u64;
        Self {
            known: Known::default(),
            table: Table::default(),
            epoch: EPOCH.load(Ordering::Relaxed),
            thread: platform::thread_id(),
            owner,
            defined: Defined::default(),
            written: clock::now(),
            wait: ticks(FIRST_NS),
            idle: ticks(IDLE_NS),
        }
    }
}

/// Whether calls are counted.
#[inline]
pub fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

/// A function is no more: its key may become another one's.
///
/// # Safety
/// No other thread is in [`enter`](super::enter) or [`leave`](super::leave).
pub unsafe fn forget(key: FunctionKey) {
    with_shared(|shared| {
        shared.book.forget(key);
        for owner in &shared.threads {
            // SAFETY: in the list while it is alive, and the caller's promise.
            unsafe { &mut (*owner.0).known }.forget(key);
        }
    });
}

/// Has no thread change what all share, over a fork.
pub fn lock_for_fork() {
    SHARED.hold();
}

/// Undoes [`lock_for_fork`].
///
/// # Safety
/// The calling thread holds the lock.
pub unsafe fn unlock_after_fork() {
    // SAFETY: the caller's promise.
    unsafe { SHARED.release() };
}

/// In a forked child: what was counted is the parent's.
pub fn start_over_after_fork() {
    EPOCH.fetch_add(1, Ordering::Relaxed);
    with_shared(|shared| {
        // The other threads don't exist here; their counts stay where they are, unused.
        shared.threads.clear();
        shared.left.clear();
        (shared.was_replaced, shared.disorder) = (false, 0);
    });
    let counted = CURRENT.get();
    if !counted.is_null() {
        with_shared(|shared| shared.threads.push(Owner(counted)));
    }
}
