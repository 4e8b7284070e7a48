use proptest::prelude::*;

use super::*;

const STEP: u64 = 1_000_000;

/// A program that is given inputs of these sizes, one after the other: each takes as long as `time` says, of its own
/// number and size.
struct Program {
    changes: Vec<InputSizes>,
    steps: Vec<Stretch>,
}

fn program(inputs: &[Sizes], time: impl Fn(usize, Sizes) -> f64) -> Program {
    let (mut changes, mut steps, mut at): (Vec<InputSizes>, Vec<Stretch>, u64) =
        (Vec::new(), Vec::new(), 0);
    for (index, sizes) in inputs.iter().enumerate() {
        let duration = time(index, *sizes) as u64;
        if changes.last().is_none_or(|last| last.sizes != *sizes) {
            changes.push(InputSizes {
                ticks: at + 10,
                track: 1,
                tensor: 0,
                holds: Holds::Integers,
                sizes: *sizes,
            });
        }
        steps.push(Stretch {
            start: at,
            count: 1,
            duration,
            end: at + duration,
            ..Stretch::default()
        });
        at += duration + STEP / 10;
    }
    Program { changes, steps }
}

impl Program {
    fn found(&self) -> Option<InputGrowth> {
        find(&self.changes, &self.steps, false)
    }
}

fn tokens(count: u64) -> Sizes {
    [1, count].into_iter().collect()
}

/// Steps that take some time, and more by element.
fn by_size(_: usize, sizes: Sizes) -> f64 {
    STEP as f64 + 20_000.0 * sizes.elements() as f64
}

/// Numbers of 0 to 1, as a generator gives them.
fn chance(index: usize) -> f64 {
    let mixed = (index as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 11) as f64 / (1_u64 << 53) as f64
}

#[test]
fn a_generation_without_a_cache_is_told_with_its_tokens() {
    let inputs: Vec<Sizes> = (12..412).map(tokens).collect();
    let found = program(&inputs, by_size).found().unwrap();
    assert_eq!((found.from, found.to), (tokens(12), tokens(411)));
    assert_eq!((found.tokens, found.is_each), (Some(1), true));
    assert!(found.long > 2.0 * found.short, "{found:?}");
    let extra = found.extra / (400.0 * STEP as f64);
    assert!((2.0..4.0).contains(&extra), "{extra}");
}

#[test]
fn several_generations_are_one_growth_each() {
    let inputs: Vec<Sizes> = (0..400).map(|index| tokens(8 + index % 40)).collect();
    let found = program(&inputs, by_size).found();
    assert!(found.is_none(), "it is no longer than 1.5 times: {found:?}");
    let slow = |_: usize, sizes: Sizes| 200_000.0 * sizes.elements() as f64;
    let found = program(&inputs, slow).found().unwrap();
    assert!(found.is_each);
}

#[test]
fn stages_of_a_curriculum_and_growing_pictures_are_no_generation() {
    let stages: Vec<Sizes> = [64, 128, 256]
        .iter()
        .flat_map(|size| vec![tokens(*size); 60])
        .collect();
    let found = program(&stages, by_size).found().unwrap();
    assert!(!found.is_each);
    let picture = |side: u64| -> Sizes { [16, 3, side, side].into_iter().collect() };
    let pictures: Vec<Sizes> = [32, 48, 64]
        .iter()
        .flat_map(|side| vec![picture(*side); 50])
        .collect();
    let found = program(&pictures, |_, sizes| 100.0 * sizes.elements() as f64)
        .found()
        .unwrap();
    assert_eq!((found.tokens, found.is_each), (None, false));
}

