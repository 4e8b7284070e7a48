//! A log-bucket histogram with a bounded relative error.
//!
//! Bucket `i` holds values in (γ^i, γ^(i+1)] with γ = 2^(1/32), so the middle of a
//! bucket is within 1.1 % of every value in it. Merging is adding, in any order. This
//! is OpenTelemetry's exponential histogram at scale 5.
//!
//! Few distinct buckets are kept as a sorted list; more of them as a dense window.

/// Buckets per doubling of the value.
const PER_OCTAVE: u64 = 32;

/// Buckets kept as a list before the histogram turns dense: most paths of a program
/// with thousands of them were seen once or twice.
const SPARSE_LIMIT: usize = 8;
/// Values counted before it turns dense even if they share few buckets: what is seen that often
/// will be seen again, and a list is searched.
const SPARSE_COUNT: u64 = 64;

/// Upper mantissa bounds of the 32 buckets of an octave, as 52-bit fractions:
/// `ceil((2^(i/32) − 1)·2^52)` for i in 0..32, computed once at compile time.
const BOUNDS: [u64; PER_OCTAVE as usize] = bounds();

/// For each value of the top 6 mantissa bits, the bucket in which it starts.
const FIRST: [u8; 64] = first_guess();

/// Where the bucket after that begins, which may be in the same slot; after the last one, more
/// than any mantissa.
const NEXT: [u64; 64] = {
    let mut next = [u64::MAX; 64];
    let mut slot = 0;
    while slot < next.len() {
        let bucket = FIRST[slot] as usize + 1;
        if bucket < BOUNDS.len() {
            next[slot] = BOUNDS[bucket];
        }
        slot += 1;
    }
    next
};

const fn bounds() -> [u64; 32] {
    // 2^(1/32) by five square roots of two, each by Newton's iteration in u128 fixed point.
    let one: u128 = 1 << 60;
    let mut root = 2 * one;
    let mut halvings = 0;
    while halvings < 5 {
        root = square_root(root * one);
        halvings += 1;
    }
    let mut table = [0_u64; 32];
    let mut power = one;
    let mut index = 0;
    while index < 32 {
        table[index] = ((power - one + 255) >> 8) as u64;
        power = (power * root + (one >> 1)) >> 60;
        index += 1;
    }
    table
}

const fn square_root(value: u128) -> u128 {
    let mut guess = 1_u128 << ((128 - value.leading_zeros()).div_ceil(2));
    loop {
        let better = (guess + value / guess) >> 1;
        if better >= guess {
            return guess;
        }
        guess = better;
    }
}

const fn first_guess() -> [u8; 64] {
    let mut table = [0_u8; 64];
    let mut slot = 0;
    while slot < 64 {
        let mantissa = (slot as u64) << 46;
        let mut bucket = 0;
        while bucket + 1 < 32 && BOUNDS[bucket + 1] <= mantissa {
            bucket += 1;
        }
        table[slot] = bucket as u8;
        slot += 1;
    }
    table
}

/// The bucket that holds a value. Zero shares the bucket of one; from 2^63 on all share one.
#[inline]
pub fn bucket_of(value: u64) -> u16 {
    bucket_of_float(to_float(value))
}

/// A value as a float. Signed numbers convert in one instruction.
#[inline]
pub fn to_float(value: u64) -> f64 {
    value.min(i64::MAX as u64) as i64 as f64
}

/// The bucket of a value that is a float already, which has octave and mantissa at hand.
#[inline]
pub fn bucket_of_float(value: f64) -> u16 {
    let bits = value.max(1.0).to_bits();
    let mantissa = bits & ((1 << 52) - 1);
    let slot = (mantissa >> 46) as usize;
    // 64 slots over 32 buckets: at most one boundary lies inside a slot.
    let bucket = u16::from(FIRST[slot]) + u16::from(NEXT[slot] <= mantissa);
    (((bits >> 52) - 1_023) * PER_OCTAVE) as u16 + bucket
}

/// The value in the geometric middle of a bucket.
pub fn middle_of(bucket: u16) -> f64 {
    ((f64::from(bucket) + 0.5) / PER_OCTAVE as f64).exp2()
}

/// Counts of values in logarithmic buckets.
#[derive(Debug, Clone, Default)]
pub struct Histogram {
    buckets: Buckets,
    count: u64,
}

#[derive(Debug, Clone)]
enum Buckets {
    Sparse(Vec<(u16, u64)>),
    Dense { first: u16, counts: Vec<u64> },
}

impl Default for Buckets {
    fn default() -> Self {
        Self::Sparse(Vec::new())
    }
}

impl PartialEq for Histogram {
    fn eq(&self, other: &Self) -> bool {
        self.count == other.count && self.iter().eq(other.iter())
    }
}

impl Histogram {
    /// Largest relative error of [`Self::quantile`]: half a bucket, 2^(1/64) − 1.
    pub const RELATIVE_ERROR: f64 = 0.010_89;

