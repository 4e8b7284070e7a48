use super::*;
use crate::benchmark::{Doubt, LEAST_SAMPLES, NoPercentile};

const LIMITS: Limits = Limits {
    quantum_ns: 20.0,
    budget_ns: 2e9,
    precision_ratio: 0.01,
    count: Count::Budget,
};

/// Runs a plan to its end; `cost` is the time of an iteration, told the number of the run.
fn run(limits: Limits, mut cost: impl FnMut(usize) -> f64) -> (Plan, Vec<u64>) {
    let (mut plan, mut asked) = (Plan::new(limits), Vec::new());
    loop {
        let (Next::WarmUp(iterations) | Next::Sample(iterations)) = plan.next() else {
            return (plan, asked);
        };
        let took = cost(asked.len()) * iterations as f64;
        asked.push(iterations);
        plan.add_run(took, took);
    }
}

/// Small differences, the same every time.
fn noisy(run: usize, ratio: f64) -> f64 {
    1.0 + ratio * ((run * 7_919 % 101) as f64 / 50.0 - 1.0)
}

#[test]
fn a_sample_has_a_thousand_quanta_at_least() {
    for cost in [1.0, 12.3, 999.0, 12_300.0, 4e6] {
        let limits = Limits {
            quantum_ns: 5_000.0,
            ..LIMITS
        };
        let (plan, asked) = run(limits, |run| cost * noisy(run, 0.01));
        let outcome = plan.outcome().unwrap();
        assert!(
            outcome.iterations as f64 * cost * 1.01 >= 5e6 * 0.98,
            "{cost}"
        );
        assert_eq!(asked[0], 1);
        assert_eq!(outcome.ending, Some(Ending::Precise));
        assert!((outcome.median_ns / cost - 1.0).abs() < 0.01);
    }
}

#[test]
fn iterations_are_easy_to_say() {
    let rounded = [0.2, 1.0, 1.1, 3.0, 81.3, 100.0, 100.1].map(rounded_up);
    assert_eq!(rounded, [1, 1, 2, 5, 100, 100, 200]);
    assert_eq!(rounded_up(f64::INFINITY), u64::MAX);
}

#[test]
fn long_runs_are_made_as_often_as_asked_for() {
    for (count, runs, ending) in [
        (Count::Budget, 2, Ending::Budget),
        (Count::AtLeast(10), 10, Ending::Budget),
        (Count::Exactly(4), 4, Ending::Count),
        (Count::Exactly(1), 1, Ending::Count),
    ] {
        let limits = Limits { count, ..LIMITS };
        let (plan, asked) = run(limits, |run| 1.2e9 * noisy(run, 0.1));
        let outcome = plan.outcome().unwrap();
        assert_eq!((asked.len(), outcome.samples_ns.len()), (runs, runs));
        assert_eq!((outcome.ending, outcome.warmup), (Some(ending), 0));
    }
    let limits = Limits {
        count: Count::Exactly(100),
        ..LIMITS
    };
    let (plan, asked) = run(limits, |run| 50.0 * noisy(run, 0.1));
    assert!(asked.len() == 100 && asked.iter().all(|iterations| *iterations == 1));
    assert_eq!(plan.outcome().unwrap().ending, Some(Ending::Count));
}

#[test]
fn a_slow_head_is_warm_up_and_not_in_the_median() {
    let slow = |run: usize| if run < 5 { 3.0 } else { 1.0 };
    let (plan, _) = run(LIMITS, |run| 4e6 * slow(run) * noisy(run, 0.01));
    let outcome = plan.outcome().unwrap();
    assert_eq!(outcome.warmup, 5);
    assert!((outcome.median_ns / 4e6 - 1.0).abs() < 0.01);
    assert_eq!(outcome.doubts, []);
}

#[test]
fn warm_up_of_any_length_is_left_out() {
    for cold in [3, 8, 13, 18, 19, 25] {
        let slow = |run: usize| if run < cold { 10.0 } else { 1.0 };
        let (plan, _) = run(LIMITS, |run| 2e6 * slow(run) * noisy(run, 0.05));
        let outcome = plan.outcome().unwrap();
        let is_slow = |sample: &&f64| **sample > 1e7;
        let kept = outcome.samples_ns.iter().filter(is_slow).count();
        assert_eq!((outcome.warmup, kept), (cold, 0), "{:?}", outcome.doubts);
    }
}

#[test]
fn a_slow_first_call_does_not_choose_the_iterations() {
    for first in [1e4, 1e6, 5e7] {
        let slow = |run: usize| if run == 0 { first } else { 1.0 };
        let (plan, _) = run(LIMITS, |run| 10.0 * slow(run) * noisy(run, 0.01));
        let outcome = plan.outcome().unwrap();
        assert!(
            (100_000..=200_000).contains(&outcome.iterations),
            "{outcome:?}"
        );
    }
}

