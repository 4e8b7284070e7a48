//! Anchors tie the recorder's ticks to the system's clocks.
//!
//! The recorder notes all clocks together at the start, after 1, 10 and 100 ms, about
//! once a second from then on, and whenever a window opens. [`ClockMap`] maps ticks to
//! nanoseconds piecewise between neighbouring anchors, so that a drifting or
//! re-calibrated counter bends the map instead of falsifying it. Suspension shows as
//! BOOTTIME gaining on MONOTONIC.

use serde::{Deserialize, Serialize};

/// Where ticks come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ClockKind {
    /// `CLOCK_MONOTONIC`: one tick is one nanosecond.
    Monotonic,
    /// The CPU's invariant time stamp counter.
    Tsc,
}

impl ClockKind {
    /// The byte that stands for it in a file.
    pub const fn code(self) -> u8 {
        match self {
            Self::Monotonic => 0,
            Self::Tsc => 1,
        }
    }

    /// The clock for a file's byte.
    pub const fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::Monotonic),
            1 => Some(Self::Tsc),
            _ => None,
        }
    }
}

/// All clocks, read together.
///
/// **Units** ticks of the recorder's clock, nanoseconds for the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Anchor {
    /// The recorder's clock.
    pub ticks: u64,
    /// `CLOCK_MONOTONIC`.
    pub monotonic_ns: u64,
    /// `CLOCK_REALTIME`, since 1970.
    pub realtime_ns: u64,
    /// `CLOCK_BOOTTIME`: as monotonic, and counts while suspended.
    pub boottime_ns: u64,
}

impl Anchor {
    /// Bytes it takes in a file.
    pub const LEN: usize = 32;

    /// As four little-endian integers.
    pub fn to_bytes(self) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        let fields = [
            self.ticks,
            self.monotonic_ns,
            self.realtime_ns,
            self.boottime_ns,
        ];
        for (place, field) in bytes.chunks_exact_mut(8).zip(fields) {
            place.copy_from_slice(&field.to_le_bytes());
        }
        bytes
    }

    /// From four little-endian integers.
    pub fn from_bytes(bytes: &[u8; Self::LEN]) -> Self {
        let field = |index: usize| {
            u64::from_le_bytes(bytes[index * 8..][..8].try_into().unwrap_or_default())
        };
        Self {
            ticks: field(0),
            monotonic_ns: field(1),
            realtime_ns: field(2),
            boottime_ns: field(3),
        }
    }
}

/// Maps ticks to `CLOCK_MONOTONIC` nanoseconds, piecewise between anchors.
#[derive(Debug, Clone, PartialEq)]
pub struct ClockMap {
    anchors: Vec<Anchor>,
    nominal_ns_per_tick: f64,
}

/// A rate as a fixed-point factor: nanoseconds = ticks · factor / 2³².
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate(u64);

impl Rate {
    /// From nanoseconds a tick.
    pub fn new(ns_per_tick: f64) -> Self {
        Self((ns_per_tick * 4_294_967_296.0).round() as u64)
    }

    /// A length of time in nanoseconds.
    #[inline]
    pub const fn nanoseconds(self, ticks: u64) -> u64 {
        ((ticks as u128 * self.0 as u128 + (1 << 31)) >> 32) as u64
    }

    /// A length of time in ticks.
    pub const fn ticks(self, ns: u64) -> u64 {
        if self.0 == 0 {
            return 0;
        }
        (((ns as u128) << 32) / self.0 as u128) as u64
    }
}

impl ClockMap {
    /// Shortest distance between two anchors that gives a rate: below it the reading
    /// error of the anchors themselves (tens of ns) would exceed 0.1 %.
    pub const MIN_SPACING_NS: u64 = 100_000;

    /// Sorts the anchors and drops those too close together or running backwards.
    ///
    /// `nominal_ns_per_tick` is used while fewer than two are left: 1.0 for
    /// [`ClockKind::Monotonic`], the counter's stated frequency otherwise.
    pub fn new(mut anchors: Vec<Anchor>, nominal_ns_per_tick: f64) -> Self {
        anchors.sort_by_key(|anchor| anchor.ticks);
        let last = anchors.last().copied();
        let mut kept: Vec<Anchor> = Vec::with_capacity(anchors.len());
        for anchor in anchors {
            let far = kept.last().is_none_or(|previous| {
                anchor.ticks > previous.ticks
                    && anchor.monotonic_ns >= previous.monotonic_ns + Self::MIN_SPACING_NS
            });
            if far {
                kept.push(anchor);
            }
        }
        // The last one bounds the recording; prefer it to a close predecessor.
        if let (Some(last), true) = (last, kept.len() > 1) {
            let index = kept.len() - 1;
            let before = kept[index - 1];
            if last.ticks > kept[index].ticks && last.monotonic_ns > before.monotonic_ns {
                kept[index] = last;
            }
        }
        Self {
            anchors: kept,
            nominal_ns_per_tick,
        }
    }

