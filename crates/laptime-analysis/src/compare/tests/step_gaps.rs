use super::*;
use crate::benchmark::verdict::Verdict;
use crate::compare::Note;
use crate::testing::analyzed;
use crate::testing::scripted::{MS, Script};

/// A training's work in a step and after it.
#[derive(Clone, Copy)]
struct Paced {
    step_us: u64,
    pause_us: u64,
    /// A lap in the pause.
    lap: Option<&'static str>,
    /// After each twentieth step something far longer.
    evaluation_ms: u64,
}

const QUICK: Paced = Paced {
    step_us: 300,
    pause_us: 100,
    lap: None,
    evaluation_ms: 0,
};

/// A number from 0 to 1 that looks like chance.
fn chance(seed: u64, step: u64) -> f64 {
    let mut bits = (seed << 32 | step).wrapping_add(0x9e37_79b9_7f4a_7c15);
    for by in [30, 27, 31] {
        bits = (bits ^ (bits >> by)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

/// A run of 200 steps.
fn run(of: Paced, seed: u64) -> Run {
    let mut script = Script::new(7, 0);
    let mut now = 0;
    for step in 0..200 {
        let noise = |which: u64| (20_000.0 * chance(seed, 4 * step + which)) as u64;
        let ns = of.step_us * 1_000 + noise(0);
        script.span(&["step"], now, ns);
        now += ns;
        let pause = of.pause_us * 1_000 + noise(1);
        if let Some(lap) = of.lap {
            script.span(&[lap], now, pause);
        }
        now += pause;
        if step % 20 == 19 {
            // Evaluations differ by a lot among themselves.
            now +=
                (of.evaluation_ms as f64 * MS as f64 * (0.5 + chance(seed, 4 * step + 2))) as u64;
        }
    }
    script.header.closed = Some(crate::testing::scripted::anchor(now));
    analyzed::run(&format!("{seed}.lap"), &[script])
}

fn pair_of(base: &[Run], new: &[Run]) -> Pair {
    let mut found = compare(base, &[new.to_vec()], &Options::default());
    found.pairs.remove(0)
}

/// The change between the steps, and the lap that makes it.
fn note(pair: &Pair) -> Option<(f64, Option<&str>)> {
    pair.notes.iter().find_map(|note| match note {
        Note::StepGaps { change_ns, lap } => {
            Some((*change_ns, lap.as_ref().map(|(path, _)| path.as_str())))
        }
        _ => None,
    })
}

#[test]
fn more_between_the_steps_makes_the_training_slower() {
    let long = Paced {
        pause_us: 700,
        ..QUICK
    };
    let pair = pair_of(&[run(QUICK, 1)], &[run(long, 2)]);
    assert_eq!(pair.verdict, Verdict::Slower);
    assert_ne!(pair.whole.verdict, Some(Verdict::Slower));
    let row = pair.step_to_step.as_ref().unwrap();
    assert_eq!(row.path, "step to step");
    assert!(
        (row.median_difference_ns / 6e5 - 1.0).abs() < 0.05,
        "{row:?}"
    );
    assert!((row.own_median_difference_ns / 6e5 - 1.0).abs() < 0.05);
    assert!(matches!(note(&pair), Some((change_ns, None)) if change_ns > 0.0));
    let swapped = pair_of(&[run(long, 1)], &[run(QUICK, 2)]);
    assert_eq!(swapped.verdict, Verdict::Faster);
    assert!(matches!(note(&swapped), Some((change_ns, None)) if change_ns < 0.0));
    // Of several runs, the runs tell.
    let several =
        |of: Paced, from: u64| -> Vec<Run> { (from..from + 5).map(|seed| run(of, seed)).collect() };
    assert_eq!(
        pair_of(&several(QUICK, 1), &several(long, 6)).verdict,
        Verdict::Slower
    );
    let mixed = [run(QUICK, 1), run(long, 2)];
    let pair = pair_of(&mixed, &[run(QUICK, 3), run(long, 4)]);
    assert!(!matches!(pair.verdict, Verdict::Slower | Verdict::Faster));
}

#[test]
fn the_lap_between_the_steps_is_named() {
    let with = |pause_us: u64| Paced {
        pause_us,
        lap: Some("data"),
        ..QUICK
    };
    let pair = pair_of(&[run(with(100), 1)], &[run(with(700), 2)]);
    assert!(matches!(note(&pair), Some((_, Some("data")))));
}

#[test]
fn work_moved_out_of_the_step_makes_nothing_faster() {
    let moved = Paced {
        step_us: 200,
        pause_us: 400,
        ..QUICK
    };
    let pair = pair_of(&[run(QUICK, 1)], &[run(moved, 2)]);
    assert_eq!(pair.whole.verdict, Some(Verdict::Faster));
    assert_eq!(pair.verdict, Verdict::Slower);
}

#[test]
fn a_slower_step_is_slower_whatever_passes_between() {
    let slow = Paced {
        step_us: 400,
        ..QUICK
    };
    let pair = pair_of(&[run(QUICK, 1)], &[run(slow, 2)]);
    assert_eq!(pair.verdict, Verdict::Slower);
    assert_eq!(pair.whole.verdict, Some(Verdict::Slower));
    assert_eq!(note(&pair), None);
}

#[test]
fn steps_that_follow_each_other_have_no_row_for_it() {
    let none = Paced {
        pause_us: 0,
        step_us: 3_000,
        ..QUICK
    };
    assert_eq!(pair_of(&[run(none, 1)], &[run(none, 2)]).step_to_step, None);
}

/// Checks that of 200 comparisons of identical programs, whose evaluations make periods heavy-tailed, no more than a few
/// in a hundred have a verdict.
#[test]
fn identical_programs_are_neither_slower_nor_faster() {
    let evaluating = Paced {
        evaluation_ms: 40,
        ..QUICK
    };
    for runs in [1, 5] {
        let side = |from: u64| -> Vec<Run> {
            (from..from + runs)
                .map(|seed| run(evaluating, seed))
                .collect()
        };
        let pairs: u64 = if runs == 1 { 150 } else { 40 };
        let wrong = (0..pairs).filter(|at| {
            let pair = pair_of(&side(2 * runs * at), &side(2 * runs * at + runs));
            assert!(pair.step_to_step.is_some());
            matches!(pair.verdict, Verdict::Slower | Verdict::Faster)
        });
        assert!(wrong.count() as u64 <= pairs / 50, "{runs} runs a side");
    }
}

#[test]
fn requests_wait_for_those_who_ask() {
    let served = |pause_us: u64, seed: u64| {
        let mut script = Script::new(7, 0);
        let mut now = 0;
        for request in 0..100 {
            let ns = 300_000 + (5_000.0 * chance(seed, request)) as u64;
            script.span(&["request"], now, ns);
            now += ns + pause_us * 1_000;
        }
        script.header.closed = Some(crate::testing::scripted::anchor(now));
        [analyzed::run("served.lap", &[script])]
    };
    let pair = pair_of(&served(100, 1), &served(700, 2));
    assert_eq!((pair.noun.as_str(), &pair.step_to_step), ("request", &None));
}
