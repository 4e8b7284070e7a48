//! Trainings of which one side ran on a loaded machine, and such that truly changed.

use super::*;
use crate::compare::{Options, Pair, compare};
use crate::statistics::Random;
use crate::testing::analyzed;
use crate::testing::scripted::{self, MAIN, MS, Script};

/// The laps of a step, with their time in milliseconds.
const LAPS: [(&str, f64); 4] = [
    ("data", 6.0),
    ("forward", 0.6),
    ("backward", 0.8),
    ("optimizer", 1.8),
];
const COMPARISONS: u64 = 200;

/// Surroundings of the laps of a run.
#[derive(Debug, Clone, Copy)]
struct Machine {
    /// Ratio by which it is slower; laps suffer by more or less of it.
    slower: f64,
    /// Probability that a millisecond of a lap is interrupted, by a few others.
    interrupted: f64,
}

const QUIET: Machine = Machine {
    slower: 1.0,
    interrupted: 0.0,
};

/// Runs a training of 120 steps with an evaluation behind each fortieth; laps take so many times as long.
fn run(machine: Machine, times: [f64; 4], random: &mut Random) -> Run {
    let mut script = Script::new(7, 0);
    script.name_track(MAIN, false, "main");
    let (mut now, mut delayed) = (1_000 * MS, 0_u64);
    let mut uniform = |low: f64, high: f64| low + (high - low) * random.unit();
    let mut level = |_| machine.slower.powf(uniform(0.75, 1.25)) * uniform(0.98, 1.02);
    let levels: Vec<f64> = (0..LAPS.len()).map(&mut level).collect();
    let mut lap = |at: usize, script: &mut Script, names: &[&str], now: &mut u64| {
        let worked = LAPS[at].1 * levels[at] * times[at] * uniform(0.95, 1.08);
        let is_hit = uniform(0.0, 1.0) < machine.interrupted * worked;
        let waited = if is_hit { uniform(1.0, 8.0) } else { 0.0 };
        let ns = ((worked + waited) * 1e6) as u64;
        script.span(names, *now, ns);
        delayed += (waited * 1e6) as u64;
        *now += ns;
    };
    for step in 0..120 {
        let began = now;
        for (at, (name, _)) in LAPS.into_iter().enumerate() {
            lap(at, &mut script, &["step", name], &mut now);
        }
        script.span(&["step"], began, now - began);
        if step % 40 == 39 {
            let began = now;
            for at in [0, 1] {
                lap(at, &mut script, &["evaluation", LAPS[at].0], &mut now);
            }
            script.span(&["evaluation"], began, now - began);
        }
    }
    script.delayed(MAIN, 1_000 * MS, 0);
    script.delayed(MAIN, now, delayed);
    script.header.closed = Some(scripted::anchor(now));
    analyzed::run("one.lap", &[script])
}

fn pair(base: Run, new: Run) -> Pair {
    let mut found = compare(&[base], &[vec![new]], &Options::default());
    found.pairs.remove(0)
}

/// Lists the paths that are said to be faster or slower.
fn told(pair: &Pair) -> Vec<&str> {
    let rows = pair.rows.iter().chain(&pair.step_to_step);
    let clear = rows.filter(|row| matches!(row.verdict, Some(Verdict::Faster | Verdict::Slower)));
    clear.map(|row| row.path.as_str()).collect()
}

#[test]
fn identical_programs_under_load_of_one_side_are_neither_faster_nor_slower() {
    let (mut random, mut wrong) = (Random::new(11), Vec::new());
    for number in 0..COMPARISONS {
        let load = Machine {
            slower: 1.0 + 0.4 * random.unit(),
            interrupted: if number % 2 == 0 {
                0.0
            } else {
                0.1 * random.unit()
            },
        };
        let quiet = run(QUIET, [1.0; 4], &mut random);
        let loaded = run(load, [1.0; 4], &mut random);
        let found = if number % 4 < 2 {
            pair(quiet, loaded)
        } else {
            pair(loaded, quiet)
        };
        let paths = told(&found);
        if matches!(found.verdict, Verdict::Faster | Verdict::Slower) || !paths.is_empty() {
            let rows = found
                .rows
                .iter()
                .map(|row| (&row.path, row.ratio_low, row.ratio_high));
            wrong.push(format!("{load:?} {paths:?} {:?}", rows.collect::<Vec<_>>()));
        }
    }
    assert!(
        wrong.len() as u64 * 100 <= COMPARISONS,
        "{}: {wrong:#?}",
        wrong.len()
    );
}

#[test]
fn a_lap_that_takes_30_percent_longer_on_a_quiet_machine_is_found_alone() {
    let mut random = Random::new(13);
    for number in 0..COMPARISONS {
        let at = number as usize % LAPS.len();
        let mut times = [1.0; 4];
        times[at] = 1.3;
        let base = run(QUIET, [1.0; 4], &mut random);
        let found = pair(base, run(QUIET, times, &mut random));
        let step = format!("step/{}", LAPS[at].0);
        let paths = told(&found);
        assert!(paths.contains(&step.as_str()), "{step}: {paths:?}");
        let others = LAPS.iter().enumerate().filter(|(other, _)| *other != at);
        for (_, (name, _)) in others {
            assert!(
                !paths.contains(&format!("step/{name}").as_str()),
                "{paths:?}"
            );
        }
    }
}

#[test]
fn a_model_of_half_the_size_is_faster_beside_data_that_is_not() {
    let mut random = Random::new(17);
    let base = run(QUIET, [1.0; 4], &mut random);
    let found = pair(base, run(QUIET, [1.0, 0.5, 0.5, 0.5], &mut random));
    let paths = told(&found);
    for path in ["step", "step/forward", "step/backward", "step/optimizer"] {
        assert!(paths.contains(&path), "{paths:?}");
    }
}

#[test]
fn a_machine_that_is_slower_as_a_whole_is_said_to_be() {
    let mut random = Random::new(19);
    let base = run(QUIET, [1.0; 4], &mut random);
    let found = pair(base, run(QUIET, [1.2; 4], &mut random));
    assert_eq!(
        (found.verdict, told(&found)),
        (Verdict::Inconclusive, vec![])
    );
    let Some(RowReason::OtherLapsAlike { ratio }) = found.whole.reason else {
        panic!("{:?}", found.whole.reason)
    };
    assert!((1.1..1.25).contains(&ratio), "{ratio}");
}
