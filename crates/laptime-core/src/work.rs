//! Work of spans: the FLOP they did and the bytes they moved, as the program says.
//!
//! A lap is given its work where it opens or while it is open; the recorder writes both with
//! the span. Tallies add them up beside the time of the very spans that carry them, so that a
//! rate never divides by the time of a span whose work is unknown.

/// Work of one span. What the program didn't say is absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SpanWork {
    /// Floating-point operations.
    pub flop: Option<u128>,
    /// Bytes read and written.
    pub bytes: Option<u128>,
}

impl SpanWork {
    /// Both, what is said later taking the place of what was said before.
    #[must_use]
    pub const fn or_later(self, later: Self) -> Self {
        Self {
            flop: if later.flop.is_some() {
                later.flop
            } else {
                self.flop
            },
            bytes: if later.bytes.is_some() {
                later.bytes
            } else {
                self.bytes
            },
        }
    }
}

/// A quantity over the spans that carry it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Carried {
    /// How many spans.
    pub spans: u64,
    /// Sum over the spans that carry it. Stops at [`u128::MAX`].
    pub sum: u128,
    /// How long those spans ran, in nanoseconds.
    pub total_ns: u64,
}

impl Carried {
    fn add(&mut self, amount: Option<u128>, duration_ns: u64) {
        if let Some(amount) = amount {
            self.merge(Self {
                spans: 1,
                sum: amount,
                total_ns: duration_ns,
            });
        }
    }

    fn merge(&mut self, other: Self) {
        self.spans += other.spans;
        self.sum = self.sum.saturating_add(other.sum);
        self.total_ns = self.total_ns.saturating_add(other.total_ns);
    }

    /// Over a second of those spans. `None` where they took no time that the clock could tell.
    pub fn per_s(&self) -> Option<f64> {
        (self.spans > 0 && self.total_ns > 0)
            .then(|| self.sum as f64 / (self.total_ns as f64 / 1e9))
    }
}

/// Work over the spans of one path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WorkTally {
    /// FLOP, over the spans that carry them.
    pub flop: Carried,
    /// Bytes, over the spans that carry them.
    pub bytes: Carried,
    /// FLOP of the spans that carry bytes too.
    pub flop_beside_bytes: u128,
    /// Bytes of the spans that carry FLOP too.
    pub bytes_beside_flop: u128,
}

impl WorkTally {
    /// Adds a span.
    pub fn add(&mut self, work: SpanWork, duration_ns: u64) {
        self.flop.add(work.flop, duration_ns);
        self.bytes.add(work.bytes, duration_ns);
        if let SpanWork {
            flop: Some(flop),
            bytes: Some(bytes),
        } = work
        {
            self.flop_beside_bytes = self.flop_beside_bytes.saturating_add(flop);
            self.bytes_beside_flop = self.bytes_beside_flop.saturating_add(bytes);
        }
    }

    /// Adds those of other spans.
    pub fn merge(&mut self, other: &Self) {
        self.flop.merge(other.flop);
        self.bytes.merge(other.bytes);
        self.flop_beside_bytes = self
            .flop_beside_bytes
            .saturating_add(other.flop_beside_bytes);
        self.bytes_beside_flop = self
            .bytes_beside_flop
            .saturating_add(other.bytes_beside_flop);
    }

    /// FLOP for each byte, over the spans that carry both. `None` where no byte moves.
    pub fn intensity_flop_per_byte(&self) -> Option<f64> {
        (self.bytes_beside_flop > 0)
            .then(|| self.flop_beside_bytes as f64 / self.bytes_beside_flop as f64)
    }

    /// A copy in which every duration is changed.
    #[must_use]
    pub fn scaled(mut self, scale: impl Fn(u64) -> u64) -> Self {
        self.flop.total_ns = scale(self.flop.total_ns);
        self.bytes.total_ns = scale(self.bytes.total_ns);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(flop: Option<u128>, bytes: Option<u128>) -> SpanWork {
        SpanWork { flop, bytes }
    }

    #[test]
    fn a_rate_is_over_the_time_of_the_spans_that_carry_the_work() {
        let mut tally = WorkTally::default();
        tally.add(work(Some(3_000), None), 1_000);
        tally.add(work(None, Some(8)), 500);
        assert_eq!(tally.flop.per_s(), Some(3e9));
        assert_eq!(tally.bytes.per_s(), Some(16e6));
    }

    #[test]
    fn intensity_is_over_the_spans_that_carry_both() {
        let mut tally = WorkTally::default();
        tally.add(work(Some(1_000), None), 1);
        tally.add(work(None, Some(1_000)), 1);
        assert_eq!(tally.intensity_flop_per_byte(), None);
        tally.add(work(Some(12), Some(4)), 1);
        assert_eq!(tally.intensity_flop_per_byte(), Some(3.0));
    }

    #[test]
    fn work_without_time_has_no_rate_and_no_work_is_not_zero_work() {
        let mut tally = WorkTally::default();
        assert_eq!(tally.flop.per_s(), None);
        tally.add(work(Some(5), None), 0);
        assert_eq!(tally.flop.per_s(), None);
        tally.add(work(Some(0), None), 1_000);
        assert_eq!((tally.flop.spans, tally.bytes.spans), (2, 0));
    }

    #[test]
    fn what_is_said_later_counts_and_leaves_what_it_does_not_say() {
        let before = work(Some(1), Some(2));
        assert_eq!(before.or_later(work(Some(9), None)), work(Some(9), Some(2)));
        assert_eq!(before.or_later(work(None, Some(9))), work(Some(1), Some(9)));
    }

    #[test]
    fn sums_stop_where_integers_end() {
        let mut tally = WorkTally::default();
        tally.add(work(Some(u128::MAX), Some(1)), 1);
        let other = tally;
        tally.merge(&other);
        assert_eq!(
            (tally.flop.sum, tally.bytes.sum, tally.flop.spans),
            (u128::MAX, 2, 2)
        );
    }
}
