//! Properties of the statistics; values of other packages are in `reference_tests.rs`.

use proptest::prelude::*;

use super::*;
use crate::statistics::quantiles;

fn series(seed: u64, count: usize, kept: f64) -> Vec<f64> {
    let (mut random, mut value) = (Random::new(seed), 0.0);
    let mut next = || {
        value = kept * value + (1.0 - kept * kept).sqrt() * random.normal();
        value
    };
    (0..count).map(|_| next()).collect()
}

#[test]
fn quantiles_are_the_inverse_of_the_distribution() {
    for probability in [1e-12, 0.001, 0.025, 0.5, 0.9, 0.999] {
        let there = normal::cdf(normal::quantile(probability));
        assert!((there / probability - 1.0).abs() < 1e-9, "{probability}");
    }
    for freedom in [1.0, 2.5, 30.0] {
        let reach = student::within(0.95, freedom);
        assert!((student::two_sided(reach, freedom) - 0.05).abs() < 1e-12);
    }
}

#[test]
fn a_correlated_series_is_worth_fewer_values() {
    let independent = autocorrelation::time(&series(1, 2_000, 0.0));
    assert!(independent < 1.1, "{independent}");
    // A decay by 0.8 has a time of (1 + 0.8) / (1 - 0.8) = 9.
    let time = autocorrelation::time(&series(1, 20_000, 0.8));
    assert!((time / 9.0 - 1.0).abs() < 0.2, "{time}");
}

#[test]
fn a_series_without_variation_has_no_correlation() {
    assert_eq!(autocorrelation::at_lag(&[3.0; 20], 1), None);
    let times = [&[3.0; 20][..], &[]].map(autocorrelation::time);
    assert_eq!(times.map(Some), [Some(1.0), Some(1.0)]);
    let size = autocorrelation::effective_size_for_median(&[3.0; 20], 3.0);
    assert_eq!(Some(size), Some(20.0));
}

#[test]
fn a_planted_change_is_found_and_noise_has_none() {
    let mut values = series(3, 60, 0.0);
    assert_eq!(change_points::find(&values, 0.01), []);
    values[40..].iter_mut().for_each(|value| *value += 5.0);
    values[10] += 100.0;
    let found = change_points::find(&values, 0.01);
    assert_eq!(
        found.iter().map(|change| change.at).collect::<Vec<_>>(),
        [40]
    );
    assert_eq!(change_points::find(&[], 0.01), []);
    assert_eq!(change_points::find(&[1.0; 30], 0.01), []);
}

#[test]
fn noise_has_a_change_as_seldom_as_asked_for() {
    for count in [8, 15, 40] {
        let found = (0..100)
            .filter(|seed| !change_points::find(&series(*seed, count, 0.0), 0.05).is_empty());
        let found = found.count();
        assert!(found <= 12, "{found} of 100 series of {count}");
    }
}

#[test]
fn the_first_of_two_changes_comes_first() {
    let levels = [0.0, 4.0, -4.0];
    let noise = series(4, 45, 0.0);
    let values = noise
        .iter()
        .enumerate()
        .map(|(index, noise)| levels[index / 15] + noise);
    let found = change_points::find(&values.collect::<Vec<_>>(), 0.01);
    let found: Vec<usize> = found.iter().map(|change| change.at).collect();
    assert!(
        found.is_sorted() && found.contains(&15) && found.contains(&30),
        "{found:?}"
    );
}

#[test]
fn tests_of_no_values_have_no_answer() {
    assert_eq!(mann_whitney::test(&[], &[1.0]), None);
    assert_eq!(shift::interval(&[], &[1.0], 0.95), None);
    assert_eq!(median_interval::median_interval(&[], 10.0, 0.95), None);
}

#[test]
fn whole_ranks_agree_with_the_table_of_the_median_interval() {
    // With the confidence that ranks 2 and 9 of 10 have, 1 - 2 (1 + 10) / 2¹⁰, the ranks are those.
    let ramp: Vec<f64> = (1..=10).map(f64::from).collect();
    let (low, high) = median_interval::median_interval(&ramp, 10.0, 1.0 - 22.0 / 1_024.0).unwrap();
    assert!(
        (low - 2.0).abs() < 1e-9 && (high - 9.0).abs() < 1e-9,
        "{low} {high}"
    );
}

proptest! {
    #[test]
    fn swapped_samples_have_the_same_probability(
        one in proptest::collection::vec(0.0..9.0, 1..12),
        other in proptest::collection::vec(0.0..9.0, 1..12),
    ) {
        let (there, back) = (mann_whitney::test(&one, &other), mann_whitney::test(&other, &one));
        prop_assert!((there.unwrap().p_value - back.unwrap().p_value).abs() < 1e-9);
        let (low, high) = shift::interval(&one, &other, 0.95).unwrap();
        let (back_low, back_high) = shift::interval(&other, &one, 0.95).unwrap();
        prop_assert!((low + back_high).abs() < 1e-9 && (high + back_low).abs() < 1e-9);
    }

    #[test]
    fn adjusted_probabilities_keep_their_order_and_never_shrink(
        values in proptest::collection::vec(0.0..1.0, 1..40),
    ) {
        let adjusted = false_discoveries::adjusted(&values);
        for (value, adjusted) in values.iter().zip(&adjusted) {
            prop_assert!(value <= adjusted && *adjusted <= 1.0);
            for (other, other_adjusted) in values.iter().zip(false_discoveries::adjusted(&values)) {
                prop_assert!(value > other || *adjusted <= other_adjusted);
            }
        }
    }

    #[test]
    fn scaled_values_have_a_scaled_median(
        mut values in proptest::collection::vec(0.0..9.0, 1..40), scale in 0.1..9.0,
    ) {
        values.sort_unstable_by(f64::total_cmp);
        let scaled: Vec<f64> = values.iter().map(|value| value * scale).collect();
        let median = |values: &[f64]| -> f64 { quantiles::median(values).unwrap() };
        let apart: f64 = median(&values) * scale - median(&scaled);
        prop_assert!(apart.abs() < 1e-9);
    }
}
