//! The recorder's clock, chosen once, and the reason for the choice.
//!
//! The CPU's time stamp counter is read directly only where the CPU says that it is
//! invariant and the kernel itself keeps time by it; otherwise `CLOCK_MONOTONIC`. The
//! frequency is not calibrated at the start: [`anchor`] notes all clocks together and the
//! reader maps between anchors.

mod system;
#[cfg(target_arch = "x86_64")]
mod tsc;

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use laptime_core::{Anchor, ClockKind};

pub use system::{monotonic_ns, process_ns, realtime_ns, thread_ns};

/// 0 not chosen yet, 1 monotonic, 2 time stamp counter.
static CHOICE: AtomicU8 = AtomicU8::new(0);

/// Ticks of the recorder's clock.
///
/// **Cost** 10 ns by the time stamp counter, 25 ns by `CLOCK_MONOTONIC` (x86-64 virtual machine).
#[inline(always)]
#[allow(clippy::inline_always)] // two of these are the floor of a span
pub fn now() -> u64 {
    #[cfg(target_arch = "x86_64")]
    if CHOICE.load(Relaxed) == 2 {
        return tsc::read();
    }
    now_slowly()
}

/// Ticks, where the time stamp counter is known to be the clock.
#[inline(always)]
#[allow(clippy::inline_always)] // see `now`
pub(crate) fn now_by_tsc() -> u64 {
    #[cfg(target_arch = "x86_64")]
    return tsc::read();
    #[cfg(not(target_arch = "x86_64"))]
    return now();
}

#[cold]
#[inline(never)]
fn now_slowly() -> u64 {
    match kind() {
        #[cfg(target_arch = "x86_64")]
        ClockKind::Tsc => tsc::read(),
        _ => monotonic_ns(),
    }
}

/// Which clock is used. Chooses it on the first call.
pub fn kind() -> ClockKind {
    match CHOICE.load(Relaxed) {
        0 => {
            let kind = choose().0;
            CHOICE.store(if kind == ClockKind::Tsc { 2 } else { 1 }, Relaxed);
            kind
        }
        2 => ClockKind::Tsc,
        _ => ClockKind::Monotonic,
    }
}

/// Why this clock is used, one phrase.
pub fn why() -> &'static str {
    choose().1
}

/// The rate to use until two anchors are known, in nanoseconds a tick.
pub fn nominal_ns_per_tick() -> f64 {
    #[cfg(target_arch = "x86_64")]
    if kind() == ClockKind::Tsc {
        return tsc::nominal_ns_per_tick();
    }
    1.0
}

/// All clocks, read together; the recorder's own stands in the middle of the two readings of `CLOCK_MONOTONIC`.
///
/// Takes the tightest of three tries, so that a preemption between two reads does no harm.
pub fn anchor() -> Anchor {
    let mut best: Option<(u64, Anchor)> = None;
    for _ in 0..3 {
        let before = monotonic_ns();
        let ticks = now();
        let after = monotonic_ns();
        let width = after - before;
        if best.is_none_or(|(narrowest, _)| width < narrowest) {
            let anchor = Anchor {
                ticks,
                monotonic_ns: before + width / 2,
                realtime_ns: system::realtime_ns(),
                boottime_ns: system::boottime_ns(),
            };
            best = Some((width, anchor));
        }
    }
    best.map(|(_, anchor)| anchor).unwrap_or_default()
}

#[cfg(target_arch = "x86_64")]
fn choose() -> (ClockKind, &'static str) {
    match tsc::usable() {
        Ok(()) => (
            ClockKind::Tsc,
            "the CPU's time stamp counter is invariant and the kernel keeps time by it",
        ),
        Err(why) => (ClockKind::Monotonic, why),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn choose() -> (ClockKind, &'static str) {
    (
        ClockKind::Monotonic,
        "CLOCK_MONOTONIC reads the system counter of this architecture directly",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anchor_agrees_with_the_clocks_it_was_read_from() {
        let before = (now(), monotonic_ns());
        let anchor = anchor();
        let after = (now(), monotonic_ns());
        assert!(before.0 <= anchor.ticks && anchor.ticks <= after.0);
        assert!(before.1 <= anchor.monotonic_ns && anchor.monotonic_ns <= after.1);
        assert!(anchor.boottime_ns >= anchor.monotonic_ns);
    }

    #[test]
    fn the_nominal_rate_is_a_plausible_one() {
        let rate = nominal_ns_per_tick();
        assert!((0.1..=1.0).contains(&rate), "{rate} ns a tick");
        assert!(!why().is_empty());
    }

    #[test]
    fn cpu_times_do_not_run_backwards() {
        let (thread, process) = (thread_ns(), process_ns());
        assert!(thread_ns() >= thread && process_ns() >= process);
    }
}
