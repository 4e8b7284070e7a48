//! One process's ticks on the system's clock.
//!
//! Anchors come from the process header and from every window. Durations use one mean
//! rate, from the header's anchor to the last one that the reader [settles](Anchors::settle)
//! on before it hands out any span: so a span has the same duration wherever it is shown, and
//! sums are exact. Moments use the piecewise map. A rate that changed in between is found here
//! and told as a warning.

use crate::anchor::{Anchor, ClockKind, ClockMap, Rate};
use crate::format::process::ProcessHeader;

/// Anchors kept before they are thinned out: one a second for over an hour, 128 KiB.
const MOST_ANCHORS: usize = 4_096;
/// Change of the rate that is worth a warning. NTP slews by at most 0.05 %.
const STEADY_RATE_RATIO: f64 = 0.002;
/// Stretches shorter than this say little about the rate: an anchor is read to about 100 ns.
const RATE_STRETCH_NS: u64 = 10_000_000;

/// How far the rate of `CLOCK_MONOTONIC` may be from 1; only reading errors change it.
const MONOTONIC_RATIO: f64 = 1.01;
/// How far the counter's rate may be from what the CPU states.
const TSC_RATIO: f64 = 2.0;
/// Two anchors closer than this may be in either order: threads read their clocks one after another.
const ORDER_NS: u64 = 1_000_000;

/// Whether two anchors are in one order by ticks and in the other by the system's clock.
fn contradict(one: Anchor, other: Anchor) -> bool {
    let is_apart = one.monotonic_ns.abs_diff(other.monotonic_ns) > ORDER_NS;
    let by_ticks = one.ticks.cmp(&other.ticks);
    is_apart && by_ticks != one.monotonic_ns.cmp(&other.monotonic_ns)
}

/// Collects anchors, a bounded number of them.
#[derive(Debug, Clone)]
pub struct Anchors {
    first: Anchor,
    last: Anchor,
    /// The header's and the one that the mean rate is measured to.
    measured: (Anchor, Anchor),
    kept: Vec<Anchor>,
    /// Distance that those kept have once there were too many.
    spacing_ns: u64,
    nominal_ns_per_tick: f64,
    /// How far the mean rate may be from the nominal one.
    most_ratio: f64,
    /// Anchors of the header, which carries no checksum.
    stated: Vec<Anchor>,
    /// Whether one came before one of these by one clock and after it by another.
    is_contradicted: bool,
}

impl Anchors {
    /// The anchors that the header holds.
    pub fn new(header: &ProcessHeader) -> Self {
        let mut anchors = Self {
            first: header.anchor,
            last: header.anchor,
            measured: (header.anchor, header.closed.unwrap_or(header.anchor)),
            kept: vec![header.anchor],
            spacing_ns: ClockMap::MIN_SPACING_NS,
            nominal_ns_per_tick: header.nominal_ns_per_tick,
            most_ratio: match header.clock {
                ClockKind::Monotonic => MONOTONIC_RATIO,
                ClockKind::Tsc => TSC_RATIO,
            },
            stated: header.closed.into_iter().chain([header.anchor]).collect(),
            is_contradicted: false,
        };
        header
            .closed
            .into_iter()
            .for_each(|anchor| anchors.add(anchor));
        anchors
    }

    /// Measures the mean rate to this anchor: the last one known of a file that was never closed.
    pub fn settle(&mut self, last: Anchor) {
        self.measured.1 = last;
    }

    /// Adds one, in any order. The mean rate stays as it is.
    pub fn add(&mut self, anchor: Anchor) {
        let mut stated = self.stated.iter();
        self.is_contradicted |= stated.any(|known| contradict(*known, anchor));
        if anchor.ticks < self.first.ticks {
            self.first = anchor;
        }
        if anchor.ticks > self.last.ticks {
            self.last = anchor;
        }
        self.kept.push(anchor);
        if self.kept.len() > MOST_ANCHORS {
            self.thin_out();
        }
    }

