//! Latencies, on numbers that can be checked by hand.

use proptest::prelude::*;

use super::*;

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
        matches!(steadiness, Steadiness::Drifting(Later::Trend(ratio)) if (ratio + 0.44).abs() < 0.005)
    );
    let late: Vec<f64> = (0..40)
        .map(|call| if call < 5 { 9e6 } else { 1e6 })
        .collect();
    let steadiness = Latency::new(&late, 1).unwrap().steadiness;
    let (calls, measured) = (5, 40);
    assert_eq!(steadiness, Steadiness::WarmingUp { calls, measured });
    let level = Latency::new(&[1e6; 40], 1).unwrap();
    assert_eq!(level.steadiness, Steadiness::Steady);
}

proptest! {
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
