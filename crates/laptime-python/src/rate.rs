//! Ticks to nanoseconds, for durations that are handed out at once.
//!
//! The counter's stated frequency is good to some tens of ppm; measured over a second or more,
//! against `CLOCK_MONOTONIC`, it is good to better than one. Measured again once a second.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use laptime_recorder::clock;

/// Shortest distance that a rate is measured over, and longest that it is kept for.
const RENEW_NS: u64 = 1_000_000_000;

static FIRST_TICKS: AtomicU64 = AtomicU64::new(0);
static FIRST_NS: AtomicU64 = AtomicU64::new(0);
static RENEW_AT_TICKS: AtomicU64 = AtomicU64::new(0);
/// The rate as the bits of an `f64`.
static RATE: AtomicU64 = AtomicU64::new(0);

/// Notes the first pair of clocks.
pub fn start() {
    let anchor = clock::anchor();
    let nominal = clock::nominal_ns_per_tick();
    FIRST_TICKS.store(anchor.ticks, Relaxed);
    FIRST_NS.store(anchor.monotonic_ns, Relaxed);
    RATE.store(nominal.to_bits(), Relaxed);
    renew_after(anchor.ticks, nominal);
}

fn renew_after(ticks: u64, rate: f64) {
    RENEW_AT_TICKS.store(ticks + (RENEW_NS as f64 / rate) as u64, Relaxed);
}

/// Nanoseconds a tick.
#[inline]
pub fn ns_per_tick(now: u64) -> f64 {
    if now >= RENEW_AT_TICKS.load(Relaxed) {
        measure();
    }
    f64::from_bits(RATE.load(Relaxed))
}

/// A length of time in nanoseconds.
pub fn nanoseconds(ticks: u64) -> f64 {
    ticks as f64 * ns_per_tick(clock::now())
}

/// A length of time in ticks.
pub fn ticks(nanoseconds: u64) -> u64 {
    (nanoseconds as f64 / ns_per_tick(clock::now())) as u64
}

#[cold]
#[inline(never)]
fn measure() {
    let anchor = clock::anchor();
    let ticks = anchor.ticks.saturating_sub(FIRST_TICKS.load(Relaxed));
    let ns = anchor.monotonic_ns.saturating_sub(FIRST_NS.load(Relaxed));
    if ticks > 0 && ns >= RENEW_NS / 2 {
        let rate = ns as f64 / ticks as f64;
        RATE.store(rate.to_bits(), Relaxed);
        renew_after(anchor.ticks, rate);
    }
}
