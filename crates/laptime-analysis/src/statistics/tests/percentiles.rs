use proptest::prelude::*;

use super::*;
use crate::statistics::Random;

fn ascending(count: usize) -> Vec<f64> {
    (1..=count).map(|number| number as f64).collect()
}

#[test]
fn so_few_calls_have_no_percentile_and_say_how_many_are_needed() {
    let found = Percentiles::new(&ascending(99), "call");
    let why = found.p99.unwrap_err().0;
    assert_eq!(
        why,
        "99 calls are too few to tell the 99th percentile; 100 are needed"
    );
    assert_eq!(found.p90.map(|one| one.value_ns), Ok(90.0));
    assert_eq!(found.p50.map(|one| one.value_ns), Ok(50.0));
    let none = Percentiles::new(&[], "call");
    assert!(none.p50.is_err() && none.max_ns.is_none());
}

#[test]
fn a_percentile_may_be_there_without_its_interval() {
    let p99 = percentile(&ascending(367), 99, "call").unwrap();
    assert_eq!(Some(p99.value_ns), Some(364.0));
    let why = p99.interval_ns.unwrap_err().0;
    assert_eq!(
        why,
        "367 calls are too few to tell how exact the 99th percentile is; 368 are needed"
    );
    let p99 = percentile(&ascending(368), 99, "call").unwrap();
    let (low, high) = p99.interval_ns.unwrap();
    assert!(low <= p99.value_ns && high > 367.5, "{low} to {high}");
}

#[test]
fn the_medians_interval_is_that_of_every_other_place() {
    for count in [6, 7, 30, 101, 500] {
        let sorted = ascending(count);
        let here = percentile(&sorted, 50, "call").unwrap().interval_ns;
        assert_eq!(here, quantiles::median_interval(&sorted), "{count}");
    }
}

#[test]
fn intervals_hold_the_true_percentile_as_often_as_they_say() {
    for (percent, count) in [(90, 200), (99, 1_000)] {
        let truth = -(1.0 - f64::from(percent) / 100.0).ln();
        let mut random = Random::new(5);
        let held = (0..1_000).filter(|_| {
            let mut drawn: Vec<f64> = (0..count).map(|_| -(1.0 - random.unit()).ln()).collect();
            drawn.sort_unstable_by(f64::total_cmp);
            let (low, high) = percentile(&drawn, percent, "call")
                .unwrap()
                .interval_ns
                .unwrap();
            low <= truth && truth <= high
        });
        let held = held.count();
        assert!((935..=985).contains(&held), "p{percent}: {held} of 1,000");
    }
}

proptest! {
    #[test]
    fn percentiles_lie_in_their_intervals_and_in_order(
        durations in proptest::collection::vec(1.0..1e9_f64, 368..600),
    ) {
        let found = Percentiles::new(&durations, "call");
        let all = [found.p50.unwrap(), found.p90.unwrap(), found.p99.unwrap()];
        for one in &all {
            let (low, high) = one.interval_ns.clone().unwrap();
            prop_assert!(low <= one.value_ns && one.value_ns <= high);
        }
        prop_assert!(all.windows(2).all(|two| two[0].value_ns <= two[1].value_ns));
        prop_assert!(all[2].value_ns <= found.max_ns.unwrap());
    }
}
