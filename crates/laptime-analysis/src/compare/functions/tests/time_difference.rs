use super::*;

/// Returns a run of so many samples of one length, a share of them in the part.
fn run(samples: f64, share: f64) -> RunTime {
    let time = |share: f64| {
        let each_ns = 1_000.0 / samples;
        SampledTime {
            ns: 1_000.0 * share,
            sample_count: samples * share,
            squared_ns2: samples * share * each_ns * each_ns,
        }
    };
    RunTime::new(time(share), time(1.0), 1.0)
}

#[test]
fn few_long_samples_are_less_sure_than_many_short_ones() {
    let within = |samples| {
        let found = TimeDifference::of_sides(&[run(samples, 0.2)], &[run(samples, 0.4)]);
        found.within_ns
    };
    // √(2·(0.3·0.7 + 0.01)/100) = 0.0663, and 2.0 of them where 60 samples are in the part.
    assert!((within(100.0) - 132.7).abs() < 0.1, "{}", within(100.0));
    assert!(within(10.0) > 3.0 * within(100.0));
}

#[test]
fn of_several_runs_the_spread_between_them_counts() {
    let side = |shares: [f64; 3]| shares.map(|share| run(1e6, share));
    let close = TimeDifference::of_sides(&side([0.2, 0.201, 0.202]), &side([0.3, 0.301, 0.302]));
    let apart = TimeDifference::of_sides(&side([0.1, 0.2, 0.3]), &side([0.2, 0.3, 0.4]));
    assert!(
        close.p_value < 1e-4 && apart.p_value > 0.2,
        "{close:?} {apart:?}"
    );
    assert!((close.difference_ns - 100.0).abs() < 1e-6, "{close:?}");
}

#[test]
fn where_nothing_was_sampled_nothing_differs() {
    let none = RunTime::new(SampledTime::default(), SampledTime::default(), 1.0);
    let found = TimeDifference::of_sides(&[none], &[none]);
    assert!(found.p_value >= 1.0, "{found:?}");
}