    fn thin_out(&mut self) {
        self.kept.sort_by_key(|anchor| anchor.ticks);
        while self.kept.len() > MOST_ANCHORS / 2 {
            let spacing_ns = self.spacing_ns;
            let mut next_ns = 0;
            self.kept.retain(|anchor| {
                let is_far = anchor.monotonic_ns >= next_ns;
                if is_far {
                    next_ns = anchor.monotonic_ns.saturating_add(spacing_ns);
                }
                is_far
            });
            // Moments at the very end of the range, as only a damaged file has them, never thin out.
            if self.spacing_ns == u64::MAX {
                self.kept.truncate(MOST_ANCHORS / 2);
            }
            if self.kept.len() > MOST_ANCHORS / 2 {
                self.spacing_ns = self.spacing_ns.saturating_mul(2);
            }
        }
    }

    /// The mean rate of the whole file; the nominal one where it is too short to measure.
    ///
    /// **Units** nanoseconds a tick.
    pub fn mean_ns_per_tick(&self) -> f64 {
        let (first, last) = self.measured;
        let ns = last.monotonic_ns.saturating_sub(first.monotonic_ns);
        let ticks = last.ticks.saturating_sub(first.ticks);
        if ns < ClockMap::MIN_SPACING_NS || ticks == 0 {
            return self.nominal_ns_per_tick;
        }
        ns as f64 / ticks as f64
    }

    /// Whether moments or the mean rate cannot be true: a stated anchor is damaged.
    pub fn is_doubtful(&self) -> bool {
        let ratio = self.mean_ns_per_tick() / self.nominal_ns_per_tick;
        let is_likely = (1.0 / self.most_ratio..=self.most_ratio).contains(&ratio);
        self.is_contradicted || !is_likely
    }

    /// The mean rate as a factor.
    pub fn rate(&self) -> Rate {
        Rate::new(self.mean_ns_per_tick())
    }

    /// The latest of all.
    pub fn last(&self) -> Anchor {
        self.last
    }

    /// The map from ticks to moments.
    pub fn timeline(&self) -> Timeline {
        let mut all = self.kept.clone();
        all.extend([self.first, self.last]);
        Timeline {
            map: ClockMap::new(all, self.nominal_ns_per_tick),
        }
    }
}

/// Maps ticks to moments and back.
#[derive(Debug, Clone)]
pub struct Timeline {
    map: ClockMap,
}

impl Timeline {
    /// `CLOCK_MONOTONIC` nanoseconds at a tick.
    pub fn monotonic_ns(&self, ticks: u64) -> u64 {
        self.map.monotonic_ns(ticks)
    }

    /// The first tick at or after a moment.
    pub fn ticks_at(&self, monotonic_ns: u64) -> u64 {
        let (mut low, mut high) = (0_u64, u64::MAX);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.map.monotonic_ns(middle) < monotonic_ns {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Whether the rate comes from anchors.
    pub fn is_measured(&self) -> bool {
        self.map.is_measured()
    }

    /// How long the machine was suspended meanwhile.
    pub fn suspended_ns(&self) -> u64 {
        self.map.suspended_ns()
    }

    /// The smallest and the largest rate, when they differ by more than clocks do that are kept in step.
    pub fn uneven_rate(&self) -> Option<(f64, f64)> {
        let mut from = *self.map.anchors().first()?;
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for anchor in &self.map.anchors()[1..] {
            let ns = anchor.monotonic_ns.saturating_sub(from.monotonic_ns);
            if ns >= RATE_STRETCH_NS {
                let rate = ns as f64 / (anchor.ticks - from.ticks) as f64;
                (least, most) = (least.min(rate), most.max(rate));
                from = *anchor;
            }
        }
        (most > least * (1.0 + STEADY_RATE_RATIO)).then_some((least, most))
    }
}

#[cfg(test)]
#[path = "timeline_tests.rs"]
mod tests;
