//! Quantiles and the median's interval.

use proptest::prelude::*;

use super::*;

fn ramp(count: usize) -> Vec<f64> {
    (1..=count).map(|value| value as f64).collect()
}

#[test]
fn the_median_is_the_middle_or_between_the_two_middle_values() {
    assert_eq!(median(&[]), None);
    assert_eq!(median(&[3.0]), Some(3.0));
    assert_eq!(median(&[1.0, 4.0]), Some(2.5));
    let unsorted = |values: &[f64]| Some(median_of(values.iter().copied(), &mut vec![7.0]));
    assert_eq!(unsorted(&[]), Some(0.0));
    assert_eq!(unsorted(&[5.0, 1.0, 3.0]), Some(3.0));
    assert_eq!(unsorted(&[9.0, 1.0, 4.0, 2.0]), Some(3.0));
    assert_eq!(median(&[1.0, 2.0, 9.0]), Some(2.0));
}

#[test]
fn percentiles_are_values_of_the_sample() {
    assert_eq!(nearest_rank(&ramp(100), 0.90), Some(90.0));
    assert_eq!(nearest_rank(&ramp(100), 0.99), Some(99.0));
    assert_eq!(nearest_rank(&ramp(10), 0.99), Some(10.0));
    assert_eq!(nearest_rank(&[7.0], 0.01), Some(7.0));
    assert_eq!(nearest_rank(&[], 0.5), None);
}

#[test]
fn the_interval_of_the_median_is_that_of_published_tables() {
    // Conover's table: n = 10 leaves out one value on either side, n = 20 five, n = 100 thirty-nine.
    for (count, left_out) in [(6, 0), (10, 1), (20, 5), (100, 39)] {
        let expected = ((left_out + 1) as f64, (count - left_out) as f64);
        assert_eq!(median_interval(&ramp(count)), Ok(expected), "of {count}");
    }
}

#[test]
fn five_values_are_too_few_for_an_interval() {
    let why = median_interval(&ramp(5)).unwrap_err().to_string();
    assert_eq!(
        why,
        "5 values are too few to tell how exact their median is; 6 are needed"
    );
}

#[test]
fn the_normal_approximation_continues_the_exact_rule() {
    let (exact, normal) = (values_below(NORMAL_FROM - 1), values_below(NORMAL_FROM));
    assert!(normal.abs_diff(exact) <= 1, "{exact} and {normal}");
}

proptest! {
    #[test]
    fn the_median_lies_in_its_interval(mut values in proptest::collection::vec(0.0..1e6, 6..2_000)) {
        values.sort_unstable_by(f64::total_cmp);
        let (low, high) = median_interval(&values).unwrap();
        let middle = median(&values).unwrap();
        prop_assert!(low <= middle && middle <= high);
    }
}
