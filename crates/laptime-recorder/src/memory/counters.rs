//! Counting bytes where they are allocated and freed: a thread's own counters.
//!
//! A thread adds to plain thread-local numbers, without a lock. What it added reaches the
//! process's total in pieces of [`PIECE`], so that total and its peak are exact to that much
//! a thread. Nothing here allocates, blocks or has a destructor: it runs inside `malloc`,
//! in threads that are just starting or nearly gone.
//!
//! Threads without a lap hand their pieces to the *leader*, the only thread with an open
//! lap, if there is exactly one; its laps then hold them, as of the piece's arrival.

#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a panic in a hook ends the program"
)]

use std::cell::Cell;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering::Relaxed};

use laptime_core::ProcessMemory;

use crate::state;

/// Bytes that a thread may hold back. Small beside what is worth seeing, and large enough that the
/// shared counters are seldom touched.
pub const PIECE: i64 = 64 * 1024;

#[derive(Debug)]
struct Counters {
    /// Allocated less freed on the stack in use.
    net: Cell<i64>,
    /// Largest net, with what the leader was handed, since the innermost lap began.
    peak: Cell<i64>,
    /// Not in the process's total yet.
    held: Cell<i64>,
    /// Equal to [`EPOCH`] while the stack in use has a lap.
    lapped: Cell<u32>,
    /// Equal to [`EPOCH`] while this thread is the leader.
    leads: Cell<u32>,
    /// Above 0 while the recorder itself allocates.
    quiet: Cell<u32>,
}

thread_local! {
    static COUNTERS: Counters = const {
        Counters {
            net: Cell::new(0),
            peak: Cell::new(0),
            held: Cell::new(0),
            lapped: Cell::new(0),
            leads: Cell::new(0),
            quiet: Cell::new(0),
        }
    };
}

/// Number of the time that counting is on, from 1; what is left from an earlier time counts no more.
static EPOCH: AtomicU32 = AtomicU32::new(0);
/// Threads whose stack in use has a lap.
static LAPPED: AtomicU32 = AtomicU32::new(0);
static TOTAL: AtomicI64 = AtomicI64::new(0);
static TOTAL_PEAK: AtomicI64 = AtomicI64::new(0);
/// The total when the first lap opened; [`UNKNOWN`] before.
static BEFORE_LAPS: AtomicI64 = AtomicI64::new(UNKNOWN);
/// The total when no lap was open any more, the last time.
static AFTER_LAPS: AtomicI64 = AtomicI64::new(UNKNOWN);
/// Stands for a total that there is none of yet.
const UNKNOWN: i64 = i64::MIN;

/// What the leader and the threads without a lap tell each other.
static LEADER_NET: AtomicI64 = AtomicI64::new(0);
static HANDED: AtomicI64 = AtomicI64::new(0);
static HANDED_PEAK: AtomicI64 = AtomicI64::new(i64::MIN);

/// Counts bytes of the calling thread: above zero allocated, below zero freed. For allocators
/// within the program that hand out memory of their own.
#[inline]
pub fn count(bytes: i64) {
    COUNTERS.with(|counters| {
        let net = counters.net.get().wrapping_add(bytes);
        counters.net.set(net);
        if counters.leads.get() != 0 {
            LEADER_NET.store(net, Relaxed);
            let with_handed = net.wrapping_add(HANDED.load(Relaxed));
            if with_handed > counters.peak.get() {
                counters.peak.set(with_handed);
            }
        } else if net > counters.peak.get() {
            counters.peak.set(net);
        }
        let held = counters.held.get().wrapping_add(bytes);
        counters.held.set(held);
        if held.unsigned_abs() >= PIECE as u64 {
            counters.let_go();
        }
    });
}

/// Counts as [`count`] does, unless the recorder itself is at work on this thread.
#[inline]
pub fn count_unless_quiet(bytes: i64) {
    if COUNTERS.with(|counters| counters.quiet.get() == 0) {
        count(bytes);
    }
}

/// While it lives, allocations of this thread are the recorder's own and don't count.
#[derive(Debug)]
pub struct Quiet {
    counts: bool,
}

impl Quiet {
    /// Counts nothing on this thread from here on.
    #[inline]
    pub fn begin() -> Self {
        let counts = state::measures_memory();
        if counts {
            COUNTERS.with(|counters| counters.quiet.set(counters.quiet.get().wrapping_add(1)));
        }
        Self { counts }
    }

    /// Counts nothing on this thread for good, which does nothing but the recorder's work.
    pub fn for_ever() {
        COUNTERS.with(|counters| counters.quiet.set(1));
    }
}

