use super::*;
use crate::Options;
use crate::summary::headline::{Part, PartName, StepDuration, StepHeadline};
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{MS, Script};

/// The headline of a process, with its steady state.
fn headline_of(script: Script) -> Headline {
    headline(&summarize(&[script], Options::default()), true)
}

/// The parts that are named, in hundredths of the run.
fn named(headline: &Headline) -> Vec<(PartName, u64)> {
    let parts = headline.parts.named.iter();
    let hundredth = |part: &Part| (part.ratio * 100.0).round() as u64;
    parts
        .map(|part| (part.name.clone(), hundredth(part)))
        .collect()
}

fn leftover(name: &str) -> PartName {
    PartName::Leftover(name.to_owned())
}

#[test]
fn four_parts_are_named_and_the_others_are_counted() {
    let mut script = Script::new(7, 100 * MS);
    for (index, name) in ["a", "b", "c", "d", "e"].into_iter().enumerate() {
        let index = index as u64;
        script.span(&[name], 20 * index * MS, (20 - 3 * index) * MS);
    }
    let headline = headline_of(script);
    let lap = |name: &str| PartName::Lap(name.to_owned());
    let expected = [
        (lap("a"), 20),
        (leftover("other"), 18),
        (lap("b"), 17),
        (lap("c"), 14),
    ];
    assert_eq!(named(&headline), expected);
    assert_eq!(headline.parts.others.map(|others| others.count), Some(3));
    assert_eq!(headline.step, StepPart::Absent);
}

#[test]
fn a_lap_that_is_called_training_is_one_part_with_the_steps_that_train() {
    let mut script = Script::new(7, 1_000 * MS);
    for step in 0..20 {
        let start = step * 10 * MS;
        script.span(&["step", "backward"], start, 6 * MS);
        script.span(&["step"], start, 10 * MS);
    }
    script.span(&["training"], 200 * MS, 300 * MS);
    let expected = [(PartName::Training, 50), (leftover("exit"), 50)];
    assert_eq!(named(&headline_of(script)), expected);
}

#[test]
fn the_mean_stands_beside_a_median_that_is_far_from_it() {
    let duration = |long: u64| {
        let mut script = Script::new(7, 2_000 * MS);
        for step in 0..20 {
            let ms = if step % 4 == 3 { long } else { 10 };
            script.span(&["batch"], step * 60 * MS, ms * MS);
        }
        match headline_of(script).step {
            StepPart::Told(StepHeadline { duration, path, .. }) => (path, duration),
            other => panic!("{other:?}"),
        }
    };
    let (path, even) = duration(11);
    assert_eq!(path, "batch");
    let is_near = matches!(even, StepDuration::OnHost { mean_ns: None, .. });
    assert!(is_near, "{even:?}");
    let (_, uneven) = duration(50);
    let expected_ns = 20 * MS;
    let is_far =
        matches!(uneven, StepDuration::OnHost { mean_ns: Some(ns), .. } if ns == expected_ns);
    assert!(is_far, "{uneven:?}");
}