    /// An empty histogram.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts one value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        self.add(bucket_of(value), 1);
    }

    /// Counts several buckets' values, one each: cheaper than to [`Self::add`] them one by one.
    #[inline]
    pub fn add_all(&mut self, buckets: impl Iterator<Item = u16>) {
        let mut buckets = buckets;
        let mut counted = 0;
        let other = match &mut self.buckets {
            Buckets::Sparse(_) => None,
            Buckets::Dense { first, counts } => buckets.find(|bucket| {
                let count = counts.get_mut(usize::from(bucket.wrapping_sub(*first)));
                counted += u64::from(count.is_some());
                count.map(|count| *count += 1).is_none()
            }),
        };
        self.count += counted;
        for bucket in other.into_iter().chain(buckets) {
            self.add(bucket, 1);
        }
    }

    /// Counts `times` values of one bucket.
    #[inline]
    pub fn add(&mut self, bucket: u16, times: u64) {
        self.count += times;
        if let Buckets::Dense { first, counts } = &mut self.buckets
            && let Some(count) = counts.get_mut(usize::from(bucket.wrapping_sub(*first)))
        {
            *count += times;
            return;
        }
        self.add_slowly(bucket, times);
    }

    #[cold]
    fn add_slowly(&mut self, bucket: u16, times: u64) {
        match &mut self.buckets {
            Buckets::Sparse(list) => {
                match list.binary_search_by_key(&bucket, |(known, _)| *known) {
                    Ok(index) => list[index].1 += times,
                    Err(index) => list.insert(index, (bucket, times)),
                }
                if list.len() > SPARSE_LIMIT || self.count > SPARSE_COUNT {
                    let first = list[0].0;
                    let width = usize::from(list[list.len() - 1].0 - first) + 1;
                    let mut counts = vec![0; width];
                    for (known, count) in list {
                        counts[usize::from(*known - first)] = *count;
                    }
                    self.buckets = Buckets::Dense { first, counts };
                }
            }
            Buckets::Dense { first, counts } => {
                if bucket < *first {
                    let missing = usize::from(*first - bucket);
                    counts.splice(0..0, std::iter::repeat_n(0, missing));
                    *first = bucket;
                } else {
                    counts.resize(usize::from(bucket - *first) + 1, 0);
                }
                counts[usize::from(bucket - *first)] += times;
            }
        }
    }

    /// Adds all counts of another histogram.
    pub fn merge(&mut self, other: &Self) {
        for (bucket, count) in other.iter() {
            self.add(bucket, count);
        }
    }

    /// How many values were counted.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The occupied buckets in rising order, with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (u16, u64)> + '_ {
        let (first, sparse, dense) = match &self.buckets {
            Buckets::Sparse(list) => (0, list.as_slice(), [].as_slice()),
            Buckets::Dense { first, counts } => (*first, [].as_slice(), counts.as_slice()),
        };
        let dense = (first..).zip(dense.iter().copied());
        sparse
            .iter()
            .copied()
            .chain(dense)
            .filter(|(_, count)| *count > 0)
    }

    /// The value below which a share `q` (0 to 1) of the values lies, nearest rank.
    ///
    /// `None` when empty. Within [`Self::RELATIVE_ERROR`] of the exact value.
    pub fn quantile(&self, q: f64) -> Option<f64> {
        let rank = ((q.clamp(0.0, 1.0) * self.count as f64).ceil() as u64).max(1);
        let mut seen = 0;
        self.iter().find_map(|(bucket, count)| {
            seen += count;
            (seen >= rank).then(|| middle_of(bucket))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_power_of_two_opens_its_octave() {
        for octave in 0..64 {
            assert_eq!(bucket_of(1 << octave), octave * 32);
        }
        assert_eq!(bucket_of(0), 0);
        assert_eq!(bucket_of(u64::MAX), 63 * 32);
    }

    #[test]
    fn buckets_agree_with_the_logarithm() {
        for value in (1..200_000_u64).chain((1..64).flat_map(|o| [(1 << o) - 1, (1 << o) + 1])) {
            let exact = (value as f64).log2() * 32.0;
            let bucket = f64::from(bucket_of(value));
            assert!(
                bucket <= exact + 1e-6 && exact < bucket + 1.0 + 1e-6,
                "{value}: {bucket} {exact}"
            );
        }
    }

    #[test]
    fn an_empty_histogram_has_no_quantile() {
        assert_eq!(Histogram::new().quantile(0.5), None);
    }

    proptest! {
        #[test]
        fn a_quantile_is_within_the_promised_error(mut values in proptest::collection::vec(1_u64..1 << 50, 1..300), q in 0.0_f64..=1.0) {
            let mut histogram = Histogram::new();
            for value in &values { histogram.record(*value); }
            values.sort_unstable();
            let rank = ((q * values.len() as f64).ceil() as usize).max(1) - 1;
            let exact = values[rank] as f64;
            let estimate = histogram.quantile(q).unwrap();
            prop_assert!((estimate / exact - 1.0).abs() <= Histogram::RELATIVE_ERROR + 1e-9, "{estimate} {exact}");
        }

        #[test]
        fn merging_in_any_order_is_counting_together(values in proptest::collection::vec(any::<u64>().prop_map(|v| v >> (v % 60)), 0..200), cut in 0_usize..200) {
            let cut = cut.min(values.len());
            let (mut left, mut right, mut all) = (Histogram::new(), Histogram::new(), Histogram::new());
            values[..cut].iter().for_each(|value| left.record(*value));
            values[cut..].iter().for_each(|value| right.record(*value));
            for value in &values { all.record(*value); }
            let mut swapped = right.clone();
            swapped.merge(&left);
            left.merge(&right);
            prop_assert_eq!(&left, &all);
            prop_assert_eq!(&swapped, &all);
        }
    }
}
