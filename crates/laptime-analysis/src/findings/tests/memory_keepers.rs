//! Which laps are named, by what each left and freed.

use proptest::prelude::*;

use super::super::memory_growth_in_steps::tests::steps_of;
use crate::findings::tests::found;
use crate::{Finding, Keeper, Passing};

/// The laps that are told of these, each with what it leaves by itself.
fn told(laps: &[(&[&str], i64)]) -> (Vec<Keeper>, Option<Passing>) {
    let left = |path: &[&str]| {
        let inside = laps.iter().filter(|(names, _)| names.starts_with(path));
        inside.map(|(_, bytes)| bytes).sum::<i64>()
    };
    let mut all: Vec<(&[&str], u64, u64, i64)> = Vec::new();
    for (index, (names, _)) in (0_u64..).zip(laps) {
        all.push((names, index, 1, left(names)));
    }
    all.push((&["step"], 0, 30, left(&["step"])));
    let findings = found(&steps_of(&all));
    let told = findings.iter().find_map(|one| match one {
        Finding::MemoryGrowth {
            keepers, passing, ..
        } => Some((keepers.clone(), passing.clone())),
        _ => None,
    });
    told.unwrap_or_else(|| panic!("{findings:?}"))
}

/// The laps of a step that are named, with thousands of bytes per step.
fn named(laps: &[(&str, i64)]) -> Vec<(String, u64)> {
    let paths: Vec<[&str; 2]> = laps.iter().map(|(name, _)| ["step", *name]).collect();
    let laps = paths.iter().zip(laps);
    let laps: Vec<(&[&str], i64)> = laps.map(|(path, (_, bytes))| (&path[..], *bytes)).collect();
    let keepers = told(&laps).0.into_iter();
    keepers
        .map(|one| (one.path, one.per_step_bytes / 1_000))
        .collect()
}

fn expected(laps: &[(&str, u64)]) -> Vec<(String, u64)> {
    let path = |(name, bytes): &(&str, u64)| (format!("step/{name}"), *bytes);
    laps.iter().map(path).collect()
}

#[test]
fn two_laps_that_keep_are_both_named_the_larger_first() {
    let laps = [("compute", 20_000), ("log", 50_000)];
    assert_eq!(named(&laps), expected(&[("log", 50), ("compute", 20)]));
}

#[test]
fn where_memory_passes_between_laps_that_is_told_beside_what_is_probable() {
    let laps: [(&[&str], i64); 4] = [
        (&["step", "forward"], 2_000_000),
        (&["step", "backward"], -2_000_000),
        (&["step", "log"], 500_000),
        (&["step", "read"], 10_000),
    ];
    let (keepers, passing) = told(&laps);
    let names: Vec<&str> = keepers.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(names, ["step/log"]);
    let passing = passing.unwrap();
    assert_eq!(
        (passing.from_path.as_str(), passing.to_path.as_str()),
        ("step/forward", "step/backward")
    );
    assert_eq!(
        (passing.from_bytes, passing.to_bytes),
        (2_000_000, -2_000_000)
    );
}

/// Found by laps that add up to it, the wrong side of the step was named first.
#[test]
fn a_module_that_keeps_a_part_of_what_its_backward_frees_is_not_blamed_on_others() {
    let laps: [(&[&str], i64); 9] = [
        (&["step", "forward"], 0),
        (&["step", "forward", "Net"], 0),
        (&["step", "backward"], 0),
        (&["step", "backward", "Net"], 0),
        (&["step", "forward", "Net", "a"], 110_000),
        (&["step", "forward", "Net", "b"], 50_000),
        (&["step", "backward", "Net", "b"], 8_000),
        (&["step", "backward", "Net", "a"], -160_000),
        (&["step", "optimizer"], 2_000),
    ];
    let (keepers, passing) = told(&laps);
    assert_eq!(keepers, []);
    let passing = passing.unwrap();
    assert_eq!(
        (passing.from_path.as_str(), passing.to_path.as_str()),
        ("step/forward", "step/backward")
    );
}

#[test]
fn a_lap_inside_of_which_memory_passes_stands_for_its_parts() {
    let laps: [(&[&str], i64); 5] = [
        (&["step", "round"], 0),
        (&["step", "round", "parse"], 110_000),
        (&["step", "round", "remember"], 2_000),
        (&["step", "round", "drop"], -100_000),
        (&["step", "log"], 1_000),
    ];
    let (keepers, passing) = told(&laps);
    assert_eq!(
        keepers,
        [Keeper {
            path: "step/round".to_owned(),
            per_step_bytes: 12_000
        }]
    );
    assert_eq!(passing, None);
}

