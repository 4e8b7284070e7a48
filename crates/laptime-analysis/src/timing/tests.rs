//! Shares, speed-ups, latencies and epochs, on numbers that can be checked by hand.

use proptest::prelude::*;

use super::*;

#[test]
fn shares_are_of_the_outermost_entries() {
    let shares = shares([(1.0, true), (3.0, false), (1.0, false)]);
    let expected = Shares {
        total_seconds: 4.0,
        ratios: vec![0.25, 0.75, 0.25],
    };
    assert_eq!(shares, expected);
}

#[test]
fn shares_of_a_zero_total_are_zero_and_not_nan() {
    let shares = shares([(0.0, false), (0.0, false)]);
    assert_eq!((shares.total_seconds, shares.ratios), (0.0, vec![0.0, 0.0]));
    let none = super::shares([]);
    assert!(none.total_seconds.is_sign_positive());
}

#[test]
fn the_slowest_is_the_baseline_and_the_first_of_equals() {
    assert_eq!(slowest(&[]), None);
    assert_eq!(slowest(&[1.0, 4.0, 2.0, 4.0]), Some(1));
}

#[test]
fn a_zero_time_has_no_ratio() {
    assert_eq!(speedup(2.0, 1.0), Some(2.0));
    assert_eq!(speedup(1.0, 2.0), Some(0.5));
    assert_eq!(speedup(1.0, 0.0), None);
    assert_eq!(speedup(0.0, 1.0), None);
}

#[test]
fn the_first_epoch_is_compared_with_the_mean_of_the_others() {
    let warmup = epoch_warmup(&[5.2, 3.1, 3.0, 3.1, 3.0, 2.9]).unwrap();
    assert!((warmup.steady_seconds.unwrap() - 3.02).abs() < 1e-12);
    assert!((warmup.overhead_seconds.unwrap() - 2.18).abs() < 1e-12);
    assert!((warmup.overhead_ratio.unwrap() - 2.18 / 3.02).abs() < 1e-12);
    assert!(warmup.warmup_epochs.unwrap_err().0.contains("6 steps"));
}

#[test]
fn the_end_of_warmup_is_found_among_many_epochs() {
    let mut epochs = vec![9.0, 6.0, 4.0];
    epochs.extend([
        3.0, 3.01, 2.99, 3.0, 3.02, 2.98, 3.0, 3.01, 3.0, 2.99, 3.0, 3.01,
    ]);
    assert_eq!(epoch_warmup(&epochs).unwrap().warmup_epochs, Ok(3));
}

#[test]
fn one_epoch_has_no_steady_state() {
    let warmup = epoch_warmup(&[2.0]).unwrap();
    assert_eq!((warmup.first_seconds, warmup.steady_seconds), (2.0, None));
    assert_eq!(
        (warmup.overhead_seconds, warmup.overhead_ratio),
        (None, None)
    );
    assert_eq!(epoch_warmup(&[]), None);
    assert_eq!(epoch_warmup(&[1.0, 0.0]).unwrap().overhead_ratio, None);
    assert_eq!(epoch_warmup(&[0.0, 0.0]).unwrap().overhead_ratio, Some(0.0));
}

#[test]
fn a_latency_counts_every_sample_of_a_batch() {
    let latency = Latency::new(&[1e6, 3e6], 8).unwrap();
    assert_eq!(
        (latency.mean_ns, latency.min_ns, latency.max_ns),
        (2e6, 1e6, 3e6)
    );
    assert_eq!(latency.samples_per_s, Some(4_000.0));
    assert!(matches!(latency.steadiness, Steadiness::Unknown(_)));
    assert!(latency.interval_ns.is_err());
    assert_eq!(Latency::new(&[], 1), None);
    assert_eq!(Latency::new(&[0.0], 1).unwrap().samples_per_s, None);
}

#[test]
fn calls_that_get_faster_are_not_steady() {
    let falling: Vec<f64> = (0..60).map(|call| 1e7 - 1e5 * f64::from(call)).collect();
    let steadiness = Latency::new(&falling, 1).unwrap().steadiness;
    assert!(
        matches!(steadiness, Steadiness::Drifting(why) if why.0.contains("last third is 44 % below that of the first"))
    );
    let late: Vec<f64> = (0..40)
        .map(|call| if call < 5 { 9e6 } else { 1e6 })
        .collect();
    let steadiness = Latency::new(&late, 1).unwrap().steadiness;
    assert!(matches!(steadiness, Steadiness::Drifting(why) if why.0.contains("first 5 of 40")));
    let level = Latency::new(&[1e6; 40], 1).unwrap();
    assert_eq!(level.steadiness, Steadiness::Steady);
}

proptest! {
    #[test]
    fn shares_of_flat_entries_add_up_to_one(seconds in proptest::collection::vec(0.001..1e5, 1..30)) {
        let shares = shares(seconds.iter().map(|one| (*one, false)));
        prop_assert!((shares.ratios.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn scaling_the_durations_scales_the_latency(
        durations in proptest::collection::vec(1e3..1e9, 1..50),
        factor in 0.5..2.0_f64,
    ) {
        let scaled: Vec<f64> = durations.iter().map(|one| one * factor).collect();
        let (one, other) = (Latency::new(&durations, 1).unwrap(), Latency::new(&scaled, 1).unwrap());
        prop_assert!((other.p90_ns / one.p90_ns / factor - 1.0).abs() < 1e-9);
        prop_assert!((other.mean_ns / one.mean_ns / factor - 1.0).abs() < 1e-9);
    }
}