#[test]
fn programs_whose_inputs_do_not_grow_say_nothing() {
    let random: Vec<Sizes> = (0..300)
        .map(|index| tokens(16 + (500.0 * chance(index)) as u64))
        .collect();
    assert_eq!(
        program(&random, by_size).found(),
        None,
        "lengths in any order"
    );
    let one = vec![tokens(128); 300];
    let slower = |index: usize, _: Sizes| STEP as f64 * (1.0 + index as f64 / 50.0);
    assert_eq!(
        program(&one, slower).found(),
        None,
        "a machine that gets slower"
    );
    let cached: Vec<Sizes> = (0..300)
        .map(|index| tokens(if index == 0 { 12 } else { 1 }))
        .collect();
    assert_eq!(program(&cached, slower).found(), None, "a cache");
    let last = |index: usize| -> Sizes {
        [if index % 50 == 49 { 7 } else { 32 }, 128]
            .into_iter()
            .collect()
    };
    let batches: Vec<Sizes> = (0..300).map(last).collect();
    assert_eq!(
        program(&batches, by_size).found(),
        None,
        "a smaller last batch"
    );
    let growing: Vec<Sizes> = (12..312).map(tokens).collect();
    let same = |index: usize, _: Sizes| STEP as f64 * (1.0 + chance(index));
    assert_eq!(
        program(&growing, same).found(),
        None,
        "time that doesn't follow"
    );
    let long: Vec<Sizes> = (0..300).map(|index| tokens(12 + 10 * index)).collect();
    let drifts = |index: usize, _: Sizes| STEP as f64 * (1.0 + index as f64 / 300.0);
    let found = program(&long, drifts).found();
    assert_eq!(found, None, "slower by less than a model would be");
    let few: Vec<Sizes> = (100..400).map(|count| tokens(1_000 + count)).collect();
    let ever_slower = |index: usize, _: Sizes| STEP as f64 * (1.0 + index as f64 / 10.0);
    assert_eq!(
        program(&few, ever_slower).found(),
        None,
        "slower by more than it is longer"
    );
}

#[test]
fn an_input_of_several_is_told_by_the_one_that_grows() {
    let mut both = program(&(12..212).map(tokens).collect::<Vec<_>>(), by_size);
    for change in &mut both.changes {
        change.tensor = 1;
    }
    let source = InputSizes {
        tensor: 0,
        sizes: tokens(5_000),
        ..both.changes[0]
    };
    both.changes.insert(0, source);
    assert_eq!(both.found().map(|found| found.to), Some(tokens(211)));
}

#[test]
fn what_waits_for_a_device_after_a_call_is_told_until_the_next_one() {
    let inputs: Vec<Sizes> = (12..412).map(tokens).collect();
    let mut program = program(&inputs, by_size);
    for step in &mut program.steps {
        step.duration = STEP / 100;
        step.end = step.start + step.duration;
    }
    assert_eq!(program.found(), None);
    assert!(find(&program.changes, &program.steps, true).is_some());
}

proptest! {
    #[test]
    fn a_growth_is_found_below_noise_and_scales_with_the_clock(
        noise in prop::collection::vec(0.0..1.5_f64, 200), factor in 2.0..50.0_f64, by in 1_u64..4,
    ) {
        let inputs: Vec<Sizes> = (0..200).map(|index| tokens(12 + by * index)).collect();
        let time = |index: usize, sizes: Sizes| by_size(index, sizes) * (1.0 + noise[index]);
        let found = program(&inputs, time).found().expect("it grows");
        let scaled = program(&inputs, |index, sizes| factor * time(index, sizes)).found().expect("it grows");
        prop_assert!((scaled.long / found.long - factor).abs() < 0.01 * factor);
    }

    #[test]
    fn lengths_that_are_shuffled_say_nothing(
        lengths in prop::collection::vec(8_u64..600, 60..200),
    ) {
        let inputs: Vec<Sizes> = lengths.iter().map(|length| tokens(*length)).collect();
        let order: Vec<f64> = (0..lengths.len()).map(|index| index as f64).collect();
        let sizes: Vec<f64> = lengths.iter().map(|length| *length as f64).collect();
        prop_assume!(correlation(&order, &sizes) < LEAST_CORRELATION);
        prop_assert_eq!(program(&inputs, by_size).found(), None);
    }

    #[test]
    fn times_that_do_not_follow_sizes_say_nothing(
        times in prop::collection::vec(1.0..4.0_f64, 60..200),
    ) {
        let inputs: Vec<Sizes> = (0..times.len() as u64).map(|index| tokens(12 + index)).collect();
        let program = program(&inputs, |index, _| STEP as f64 * times[index]);
        let sizes: Vec<f64> = (0..times.len()).map(|index| index as f64).collect();
        prop_assume!(correlation(&sizes, &times) < 0.6);
        prop_assert_eq!(program.found(), None);
    }
}