#[test]
fn what_a_lap_of_an_even_part_frees_may_be_what_another_part_allocated() {
    let laps: [(&[&str], i64); 7] = [
        (&["step", "read"], 160_000),
        (&["step", "round"], 0),
        (&["step", "round", "parse"], -160_000),
        (&["step", "round", "remember"], 80_000),
        (&["step", "round", "drop"], 86_819),
        (&["step", "forward"], 0),
        (&["step", "forward", "a"], 15_000),
    ];
    assert!(told(&laps).1.is_some());
}

#[test]
fn what_a_step_frees_outside_of_its_laps_passes_too() {
    let laps: [(&[&str], i64); 2] = [(&["step", "parse"], 110_000), (&["step"], -100_000)];
    let (keepers, passing) = told(&laps);
    assert_eq!(keepers, []);
    assert_eq!(passing.unwrap().to_path, "step");
}

#[test]
fn of_many_laps_that_keep_the_three_largest_are_named_if_they_keep_most() {
    let laps = [("a", 10_000), ("b", 20_000), ("c", 30_000), ("d", 12_000)];
    let largest = [("c", 30), ("b", 20), ("d", 12)];
    assert_eq!(named(&laps), expected(&largest));
    let names: Vec<String> = (0..9).map(|index| format!("part{index}")).collect();
    let even: Vec<(&str, i64)> = names.iter().map(|name| (name.as_str(), 10_000)).collect();
    assert_eq!(named(&even), []);
}

/// Laps of a step, in order, by their names.
const LAPS: [&[&str]; 6] = [
    &["step", "read"],
    &["step", "round", "parse"],
    &["step", "round", "remember"],
    &["step", "round", "drop"],
    &["step", "forward", "a"],
    &["step", "log"],
];

/// Whether a lap may have what another one allocated: it was handed on, perhaps more than once.
fn is_handed(flows: &[(usize, usize, i64)], from: usize, to: usize) -> bool {
    let mut reached = vec![from];
    let mut at = 0;
    while let Some(lap) = reached.get(at).copied() {
        for (one, other, _) in flows {
            if *one == lap && !reached.contains(other) {
                reached.push(*other);
            }
        }
        at += 1;
    }
    reached.contains(&to)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Laps that allocate what others free, and one of them that keeps something of its own.
    #[test]
    fn a_lap_that_is_named_for_sure_keeps_it_or_hands_it_on(
        leaking in 0..LAPS.len(),
        leak in 5_000_i64..500_000,
        // Round sizes, as buffers have, so that laps look alike.
        flows in prop::collection::vec((0..LAPS.len(), 0..LAPS.len(), 1_i64..40), 0..5),
    ) {
        let flows: Vec<(usize, usize, i64)> = flows.into_iter()
            .filter(|(from, to, _)| from != to)
            .map(|(from, to, size)| (from, to, size * 5_000))
            .collect();
        let mut own = [0_i64; LAPS.len()];
        own[leaking] += leak;
        for (from, to, size) in &flows {
            own[*from] += size;
            own[*to] -= size;
        }
        let mut laps: Vec<(&[&str], i64)> = LAPS.into_iter().zip(own).collect();
        laps.extend([(&["step", "round"][..], 0), (&["step", "forward"][..], 0)]);
        let (keepers, passing) = told(&laps);
        let path = |lap: usize| LAPS[lap].join("/");
        let holds = |keeper: &Keeper, lap: usize| format!("{}/", path(lap)).starts_with(&format!("{}/", keeper.path));
        if passing.is_some() {
            prop_assert!(!flows.is_empty());
            return Ok(());
        }
        prop_assert!(!keepers.is_empty());
        let has_it = keepers.iter().any(|one| holds(one, leaking));
        let hands_it_on = || keepers.iter().any(|one| {
            (0..LAPS.len()).any(|lap| holds(one, lap) && is_handed(&flows, lap, leaking))
        });
        // Of one that gives as much as it takes, its own bytes say nothing: it is named who handed it that.
        prop_assert!(has_it || hands_it_on(), "{} in {keepers:?}, {own:?}", path(leaking));
        if flows.is_empty() {
            prop_assert_eq!(&keepers[0].path, &path(leaking));
        }
    }
}
