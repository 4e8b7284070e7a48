//! The host's clock, as the device's is tied to it: `CLOCK_MONOTONIC`, read by the recorder's own counter once
//! the rate of that was measured, which takes a third of the time.
//!
//! It is good for distances between moments that are seconds apart. Over hours it leaves the system's clock
//! by as much as that is steered.

use std::sync::OnceLock;

use laptime_core::{Anchor, ClockKind};

use crate::clock;

/// Over such a distance the rate is measured to a millionth.
const MEASURED_OVER_NS: u64 = 100_000_000;

static FIRST: OnceLock<Anchor> = OnceLock::new();
static LINE: OnceLock<Line> = OnceLock::new();

/// Ticks as nanoseconds of the system's clock.
#[derive(Debug, Clone, Copy)]
struct Line {
    from: Anchor,
    ns_per_tick: f64,
}

impl Line {
    /// `None` where the two are too near to each other.
    fn between(first: Anchor, second: Anchor) -> Option<Self> {
        let ns = second.monotonic_ns.checked_sub(first.monotonic_ns)?;
        let ticks = second.ticks.checked_sub(first.ticks)?;
        (ns >= MEASURED_OVER_NS && ticks > 0).then(|| Self {
            from: second,
            ns_per_tick: ns as f64 / ticks as f64,
        })
    }

    #[inline]
    fn at(&self, ticks: u64) -> u64 {
        let since = ticks.wrapping_sub(self.from.ticks) as i64;
        let ns = (since as f64 * self.ns_per_tick) as i64;
        self.from.monotonic_ns.saturating_add_signed(ns)
    }
}

/// Now, in nanoseconds.
#[inline]
pub fn now_ns() -> u64 {
    match LINE.get() {
        Some(line) => line.at(clock::now()),
        None => now_slowly(),
    }
}

/// The moment of these ticks, or now where that isn't known yet.
#[inline]
pub fn at_ns(ticks: u64) -> u64 {
    match LINE.get() {
        Some(line) => line.at(ticks),
        None => now_slowly(),
    }
}

#[cold]
#[inline(never)]
fn now_slowly() -> u64 {
    let now_ns = clock::monotonic_ns();
    if clock::kind() == ClockKind::Tsc {
        let first = *FIRST.get_or_init(clock::anchor);
        if now_ns.saturating_sub(first.monotonic_ns) >= MEASURED_OVER_NS
            && let Some(line) = Line::between(first, clock::anchor())
        {
            let _ = LINE.set(line);
        }
    }
    now_ns
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn it_is_the_systems_clock_before_the_rate_is_measured_and_after() {
        let until = clock::monotonic_ns() + 3 * MEASURED_OVER_NS;
        let mut last = 0;
        while last < until {
            // A thread that is stopped between two readings is no fault of theirs.
            let apart = |_| {
                let before = clock::monotonic_ns();
                let here = now_ns();
                let after = clock::monotonic_ns();
                before.saturating_sub(here).max(here.saturating_sub(after))
            };
            let nearest = (0..20).map(apart).min();
            assert!(nearest < Some(2_000), "{nearest:?} ns");
            assert!(now_ns() >= last);
            last = now_ns();
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(LINE.get().is_some(), clock::kind() == ClockKind::Tsc);
    }

    #[test]
    fn moments_before_the_second_anchor_lie_before_it() {
        let anchor = |ticks, monotonic_ns| Anchor {
            ticks,
            monotonic_ns,
            ..Anchor::default()
        };
        let line = Line::between(anchor(1_000, 500), anchor(401_000, 200_000_500)).unwrap();
        assert_eq!(line.at(401_000), 200_000_500);
        assert_eq!(line.at(1_000), 500);
        assert_eq!(line.at(402_000), 200_500_500);
        assert!(Line::between(anchor(1_000, 500), anchor(2_000, 600)).is_none());
        assert!(Line::between(anchor(2_000, 600), anchor(1_000, 500)).is_none());
    }
}