    /// Whether the rate was measured between anchors rather than taken from the nominal frequency.
    pub fn is_measured(&self) -> bool {
        self.anchors.len() > 1
    }

    /// The anchors in use, in order.
    pub fn anchors(&self) -> &[Anchor] {
        &self.anchors
    }

    /// `CLOCK_MONOTONIC` at `ticks`, in nanoseconds.
    pub fn monotonic_ns(&self, ticks: u64) -> u64 {
        let (anchor, ns_per_tick) = self.segment(ticks);
        let distance = ticks.abs_diff(anchor.ticks);
        let distance_ns = Rate::new(ns_per_tick).nanoseconds(distance);
        if ticks >= anchor.ticks {
            anchor.monotonic_ns.saturating_add(distance_ns)
        } else {
            anchor.monotonic_ns.saturating_sub(distance_ns)
        }
    }

    /// `CLOCK_REALTIME` at `ticks`, in nanoseconds since 1970.
    pub fn realtime_ns(&self, ticks: u64) -> u64 {
        let (anchor, _) = self.segment(ticks);
        let offset = anchor.realtime_ns.wrapping_sub(anchor.monotonic_ns);
        self.monotonic_ns(ticks).wrapping_add(offset)
    }

    /// How long the machine was suspended between the first and the last anchor, in nanoseconds.
    pub fn suspended_ns(&self) -> u64 {
        match (self.anchors.first(), self.anchors.last()) {
            (Some(first), Some(last)) => {
                let boot = last.boottime_ns.saturating_sub(first.boottime_ns);
                let monotonic = last.monotonic_ns.saturating_sub(first.monotonic_ns);
                boot.saturating_sub(monotonic)
            }
            _ => 0,
        }
    }

    fn segment(&self, ticks: u64) -> (Anchor, f64) {
        let Some(first) = self.anchors.first() else {
            return (Anchor::default(), self.nominal_ns_per_tick);
        };
        if self.anchors.len() == 1 {
            return (*first, self.nominal_ns_per_tick);
        }
        let after = self
            .anchors
            .partition_point(|anchor| anchor.ticks <= ticks)
            .clamp(1, self.anchors.len() - 1);
        let (from, to) = (self.anchors[after - 1], self.anchors[after]);
        let rate = (to.monotonic_ns - from.monotonic_ns) as f64 / (to.ticks - from.ticks) as f64;
        (from, rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn anchor(ticks: u64, monotonic_ns: u64) -> Anchor {
        Anchor {
            ticks,
            monotonic_ns,
            realtime_ns: monotonic_ns + 1_000_000_000_000,
            boottime_ns: monotonic_ns,
        }
    }

    #[test]
    fn anchors_survive_bytes() {
        let original = anchor(123, 456);
        assert_eq!(Anchor::from_bytes(&original.to_bytes()), original);
    }

    #[test]
    fn a_bend_in_the_rate_stays_in_its_segment() {
        let map = ClockMap::new(
            vec![
                anchor(0, 0),
                anchor(1_000_000, 1_000_000),
                anchor(2_000_000, 3_000_000),
            ],
            1.0,
        );
        assert_eq!(map.monotonic_ns(500_000), 500_000);
        assert_eq!(map.monotonic_ns(1_500_000), 2_000_000);
        assert_eq!(map.realtime_ns(500_000), 1_000_000_500_000);
    }

    #[test]
    fn one_anchor_uses_the_nominal_rate_and_says_so() {
        let map = ClockMap::new(vec![anchor(1_000, 5_000)], 0.5);
        assert!(!map.is_measured());
        assert_eq!(map.monotonic_ns(3_000), 6_000);
        assert_eq!(map.monotonic_ns(0), 4_500);
    }

    #[test]
    fn anchors_that_run_backwards_are_dropped() {
        let map = ClockMap::new(
            vec![anchor(0, 0), anchor(10, 9_000_000), anchor(20, 1_000_000)],
            1.0,
        );
        assert_eq!(map.anchors().len(), 2);
    }

    #[test]
    fn suspension_is_boottime_minus_monotonic() {
        let mut last = anchor(10_000_000, 10_000_000);
        last.boottime_ns += 77;
        let map = ClockMap::new(vec![anchor(0, 0), last], 1.0);
        assert_eq!(map.suspended_ns(), 77);
    }

    proptest! {
        #[test]
        fn time_never_runs_backwards(mut ticks in proptest::collection::vec(0_u64..10_000_000_000, 2..50)) {
            let map = ClockMap::new(
                (0..20).map(|i| anchor(i * 400_000_000, i * 171_000_000 + (i % 3) * 7)).collect(),
                0.43,
            );
            ticks.sort_unstable();
            let mapped: Vec<u64> = ticks.iter().map(|t| map.monotonic_ns(*t)).collect();
            prop_assert!(mapped.windows(2).all(|pair| pair[0] <= pair[1] + 1));
        }
    }
}
