use super::super::*;
use crate::benchmark::verdict::Verdict;
use crate::testing::analyzed;
use crate::testing::scripted::{MS, Script};

/// Steps of a forward, of so long after it outside of all laps, and an evaluation beside after every tenth; none of 0 ms.
fn run(own_ms: u64, evaluation_ms: u64, seed: u64) -> Run {
    let mut script = Script::new(7, 0);
    let mut now = 0;
    for step in 0..60 {
        let noise = (step * 7_919 + seed * 104_729) % 1_009 * 100;
        let forward = 10 * MS + noise;
        script.span(&["step", "forward"], now, forward);
        script.span(&["step"], now, forward + own_ms * MS);
        now += forward + own_ms * MS;
        if step % 10 == 9 && evaluation_ms > 0 {
            let evaluation = evaluation_ms * MS + noise;
            script.span(&["evaluation"], now, evaluation);
            now += evaluation;
        }
    }
    script.header.closed = Some(crate::testing::scripted::anchor(now));
    analyzed::run(&format!("{seed}.lap"), &[script])
}

fn pair(base: [u64; 2], new: [u64; 2]) -> Pair {
    let side = |[own, evaluation]: [u64; 2], from| {
        (from..from + 3).map(move |seed| run(own, evaluation, seed))
    };
    let (base, new) = (side(base, 0).collect::<Vec<_>>(), side(new, 5).collect());
    compare(&base, &[new], &Options::default()).pairs.remove(0)
}

#[test]
fn what_no_lap_inside_takes_is_the_cause_as_well() {
    let pair = pair([1, 30], [3, 30]);
    assert_eq!(pair.verdict, Verdict::Slower);
    let cause = pair.cause.unwrap();
    assert_eq!(cause.parts, []);
    assert!((cause.own_ns.unwrap() - 2e6).abs() < 1e4);
}

#[test]
fn a_step_without_laps_inside_has_no_such_part() {
    let found = |own_ms| {
        let mut script = Script::new(7, 0);
        for step in 0..60 {
            script.span(&["step"], step * 20 * MS, own_ms * MS + step * 1_000);
        }
        script.header.closed = Some(crate::testing::scripted::anchor(1_200 * MS));
        analyzed::run("a.lap", &[script])
    };
    let pair = compare(&[found(5)], &[vec![found(9)]], &Options::default())
        .pairs
        .remove(0);
    assert_eq!((pair.verdict, pair.cause), (Verdict::Slower, None));
}

#[test]
fn beside_the_steps_a_difference_is_of_one_span_and_follows_from_the_medians() {
    let pair = pair([1, 30], [1, 90]);
    let row = pair
        .rows
        .iter()
        .find(|row| row.path == "evaluation")
        .unwrap();
    let (base, new) = (
        row.base.unwrap().median_ns.unwrap(),
        row.new.unwrap().median_ns.unwrap(),
    );
    assert!((row.median_difference_ns - (new - base)).abs() < 1e-6);
    assert!((row.ratio.unwrap() - new / base).abs() < 1e-9);
    assert!((row.median_difference_ns - 60e6).abs() < 1e6);
}

#[test]
fn what_only_one_side_has_beside_the_steps_differs_by_one_span() {
    for (base, new, expected) in [(0, 90, 90e6), (90, 0, -90e6)] {
        let pair = pair([1, base], [1, new]);
        let mut rows = pair.rows.iter();
        let row = rows.find(|row| row.path == "evaluation").unwrap();
        assert!((row.median_difference_ns - expected).abs() < 1e6, "{row:?}");
    }
}

/// Steps of two laps, of which one is longer by so much in two of five steps, and the other in two others.
fn turns(more_ms: u64, seed: u64) -> Run {
    let mut script = Script::new(7, 0);
    let mut now = 0;
    for step in 0..100 {
        let noise = (step * 7_919 + seed * 104_729) % 1_009 * 100;
        let lap = |in_turn: bool| 2 * MS + noise + if in_turn { more_ms * MS } else { 0 };
        let (first, second) = (lap(step % 5 < 2), lap((2..4).contains(&(step % 5))));
        script.span(&["step", "first"], now, first);
        script.span(&["step", "second"], now + first, second);
        script.span(&["step"], now, first + second);
        now += first + second;
    }
    script.header.closed = Some(crate::testing::scripted::anchor(now));
    analyzed::run(&format!("{seed}.lap"), &[script])
}

#[test]
fn laps_that_take_turns_at_being_slow_are_told_by_means_for_their_medians_stay() {
    let side = |more_ms, from| (from..from + 3).map(move |seed| turns(more_ms, seed));
    let base: Vec<Run> = side(0, 0).collect();
    let pair = compare(&base, &[side(10, 5).collect()], &Options::default())
        .pairs
        .remove(0);
    assert_eq!(pair.verdict, Verdict::Slower);
    let cause = pair.cause.unwrap();
    assert_eq!(cause.shares_of, Some(Average::Means));
    assert_eq!(cause.own_ns, None);
    let told: Vec<(&str, f64)> = cause
        .parts
        .iter()
        .map(|part| (part.path.as_str(), (part.difference_ns / 1e6).round()))
        .collect();
    assert_eq!(told.len(), 2);
    assert!(told.contains(&("step/first", 4.0)) && told.contains(&("step/second", 4.0)));
}
