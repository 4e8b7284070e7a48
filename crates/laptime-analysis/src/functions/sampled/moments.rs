//! Moments of samples, asked for by one span after the other.

/// Moments in time order, each with the number of its sample.
///
/// Spans come mostly in the order of their time, so the search goes on from where the last one ended.
#[derive(Debug, Default)]
pub(super) struct Moments {
    sorted: Vec<(u64, u32)>,
    last: usize,
}

impl Moments {
    /// Adds a moment; [`sort`](Self::sort) comes after the last one.
    pub(super) fn add(&mut self, ticks: u64, sample: u32) {
        self.sorted.push((ticks, sample));
    }

    /// Puts the moments in order.
    pub(super) fn sort(&mut self) {
        self.sorted.sort_unstable();
    }

    /// Returns the samples from `start` on and before `end`.
    pub(super) fn inside(&mut self, start: u64, end: u64) -> impl Iterator<Item = u32> {
        self.last = self.first_from(start);
        let after = self.sorted[self.last..].iter();
        after
            .take_while(move |(ticks, _)| *ticks < end)
            .map(|(_, sample)| *sample)
    }

    /// Returns the place of the first moment from `start` on: looks from the last place on in steps that double.
    fn first_from(&self, start: u64) -> usize {
        let is_before = |(ticks, _): &(u64, u32)| *ticks < start;
        let search =
            |low: usize, high: usize| low + self.sorted[low..high].partition_point(is_before);
        let mut step = 1;
        if self.sorted.get(self.last).is_some_and(is_before) {
            let mut low = self.last;
            while self.sorted.get(low + step).is_some_and(is_before) {
                low += step;
                step *= 2;
            }
            return search(low, (low + step).min(self.sorted.len()));
        }
        let mut high = self.last;
        loop {
            let low = high.saturating_sub(step);
            if low == 0 || is_before(&self.sorted[low]) {
                return search(low, high);
            }
            high = low;
            step *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn spans_in_any_order_find_their_samples(
            ticks in vec(0_u64..200, 0..60),
            spans in vec((0_u64..220, 0_u64..60), 1..40),
        ) {
            let mut moments = Moments::default();
            for (sample, ticks) in (0..).zip(&ticks) {
                moments.add(*ticks, sample);
            }
            moments.sort();
            for (start, length) in spans {
                let end = start + length;
                let mut found: Vec<u32> = moments.inside(start, end).collect();
                found.sort_unstable();
                let is_inside = |(_, ticks): &(u32, &u64)| (start..end).contains(*ticks);
                let expected = (0..).zip(&ticks).filter(is_inside);
                prop_assert_eq!(found, expected.map(|(sample, _)| sample).collect::<Vec<_>>());
            }
        }
    }
}