impl Drop for Quiet {
    #[inline]
    fn drop(&mut self) {
        if self.counts {
            COUNTERS.with(|counters| counters.quiet.set(counters.quiet.get().wrapping_sub(1)));
        }
    }
}

impl Counters {
    #[cold]
    #[inline(never)]
    fn let_go(&self) {
        let held = self.held.replace(0);
        let total = TOTAL.fetch_add(held, Relaxed).wrapping_add(held);
        TOTAL_PEAK.fetch_max(total, Relaxed);
        if LAPPED.load(Relaxed) == 1 && self.lapped.get() != EPOCH.load(Relaxed) {
            let handed = HANDED.fetch_add(held, Relaxed).wrapping_add(held);
            let with_leader = LEADER_NET.load(Relaxed).wrapping_add(handed);
            HANDED_PEAK.fetch_max(with_leader, Relaxed);
        }
    }

    /// Takes in what was handed over.
    fn absorb(&self) {
        let handed = HANDED.swap(0, Relaxed);
        let seen = HANDED_PEAK.swap(i64::MIN, Relaxed);
        let net = self.net.get().wrapping_add(handed);
        self.net.set(net);
        LEADER_NET.store(net, Relaxed);
        self.peak.set(self.peak.get().max(net).max(seen));
    }

    fn lead(&self, epoch: u32) {
        self.leads.set(epoch);
        HANDED.store(0, Relaxed);
        HANDED_PEAK.store(i64::MIN, Relaxed);
        LEADER_NET.store(self.net.get(), Relaxed);
    }
}

/// The numbers of the stack in use: its net, and its peak since the innermost lap began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Running {
    pub net: i64,
    pub peak: i64,
}

/// Runs `run` on the numbers at the start or end of a lap; it also says whether the stack in use
/// has a lap from here on.
pub fn at_boundary<R>(run: impl FnOnce(&mut Running) -> (R, bool)) -> R {
    COUNTERS.with(|counters| {
        let epoch = EPOCH.load(Relaxed);
        let was_lapped = counters.lapped.get() == epoch;
        if counters.leads.get() == epoch {
            counters.absorb();
        } else {
            counters.leads.set(0);
        }
        let mut running = Running {
            net: counters.net.get(),
            peak: counters.peak.get(),
        };
        let (result, is_lapped) = run(&mut running);
        counters.net.set(running.net);
        counters.peak.set(running.peak);
        match (was_lapped, is_lapped) {
            (false, true) => {
                // What came before is not the lap's.
                counters.let_go();
                counters.lapped.set(epoch);
                LAPPED.fetch_add(1, Relaxed);
                if BEFORE_LAPS.load(Relaxed) == UNKNOWN {
                    BEFORE_LAPS.store(TOTAL.load(Relaxed), Relaxed);
                }
            }
            (true, false) => {
                counters.leads.set(0);
                counters.lapped.set(0);
                if LAPPED.fetch_sub(1, Relaxed) == 1 {
                    let total = TOTAL.load(Relaxed).wrapping_add(counters.held.get());
                    AFTER_LAPS.store(total, Relaxed);
                }
            }
            _ => {}
        }
        if is_lapped && counters.leads.get() != epoch && LAPPED.load(Relaxed) == 1 {
            counters.lead(epoch);
        }
        result
    })
}

/// Number of the time that counting is on.
pub fn epoch() -> u32 {
    EPOCH.load(Relaxed)
}

/// Begins anew: totals from zero, no thread has a lap.
pub fn begin() {
    LAPPED.store(0, Relaxed);
    TOTAL.store(0, Relaxed);
    TOTAL_PEAK.store(0, Relaxed);
    BEFORE_LAPS.store(UNKNOWN, Relaxed);
    AFTER_LAPS.store(UNKNOWN, Relaxed);
    EPOCH.fetch_add(1, Relaxed);
    COUNTERS.with(|counters| counters.held.set(0));
}

/// The process's total when its first lap opened, and when the last one had closed; `None` while there was none.
pub fn around_laps() -> (Option<i64>, Option<i64>) {
    let known = |total: &AtomicI64| Some(total.load(Relaxed)).filter(|bytes| *bytes != UNKNOWN);
    (known(&BEFORE_LAPS), known(&AFTER_LAPS))
}

/// The process's total, with what the calling thread holds back.
pub fn process() -> ProcessMemory {
    let held = COUNTERS.with(|counters| counters.held.get());
    let bytes = TOTAL.load(Relaxed).wrapping_add(held);
    let peak = TOTAL_PEAK.load(Relaxed).max(bytes);
    ProcessMemory {
        bytes,
        peak_bytes: u64::try_from(peak).unwrap_or(0),
    }
}
