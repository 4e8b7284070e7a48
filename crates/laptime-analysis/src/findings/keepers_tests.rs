//! Which laps are named, by what each left and freed.

use super::super::memory::tests::steps_of;
use crate::Finding;
use crate::findings::tests::found;

/// The laps that are named, with thousands of bytes per step.
fn named(laps: &[(&str, i64)]) -> Vec<(String, u64)> {
    let paths: Vec<[&str; 2]> = laps.iter().map(|(name, _)| ["step", *name]).collect();
    let mut all: Vec<(&[&str], u64, u64, i64)> = Vec::new();
    for (index, (_, bytes)) in (0_u64..).zip(laps) {
        all.push((&paths[index as usize][..], 2 * index, 2, *bytes));
    }
    let left = laps.iter().map(|(_, bytes)| bytes).sum();
    all.push((&["step"], 0, 30, left));
    let findings = found(&steps_of(&all));
    let keepers = findings.iter().find_map(|one| match one {
        Finding::MemoryGrowth { keepers, .. } => Some(keepers),
        _ => None,
    });
    let keepers = keepers.unwrap_or_else(|| panic!("{findings:?}")).iter();
    keepers
        .map(|one| (one.path.clone(), one.per_step_bytes / 1_000))
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
fn two_laps_that_keep_are_named_beside_one_that_frees_what_another_holds() {
    let laps = [
        ("read", 2_000_000),
        ("keep", 500_000),
        ("extra", 300_000),
        ("free", -2_000_000),
    ];
    assert_eq!(named(&laps), expected(&[("keep", 500), ("extra", 300)]));
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

#[test]
fn laps_that_add_up_in_more_than_one_way_are_not_named() {
    let laps = [
        ("a", 40_000),
        ("b", 60_000),
        ("c", 41_000),
        ("d", 59_000),
        ("free", -100_000),
    ];
    assert_eq!(named(&laps), []);
}
