//! Host memory of spans and of a process.
//!
//! A span has a *net*, what was allocated in it less what was freed, and a *peak*, the largest
//! net at any moment of it. Both count from the span's start, so a peak is never below zero
//! and never below the net. The recorder measures them; tallies keep their extremes.

/// Memory of one span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SpanMemory {
    /// Allocated less freed. Below zero when more was freed than allocated.
    pub net_bytes: i64,
    /// Largest net at any moment.
    pub peak_bytes: u64,
}

impl SpanMemory {
    /// Both, one right after the other, as one.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        let later = i128::from(self.net_bytes) + i128::from(next.peak_bytes);
        let later = u64::try_from(later.max(0)).unwrap_or(u64::MAX);
        Self {
            net_bytes: self.net_bytes.saturating_add(next.net_bytes),
            peak_bytes: self.peak_bytes.max(later),
        }
    }
}

/// Memory of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProcessMemory {
    /// Allocated less freed, since counting began.
    pub bytes: i64,
    /// Largest value of that so far.
    pub peak_bytes: u64,
}

/// Memory that a process shares with no other one, and that no file backs: what it allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PrivateMemory {
    /// Bytes of it that are resident.
    pub resident_bytes: u64,
    /// Bytes of the address space that were set aside for it, touched or not.
    pub reserved_bytes: u64,
}

/// Extremes over the spans of one path that carried memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryTally {
    /// How many spans.
    pub count: u64,
    /// Smallest net.
    pub net_min_bytes: i64,
    /// Largest net.
    pub net_max_bytes: i64,
    /// Sum of nets.
    pub net_sum_bytes: i64,
    /// Sum of the squares of nets.
    pub net_square_bytes2: u128,
    /// The part of that sum that no span around it holds too: of spans that ran beside their
    /// parent.
    pub outside_sum_bytes: i64,
    /// Smallest peak.
    pub peak_min_bytes: u64,
    /// Largest peak.
    pub peak_max_bytes: u64,
    /// Memory of a span that a later one may still continue.
    pending: Option<SpanMemory>,
}

impl Default for MemoryTally {
    fn default() -> Self {
        Self {
            count: 0,
            net_min_bytes: i64::MAX,
            net_max_bytes: i64::MIN,
            net_sum_bytes: 0,
            net_square_bytes2: 0,
            outside_sum_bytes: 0,
            peak_min_bytes: u64::MAX,
            peak_max_bytes: 0,
            pending: None,
        }
    }
}

impl MemoryTally {
    /// A span; one before it was settled.
    pub fn begin(&mut self, memory: SpanMemory) {
        self.pending = Some(memory);
    }

    /// Goes on with the last span. A span has memory when all its pieces have.
    pub fn go_on(&mut self, memory: Option<SpanMemory>) {
        self.pending = self
            .pending
            .and_then(|before| memory.map(|memory| before.then(memory)));
    }

    /// Standard deviation of the nets; needs two spans.
    pub fn net_stddev_bytes(&self) -> Option<f64> {
        if self.count < 2 {
            return None;
        }
        let count = self.count as f64;
        let sum = u128::from(self.net_sum_bytes.unsigned_abs());
        // In whole numbers as long as they hold it: nets that are alike differ in their last digits.
        let exact = sum
            .checked_mul(sum)
            .zip(self.net_square_bytes2.checked_mul(u128::from(self.count)));
        let squares = exact.map_or_else(
            || self.net_square_bytes2 as f64 * count - (sum as f64).powi(2),
            |(square, squares)| squares.saturating_sub(square) as f64,
        );
        Some((squares.max(0.0) / (count * (count - 1.0))).sqrt())
    }

    /// Counts the last span, which nothing continues any more.
    pub fn settle(&mut self) {
        if let Some(memory) = self.pending.take() {
            self.merge(&Self {
                count: 1,
                net_min_bytes: memory.net_bytes,
                net_max_bytes: memory.net_bytes,
                net_sum_bytes: memory.net_bytes,
                net_square_bytes2: u128::from(memory.net_bytes.unsigned_abs()).pow(2),
                outside_sum_bytes: 0,
                peak_min_bytes: memory.peak_bytes,
                peak_max_bytes: memory.peak_bytes,
                pending: None,
            });
        }
    }

    /// Adds those of later spans, the last of which may go on. What was here is settled.
    pub fn merge(&mut self, other: &Self) {
        self.pending = other.pending.or(self.pending);
        self.count += other.count;
        self.net_min_bytes = self.net_min_bytes.min(other.net_min_bytes);
        self.net_max_bytes = self.net_max_bytes.max(other.net_max_bytes);
        self.net_sum_bytes = self.net_sum_bytes.saturating_add(other.net_sum_bytes);
        self.net_square_bytes2 = self
            .net_square_bytes2
            .saturating_add(other.net_square_bytes2);
        self.outside_sum_bytes = self
            .outside_sum_bytes
            .saturating_add(other.outside_sum_bytes);
        self.peak_min_bytes = self.peak_min_bytes.min(other.peak_min_bytes);
        self.peak_max_bytes = self.peak_max_bytes.max(other.peak_max_bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(net_bytes: i64, peak_bytes: u64) -> SpanMemory {
        SpanMemory {
            net_bytes,
            peak_bytes,
        }
    }

    #[test]
    fn two_pieces_have_the_peak_of_the_whole() {
        assert_eq!(memory(5, 8).then(memory(-9, 4)), memory(-4, 9));
        assert_eq!(memory(-20, 3).then(memory(6, 10)), memory(-14, 3));
    }

    #[test]
    fn the_spread_of_nets_is_exact_however_large_they_are() {
        let spread = |nets: &[i64]| {
            let mut tally = MemoryTally::default();
            for net in nets {
                tally.begin(memory(*net, 0));
                tally.settle();
            }
            tally.net_stddev_bytes()
        };
        assert_eq!(spread(&[7]), None);
        assert_eq!(spread(&[10, 10, 10]), Some(0.0));
        assert_eq!(spread(&[-2, 2]), Some(8.0_f64.sqrt()));
        let far = 1_i64 << 40;
        assert_eq!(spread(&[far - 1, far, far + 1]), Some(1.0));
        assert!(spread(&[i64::MAX, i64::MIN]).unwrap() > 1e18);
    }

    #[test]
    fn a_span_with_a_piece_that_was_not_counted_is_not_counted() {
        let mut tally = MemoryTally::default();
        tally.begin(memory(5, 8));
        tally.go_on(None);
        tally.go_on(Some(memory(-9, 4)));
        tally.settle();
        assert_eq!((tally.count, tally.net_sum_bytes), (0, 0));
    }

    #[test]
    fn a_continued_span_counts_once_and_extremes_are_of_whole_spans() {
        let mut tally = MemoryTally::default();
        tally.begin(memory(5, 8));
        tally.go_on(Some(memory(-9, 4)));
        tally.settle();
        tally.begin(memory(7, 7));
        tally.settle();
        tally.settle();
        assert_eq!(
            (
                tally.count,
                tally.net_min_bytes,
                tally.net_max_bytes,
                tally.net_sum_bytes
            ),
            (2, -4, 7, 3)
        );
        assert_eq!((tally.peak_min_bytes, tally.peak_max_bytes), (7, 9));
    }
}
