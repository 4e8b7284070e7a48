use super::super::sampled_times::tests::{library, own, tree};
use super::*;
use crate::statistics::Random;

const SECOND: f64 = 1e9;

/// A program: stacks, each with the seconds that it takes in a run.
type Program = Vec<(Vec<String>, f64)>;

fn program(stacks: &[(&[&str], f64)]) -> Program {
    let each = stacks.iter();
    each.map(|(names, seconds)| {
        (
            names.iter().map(|name| (*name).to_owned()).collect(),
            *seconds,
        )
    })
    .collect()
}

/// Samples a run of a program so often: a sample is in a stack as likely as the stack takes time, and stands for a time
/// of its own, some up to so many times longer than others. The run may take longer by some ratio.
fn sampled(
    of: &Program,
    samples: usize,
    uneven: f64,
    slower: f64,
    random: &mut Random,
) -> RunTimes {
    let seconds: f64 = of.iter().map(|(_, seconds)| seconds).sum();
    let mut weights: Vec<f64> = (0..samples)
        .map(|_| 1.0 + (uneven - 1.0) * random.unit().powi(4))
        .collect();
    let sum: f64 = weights.iter().sum();
    for weight in &mut weights {
        *weight *= slower * seconds * SECOND / sum;
    }
    let stacks = weights.into_iter().map(|weight| {
        let mut at = random.unit() * seconds;
        let mut stacks = of.iter();
        let found = stacks.find(|(_, seconds)| {
            at -= seconds;
            at < 0.0
        });
        let (names, _) = found.unwrap_or(&of[0]);
        (&names[..], weight as u64)
    });
    let stacks: Vec<(&[String], u64)> = stacks.collect();
    RunTimes::of_tree(&tree(&stacks), 1.0)
}

/// Makes up a program of 2 to 20 functions that call each other, and functions of packages.
fn generated(random: &mut Random) -> Program {
    let mut stacks: Vec<Vec<String>> = vec![vec!["main".to_owned()]];
    for number in 0..2 + random.below(19) {
        let mut names = stacks[random.below(stacks.len())].clone();
        if names.len() < 5 && !names.iter().any(|name| name.contains('.')) {
            let package = if random.below(4) == 0 { "numpy." } else { "" };
            names.push(format!("{package}f{number}"));
            stacks.push(names);
        }
    }
    let weigh = |names| (names, random.unit().powi(3) + 1e-3);
    stacks.into_iter().map(weigh).collect()
}

fn named(found: &FunctionChanges) -> Vec<&CallKind> {
    found.changed().map(|row| &row.call).collect()
}

/// Compares two sides of one program many times, of which the new one may take longer by up to such a ratio; counts the
/// comparisons that say of a function what they should not.
fn wrong_of(runs: usize, busy: f64, is_wrong: fn(&FunctionRow) -> bool) -> usize {
    let mut random = Random::new(7);
    let wrong = (0..PAIRS).filter(|_| {
        let program = generated(&mut random);
        let mut side = |samples: usize, uneven: f64, slower: f64| -> Vec<RunTimes> {
            (0..runs)
                .map(|_| {
                    let slower = slower * (1.0 + 0.04 * random.unit());
                    sampled(&program, samples, uneven, slower, &mut random)
                })
                .collect()
        };
        let base = side(700, 3.0, 1.0);
        // A busy machine is looked at less often.
        let new = side(250, 20.0, 1.0 + busy * (random_share(&base)));
        compare(None, &base, &new, 0.01).rows.iter().any(is_wrong)
    });
    wrong.count()
}

/// Returns a number below 1 that is another one for each side.
fn random_share(side: &[RunTimes]) -> f64 {
    (side[0].whole.squared_ns2 / 1e6).fract()
}

const PAIRS: usize = 400;

#[test]
fn two_runs_of_one_program_name_no_function_in_99_of_100_comparisons() {
    for runs in [1, 4] {
        let wrong = wrong_of(runs, 0.0, |row| row.changed.is_some());
        assert!(
            wrong * 100 <= PAIRS,
            "{wrong} of {PAIRS} name one, with {runs} a side"
        );
    }
}

