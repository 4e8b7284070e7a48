use super::super::{Options, Run, compare};
use crate::benchmark::verdict::Verdict;
use crate::testing::analyzed;
use crate::testing::scripted::Script;

/// A number from -1 to 1 that looks like chance.
fn chance(seed: u64, which: u64) -> f64 {
    let mut bits = (seed << 32 | which).wrapping_add(0x9e37_79b9_7f4a_7c15);
    for by in [30, 27, 31] {
        bits = (bits ^ (bits >> by)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// A run of 60 steps on a machine that is up to a quarter slower or faster from run to run in `compute`, with
/// a lap `norm` of so many microseconds.
fn run(norm_us: u64, seed: u64) -> Run {
    let mut script = Script::new(7, 0);
    let mut now = 0;
    let level = 1.0 + 0.25 * chance(seed, 1_000);
    for step in 0..60 {
        let start = now;
        let compute = 5e6 * level * (1.0 + 0.02 * chance(seed, 4 * step));
        script.span(&["step", "compute"], now, compute as u64);
        now += compute as u64;
        let norm = norm_us as f64 * 1e3 * (1.0 + 0.02 * chance(seed, 4 * step + 1));
        script.span(&["step", "norm"], now, norm as u64);
        now += norm as u64;
        script.span(&["step"], start, now - start);
    }
    script.header.closed = Some(crate::testing::scripted::anchor(now));
    analyzed::run(&format!("{seed}.lap"), &[script])
}

fn side(norm_us: u64, from: u64) -> Vec<Run> {
    (from..from + 5).map(|seed| run(norm_us, seed)).collect()
}

/// A run of 30 steps of twelve layers, the first of which takes so many microseconds; where the machine is up to 40 %
/// slower or faster from run to run in all others.
fn layers(first_us: u64, seed: u64) -> Run {
    let mut script = Script::new(7, 0);
    let mut now = 0;
    let level = 1.0 + 0.4 * chance(seed, 1_000);
    for step in 0..30 {
        let start = now;
        for layer in 0..12 {
            let us = if layer == 0 {
                first_us as f64
            } else {
                1_000.0 * level
            };
            let noise = 1.0 + 0.02 * chance(seed, 100 * step + layer);
            let run_noise = 1.0 + 0.004 * chance(seed, 2_000 + layer);
            let took = (us * noise * run_noise * 1e3) as u64;
            script.span(&["step", &format!("layer {layer}")], now, took);
            now += took;
        }
        script.span(&["step"], start, now - start);
    }
    script.header.closed = Some(crate::testing::scripted::anchor(now));
    analyzed::run(&format!("{seed}.lap"), &[script])
}

#[test]
fn three_runs_a_side_said_less_of_a_slower_lap_than_its_row() {
    // Seeds whose steps seem to be slower and can't tell.
    let mut told = 0;
    for at in 0..12 {
        for slower in [1_300, 1_250] {
            let side = |us, from: u64| -> Vec<Run> {
                (from..from + 3).map(|seed| layers(us, seed)).collect()
            };
            let found = compare(
                &side(1_000, 20 * at),
                &[side(slower, 20 * at + 10)],
                &Options::default(),
            );
            let pair = &found.pairs[0];
            let row = pair.rows.iter().find(|row| row.path == "step/layer 0");
            assert_eq!(row.unwrap().verdict, Some(Verdict::Slower), "{row:?}");
            if pair.whole.verdict != Some(Verdict::Inconclusive) {
                continue;
            }
            assert_eq!(pair.changed_lap.as_ref().unwrap().path, "step/layer 0");
            if pair.whole.ratio > Some(1.0) {
                assert_eq!(pair.verdict, Verdict::Slower);
                told += 1;
            }
        }
    }
    assert!(told >= 4, "{told}");
}

#[test]
fn a_lap_that_surely_changed_is_told_where_steps_differ_too_much_and_decides_if_they_agree() {
    let mut decided = [0, 0];
    for at in 0..8 {
        let (usual, slow) = (side(300, 20 * at), side(700, 20 * at + 10));
        for (base, new, verdict, sign) in [
            (&usual, &slow, Verdict::Slower, 1.0),
            (&slow, &usual, Verdict::Faster, -1.0),
        ] {
            let mut found = compare(base, std::slice::from_ref(new), &Options::default());
            let pair = found.pairs.remove(0);
            let seems_so = pair
                .whole
                .ratio
                .is_some_and(|ratio| sign * ratio.ln() >= 0.0);
            if pair.whole.verdict != Some(Verdict::Inconclusive) {
                assert_eq!(pair.changed_lap, None);
                continue;
            }
            let inside = pair.changed_lap.unwrap();
            assert_eq!(inside.path, "step/norm");
            assert!((sign * inside.difference_ns - 400_000.0).abs() < 20_000.0);
            let expected = if seems_so {
                verdict
            } else {
                Verdict::Inconclusive
            };
            assert_eq!(pair.verdict, expected);
            decided[usize::from(seems_so)] += 1;
        }
    }
    assert!(decided[1] >= 4 && decided[0] > 0, "{decided:?}");
}

#[test]
fn identical_programs_have_none() {
    let wrong = (0..60).filter(|at| {
        let found = compare(
            &side(300, 20 * at),
            &[side(300, 20 * at + 10)],
            &Options::default(),
        );
        found.pairs[0].verdict != Verdict::Inconclusive && found.pairs[0].verdict != Verdict::Same
    });
    assert!(wrong.count() <= 1);
}

#[test]
fn single_runs_tell_nothing_of_others() {
    let found = compare(&[run(300, 1)], &[vec![run(700, 2)]], &Options::default());
    assert_eq!(found.pairs[0].changed_lap, None);
}
