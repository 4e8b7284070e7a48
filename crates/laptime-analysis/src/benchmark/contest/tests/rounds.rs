//! Contests of made-up programs. How often their verdicts are right is in `tests/it/verdicts.rs`.

use super::*;
use crate::benchmark::verdict::Verdict;

const LIMITS: Limits = Limits {
    quantum_ns: 20.0,
    budget_ns: 10e9,
    threshold_ratio: 0.01,
    confidence: 0.95,
    seed: 1,
    rounds: Count::Budget,
};

/// Runs a contest to its end; `levels` are the times of an iteration, `machine` is what lies around them.
fn run(
    limits: Limits,
    levels: &[f64],
    mut machine: impl FnMut(usize) -> f64,
) -> (Contest, Vec<usize>) {
    let (mut contest, mut asked) = (Contest::new(levels.len(), limits), Vec::new());
    while let Next::Run {
        contender,
        iterations,
    } = contest.next()
    {
        let took = levels[contender] * iterations as f64 * machine(asked.len());
        asked.push(contender);
        contest.add_run(took, took);
    }
    (contest, asked)
}

fn noise(seed: u64, ratio: f64) -> impl FnMut(usize) -> f64 {
    let mut random = Random::new(seed);
    move |_| (ratio * random.normal()).exp()
}

fn verdicts(contest: &Contest) -> Vec<Verdict> {
    let pairs = contest.outcome().unwrap().pairs;
    pairs.iter().map(|pair| pair.judged.verdict).collect()
}

#[test]
fn faster_slower_and_the_same_are_told_apart() {
    let (contest, _) = run(LIMITS, &[1e6, 0.5e6, 1.5e6, 1e6], noise(1, 0.01));
    let outcome = contest.outcome().unwrap();
    assert_eq!(outcome.ending, Some(Ending::Clear));
    let against_base: Vec<Verdict> = verdicts(&contest)[..3].to_vec();
    assert_eq!(
        against_base,
        [Verdict::Faster, Verdict::Slower, Verdict::Same]
    );
    assert_eq!(outcome.pairs.len(), 6);
    assert!(outcome.noise_ratio.unwrap() < 0.01);
    assert!(outcome.contenders.iter().all(|one| one.interval_ns.is_ok()));
}

#[test]
fn what_is_clear_early_ends_early() {
    let rounds = |ratio: f64| {
        run(LIMITS, &[1e6, 1e6 * ratio], noise(1, 0.02))
            .0
            .outcome()
            .unwrap()
            .rounds
    };
    assert_eq!(rounds(2.0), LOOKS[0]);
    assert!(rounds(1.03) > rounds(2.0));
}

#[test]
fn a_round_is_mirrored_and_has_the_base_four_times() {
    let (contest, asked) = run(LIMITS, &[1e6, 1e6], noise(1, 0.02));
    let rounds = contest.outcome().unwrap().rounds;
    let in_rounds = &asked[asked.len() - 6 * rounds..];
    let mut orders = std::collections::BTreeSet::new();
    for round in in_rounds.chunks(6) {
        assert!(
            (0..3).all(|index| round[index] == round[5 - index]),
            "{round:?}"
        );
        assert_eq!(round.iter().filter(|who| **who == 0).count(), 4);
        orders.insert(round.to_vec());
    }
    assert_eq!(orders.len(), 3);
}

#[test]
fn a_drifting_machine_makes_nobody_slower() {
    let (contest, _) = run(LIMITS, &[1e6, 1e6], |run| 1.0 + run as f64 / 1e3);
    assert_eq!(verdicts(&contest), [Verdict::Same]);
}

#[test]
fn the_budget_ends_it_and_one_run_each_is_inconclusive() {
    let (contest, asked) = run(LIMITS, &[20e9, 30e9], |_| 1.0);
    assert_eq!(contest.next(), Next::Done(Ending::Budget));
    assert_eq!(asked, [0]);
    assert_eq!(contest.outcome(), None);
    let (contest, asked) = run(LIMITS, &[4e9, 7e9], |_| 1.0);
    assert_eq!(asked, [0, 1]);
    assert_eq!(verdicts(&contest), [Verdict::Inconclusive]);
    assert_eq!(contest.outcome().unwrap().noise_ratio, None);
}