#[test]
fn functions_that_differ_from_run_to_run_are_named_in_few_comparisons() {
    // Each function of each run takes longer or less by a factor of its own, as caches, networks and disks do.
    for (runs, spread, most) in [(3, 0.2, 3), (4, 0.3, 3), (5, 0.5, 3)] {
        let mut random = Random::new(23);
        let wrong = (0..PAIRS).filter(|_| {
            let program = generated(&mut random);
            let mut side = || -> Vec<RunTimes> {
                (0..runs)
                    .map(|_| {
                        let mut varied = program.clone();
                        for stack in &mut varied {
                            let normal: f64 = (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
                            stack.1 *= (spread * normal).exp();
                        }
                        sampled(&varied, 400, 3.0, 1.0, &mut random)
                    })
                    .collect()
            };
            let (base, new) = (side(), side());
            let found = compare(None, &base, &new, 0.01);
            found.changed().next().is_some()
        });
        let wrong = wrong.count();
        assert!(
            wrong * 100 <= most * PAIRS,
            "{wrong} of {PAIRS} name one, with {runs} runs a side that differ by {spread}"
        );
    }
}

#[test]
fn a_function_is_named_exactly_where_its_interval_leaves_out_no_change() {
    let mut random = Random::new(29);
    for runs in [1, 3] {
        for _ in 0..100 {
            let mut program = generated(&mut random);
            let mut side = |program: &Program, samples: usize| -> Vec<RunTimes> {
                (0..runs)
                    .map(|_| sampled(program, samples, 3.0, 1.0, &mut random))
                    .collect()
            };
            let base = side(&program, 200);
            program[1].1 *= 4.0;
            let new = side(&program, 200);
            for row in compare(None, &base, &new, 0.01).rows {
                let is_apart = row.own.difference_ns.abs() > row.own.within_ns;
                match row.changed {
                    Some(ChangedPart::Total) => {
                        assert!(row.total.difference_ns.abs() > row.total.within_ns);
                    }
                    Some(ChangedPart::Own) => assert!(is_apart, "{row:?}"),
                    None => assert_eq!(is_apart, row.doubt.is_some(), "{row:?}"),
                }
            }
        }
    }
}

#[test]
fn a_function_that_grows_beside_garbage_collection_is_named_where_the_others_did_not() {
    let job = |load: f64, collection: f64| {
        program(&[
            (&["main", "extract"], 0.6),
            (&["main", "transform"], 0.65),
            (&["main", "load"], load),
            (&["collection"], collection),
        ])
    };
    for (runs, samples) in [(1, 150), (3, 150)] {
        let mut random = Random::new(31);
        let mut side = |program: &Program| -> Vec<RunTimes> {
            (0..runs)
                .map(|_| sampled(program, samples, 1.5, 1.0, &mut random))
                .collect()
        };
        let (base, new) = (side(&job(0.15, 0.42)), side(&job(1.1, 1.2)));
        let found = compare(None, &base, &new, 0.01);
        assert_eq!(found.alike_ratio, None);
        assert!(named(&found).contains(&&own("load")), "{found:#?}");
        for name in ["extract", "transform"] {
            assert!(!named(&found).contains(&&own(name)), "{found:#?}");
        }
    }
}

#[test]
fn on_a_busy_machine_no_function_stands_out_in_99_of_100_comparisons() {
    for runs in [1, 3] {
        let wrong = wrong_of(runs, 1.0, |row| row.changed.is_some() && row.stands_out);
        assert!(
            wrong * 100 <= PAIRS,
            "in {wrong} of {PAIRS} one does, with {runs} runs a side"
        );
    }
}

#[test]
fn a_function_of_a_fifth_or_more_that_takes_30_percent_longer_is_named_in_95_of_100_comparisons() {
    let mut random = Random::new(11);
    let (mut pairs, mut right) = (0, 0);
    while pairs < 300 {
        let mut program = generated(&mut random);
        let Some(at) = (0..program.len())
            .find(|at| !program[*at].0.last().is_some_and(|name| name.contains('.')))
        else {
            continue;
        };
        let at = at + random.below(program.len() - at);
        let function = program[at]
            .0
            .iter()
            .rfind(|name| !name.contains('.'))
            .cloned()
            .unwrap();
        let seconds: f64 = program.iter().map(|(_, seconds)| seconds).sum();
        let is_in =
            |stack: &[String]| stack.iter().rfind(|name| !name.contains('.')) == Some(&function);
        let part: f64 = program
            .iter()
            .filter(|one| is_in(&one.0))
            .map(|one| one.1)
            .sum();
        if !(0.2..0.7).contains(&(part / seconds)) {
            continue;
        }
        // 500 samples of the function a side, or more.
        let samples = (560.0 * seconds / part) as usize;
        let base = sampled(&program, samples, 2.0, 1.0, &mut random);
        for stack in &mut program {
            stack.1 *= if is_in(&stack.0) { 1.3 } else { 1.0 };
        }
        let new = sampled(&program, samples, 2.0, 1.0, &mut random);
        let found = compare(None, &[base], &[new], 0.01);
        pairs += 1;
        right += usize::from(named(&found).first() == Some(&&own(&function)));
    }
    assert!(right * 100 >= pairs * 95, "{right} of {pairs} name it");
}

fn compared(base: &Program, new: &Program, samples: usize) -> FunctionChanges {
    let mut random = Random::new(3);
    let mut side = |program: &Program| sampled(program, samples, 1.5, 1.0, &mut random);
    let (base, new) = (side(base), side(new));
    compare(None, &[base], &[new], 0.01)
}

#[test]
fn a_change_in_a_package_is_told_with_the_function_that_calls_it() {
    let job = |seconds| {
        program(&[
            (&["main", "load", "pandas.apply"], seconds),
            (&["main", "load"], 0.2),
            (&["main", "save"], 2.0),
        ])
    };
    let found = compared(&job(1.0), &job(1.8), 2_000);
    assert_eq!(named(&found), [&own("load")]);
    let library_change = found.rows[0].library.as_ref().unwrap();
    assert_eq!(library_change.call, library("apply", "pandas"));
    assert!((library_change.difference_ns / 0.8e9 - 1.0).abs() < 0.2);
}

#[test]
fn a_function_that_many_short_ones_make_slower_is_named_itself() {
    let job = |seconds: f64| {
        let short: Vec<Vec<String>> = (0..60)
            .map(|number| vec!["main".to_owned(), "clean".to_owned(), format!("f{number}")])
            .collect();
        let mut all: Program = short
            .into_iter()
            .map(|names| (names, seconds / 60.0))
            .collect();
        all.extend(program(&[(&["main", "save"], 3.0)]));
        all
    };
    let found = compared(&job(1.0), &job(1.4), 3_000);
    assert_eq!(named(&found), [&own("clean")]);
    let row = found.changed().next().unwrap();
    assert_eq!(row.changed, Some(ChangedPart::Total));
}

#[test]
fn where_all_functions_take_longer_alike_none_is_named() {
    let job = program(&[
        (&["main", "load"], 1.0),
        (&["main", "clean"], 2.0),
        (&["main", "save"], 3.0),
    ]);
    let mut random = Random::new(5);
    let base = sampled(&job, 4_000, 1.5, 1.0, &mut random);
    let new = sampled(&job, 3_000, 1.5, 1.4, &mut random);
    let found = compare(None, &[base], &[new], 0.01);
    assert_eq!(named(&found), Vec::<&CallKind>::new());
    assert!((found.alike_ratio.unwrap() - 1.4).abs() < 0.01, "{found:?}");
}

#[test]
fn a_function_without_samples_on_a_side_is_named_and_its_time_bounded() {
    let base = program(&[(&["main", "load"], 2.0), (&["main", "clean"], 1.0)]);
    let new = program(&[(&["main", "load"], 2.0), (&["main", "load", "check"], 1.0)]);
    let found = compared(&base, &new, 1_000);
    let rows: Vec<_> = found
        .changed()
        .map(|row| (&row.call, row.base.is_some(), row.new.is_some()))
        .collect();
    let [clean, check] = [own("clean"), own("check")];
    assert!(rows.contains(&(&clean, true, false)), "{rows:?}");
    assert!(rows.contains(&(&check, false, true)), "{rows:?}");
    assert_eq!(rows.len(), 2);
    // Of 1,000 samples in 3 s, three stand for 9 ms.
    let below = found
        .changed()
        .map(|row| row.unsampled_below_ns.unwrap() / 1e6);
    for ms in below {
        assert!((ms - 9.0).abs() < 1.0, "{ms}");
    }
}

#[test]
fn swapping_the_sides_changes_signs_alone() {
    let mut random = Random::new(17);
    for _ in 0..20 {
        let (one, other) = (generated(&mut random), generated(&mut random));
        let one = sampled(&one, 600, 3.0, 1.0, &mut random);
        let other = sampled(&other, 900, 3.0, 1.0, &mut random);
        let there = compare(
            None,
            std::slice::from_ref(&one),
            std::slice::from_ref(&other),
            0.01,
        );
        let back = compare(None, &[other], &[one], 0.01);
        for row in &there.rows {
            let is_same =
                |two: &&FunctionRow| two.call == *row.before.as_ref().unwrap_or(&row.call);
            let mirrored = back.rows.iter().find(is_same).unwrap();
            let back = TimeDifference {
                difference_ns: -mirrored.own.difference_ns,
                ..mirrored.own
            };
            assert_eq!(row.own, back);
        }
    }
}