#[test]
fn samples_of_several_runs_hide_the_99th_percentile_which_single_ones_tell() {
    let (plan, _) = run(LIMITS, |run| 1e3 * noisy(run, 0.01));
    let outcome = plan.outcome().unwrap();
    let iterations = outcome.iterations;
    assert_eq!(
        outcome.p99_ns(),
        Err(NoPercentile::RunsTogether { iterations })
    );
    let (low, high) = *outcome.interval_ns.as_ref().unwrap();
    let half = (high - low) / 2.0;
    assert_eq!(outcome.precision_ratio(), Some(half / outcome.median_ns));
    let limits = Limits {
        precision_ratio: 0.0,
        ..LIMITS
    };
    let (plan, _) = run(limits, |run| 4e6 * noisy(run, 0.01));
    let outcome = plan.outcome().unwrap();
    assert_eq!(outcome.iterations, 1);
    let p99_ns = outcome.p99_ns().unwrap();
    assert!((p99_ns / (4e6 * 1.01) - 1.0).abs() < 1e-3, "{p99_ns}");
}

#[test]
fn the_budget_ends_what_stays_noisy_and_says_so() {
    let (plan, asked) = run(LIMITS, |run| 1e7 * noisy(run, 0.5));
    assert_eq!(plan.next(), Next::Done(Ending::Budget));
    assert!((190..=210).contains(&asked.len()), "{}", asked.len());
    assert!(plan.outcome().unwrap().precision_ratio().unwrap() > 0.01);
}

#[test]
fn one_run_beyond_the_budget_is_a_median_without_an_interval() {
    let (plan, asked) = run(LIMITS, |_| 3e9);
    assert_eq!(asked, [1]);
    let outcome = plan.outcome().unwrap();
    assert_eq!(
        (outcome.median_ns, outcome.ending),
        (3e9, Some(Ending::Budget))
    );
    assert!(outcome.interval_ns.is_err());
    assert!(matches!(outcome.doubts[..], [Doubt::Unknown(_)]));
}

#[test]
fn what_never_settles_is_sampled_with_a_doubt() {
    let (plan, _) = run(LIMITS, |run| {
        1e7 * (1.0 + run as f64 / 20.0) * noisy(run, 0.01)
    });
    let outcome = plan.outcome().unwrap();
    assert_eq!(outcome.ending, Some(Ending::Budget));
    assert!(
        outcome.doubts.contains(&Doubt::NeverSteady),
        "{:?}",
        outcome.doubts
    );
}

#[test]
fn less_cpu_time_than_wall_time_is_a_doubt() {
    let mut plan = Plan::new(LIMITS);
    while let Next::WarmUp(_) | Next::Sample(_) = plan.next() {
        plan.add_run(5e6, 2e6);
    }
    let outcome = plan.outcome().unwrap();
    assert_eq!(outcome.doubts, [Doubt::Waited(0.4)]);
}

#[test]
fn a_clock_that_stands_still_or_goes_back_ends_all_the_same() {
    for told in [0.0, -1e6] {
        let mut plan = Plan::new(Limits {
            quantum_ns: 1e5,
            ..LIMITS
        });
        let mut asked = 0;
        while let Next::WarmUp(_) | Next::Sample(_) = plan.next() {
            plan.add_run(told, 0.0);
            asked += 1;
        }
        assert!(asked <= 20_000, "{asked}");
    }
}

#[test]
fn nothing_is_told_before_the_first_sample() {
    assert_eq!(Plan::new(LIMITS).outcome(), None);
}

#[test]
fn what_prepares_a_run_makes_a_sample_no_longer_than_the_clock_needs() {
    // Preparing takes a thousand times as long as what is measured.
    let mut plan = Plan::new(LIMITS);
    let (mut spent, mut runs) = (0.0, 0);
    while let Next::WarmUp(iterations) | Next::Sample(iterations) = plan.next() {
        let (aside, took) = (1e6 * iterations as f64, 1e3 * iterations as f64);
        spent += aside + took;
        plan.spend(aside);
        plan.add_run(took * noisy(runs, 0.2), took);
        runs += 1;
    }
    let outcome = plan.outcome().unwrap();
    // By the budget alone it would be one, of a clock step that is a fiftieth of it.
    assert!(
        (20..=50).contains(&outcome.iterations),
        "{}",
        outcome.iterations
    );
    assert!(outcome.samples_ns.len() >= LEAST_SAMPLES);
    assert!(spent <= LIMITS.budget_ns + 50e6, "{spent}");
}