#[test]
fn long_runs_have_rounds_without_a_second_half_and_so_many_that_it_can_be_told() {
    let limits = Limits {
        rounds: Count::AtLeast(LEAST_ROUNDS),
        ..LIMITS
    };
    let (contest, asked) = run(limits, &[1e9, 1.5e9], noise(1, 0.02));
    let outcome = contest.outcome().unwrap();
    assert_eq!(outcome.rounds, LEAST_ROUNDS);
    assert_eq!(verdicts(&contest), [Verdict::Slower]);
    let in_rounds = &asked[asked.len() - 3 * LEAST_ROUNDS..];
    for round in in_rounds.chunks(3) {
        assert_eq!(round.iter().filter(|who| **who == 1).count(), 1);
    }
    // Warm-up of so long runs is cut short.
    assert!(asked.len() - in_rounds.len() <= 6, "{}", asked.len());
    // A budget that was asked for is kept, and it's said which one would do.
    let (contest, asked) = run(LIMITS, &[1e9, 1.5e9], noise(1, 0.02));
    let outcome = contest.outcome().unwrap();
    assert!(asked.len() <= 10 && !outcome.is_clear(), "{outcome:?}");
    let limits = Limits {
        budget_ns: outcome.larger_budget_ns(),
        ..LIMITS
    };
    let (contest, _) = run(limits, &[1e9, 1.5e9], noise(1, 0.02));
    assert_eq!(verdicts(&contest), [Verdict::Slower]);
}

#[test]
fn so_many_runs_as_asked_for_are_made() {
    for rounds in [1, 3, 8] {
        let limits = Limits {
            rounds: Count::Exactly(rounds),
            budget_ns: 1.0,
            ..LIMITS
        };
        let (contest, asked) = run(limits, &[1e6, 2e6], noise(1, 0.02));
        let outcome = contest.outcome().unwrap();
        assert_eq!(contest.next(), Next::Done(Ending::Rounds));
        assert_eq!((outcome.rounds, asked.len()), (rounds, 3 * rounds));
        let expected = if rounds == 1 {
            Verdict::Inconclusive
        } else {
            Verdict::Slower
        };
        assert_eq!(verdicts(&contest), [expected], "{rounds} rounds");
    }
}

#[test]
fn contenders_that_take_about_as_long_run_equally_often_in_a_sample() {
    let iterations = |levels: &[f64]| {
        let (contest, _) = run(LIMITS, levels, noise(3, 0.02));
        let contenders = contest.outcome().unwrap().contenders;
        contenders
            .iter()
            .map(|one| one.iterations)
            .collect::<Vec<_>>()
    };
    let alike = iterations(&[900.0, 1_100.0, 400.0]);
    assert!(alike.iter().all(|one| *one == alike[0]), "{alike:?}");
    let unlike = iterations(&[100.0, 100_000.0]);
    assert!(unlike[0] > 100 * unlike[1], "{unlike:?}");
}

#[test]
fn every_contender_warms_up_before_the_first_round() {
    let (contest, _) = run(LIMITS, &[1e6, 1e6], |run| if run < 5 { 3.0 } else { 1.0 });
    let outcome = contest.outcome().unwrap();
    assert!(outcome.contenders[0].warmup > 0);
    assert_eq!(verdicts(&contest), [Verdict::Same]);
}

#[test]
fn a_clock_that_stands_still_or_tells_no_number_ends_all_the_same() {
    for told in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let mut contest = Contest::new(
            2,
            Limits {
                quantum_ns: 1e5,
                ..LIMITS
            },
        );
        let mut asked = 0;
        while let Next::Run { .. } = contest.next() {
            contest.add_run(told, 0.0);
            asked += 1;
            assert!(asked < 200_000, "{told}");
        }
        assert!(
            contest
                .outcome()
                .is_none_or(|outcome| outcome.pairs[0].judged.verdict != Verdict::Slower)
        );
    }
}

#[test]
fn one_contender_or_none_is_no_contest_and_ends() {
    assert_eq!(Contest::new(0, LIMITS).next(), Next::Done(Ending::Clear));
    assert_eq!(Contest::new(0, LIMITS).outcome(), None);
    let (contest, _) = run(LIMITS, &[1e6], noise(1, 0.01));
    assert_eq!(
        (contest.outcome().unwrap().pairs.len(), contest.next()),
        (0, Next::Done(Ending::Clear))
    );
}

#[test]
fn figures_are_of_the_runs_that_the_verdict_is_of() {
    let (mut contest, mut runs) = (Contest::new(2, LIMITS), 0.0);
    let mut random = noise(1, 0.01);
    while let Next::Run {
        contender,
        iterations,
    } = contest.next()
    {
        // The second one takes a little longer each time.
        runs += f64::from(contender == 1);
        let level = if contender == 1 {
            1e6 + 1e4 * runs
        } else {
            2e6
        };
        let took = level * iterations as f64 * random(0);
        contest.add_run(took, took);
    }
    let outcome = contest.outcome().unwrap();
    let medians: Vec<f64> = outcome.contenders.iter().map(|one| one.median_ns).collect();
    let (of_medians, ratio) = (medians[1] / medians[0], outcome.pairs[0].judged.ratio);
    assert!(
        (of_medians / ratio - 1.0).abs() < 0.05,
        "{of_medians} {ratio}"
    );
}
