use super::super::tests::found;
use super::*;
use crate::testing::scripted::{MS, Script};

/// A cell of 4 s with 50 steps of 2 ms at its end, `loading_ms` of it in a lap of its own.
fn cell(loading_ms: u64) -> Script {
    let mut script = Script::new(7, 4_000 * MS);
    if loading_ms > 0 {
        script.span(&["cell", "load"], 10 * MS, loading_ms * MS);
    }
    for step in 0..50 {
        let start = (3_880 + 2 * step) * MS;
        script.span(&["cell", "step", "forward"], start, MS);
        script.span(&["cell", "step"], start, 2 * MS);
    }
    script.span(&["cell"], 0, 4_000 * MS);
    script
}

#[test]
fn a_cell_whose_steps_take_next_to_nothing_is_told_by_what_is_outside_of_them() {
    let all = found(&cell(0));
    let [
        Finding::OutsideSteps {
            path,
            step_path,
            outside_ns,
            part: None,
            ..
        },
    ] = &all[..]
    else {
        panic!("{all:?}");
    };
    assert_eq!(
        (path.as_str(), step_path.as_str(), *outside_ns),
        ("cell", "cell/step", 3_900 * MS)
    );
}

#[test]
fn the_lap_that_takes_most_beside_the_steps_is_named() {
    let all = found(&cell(3_000));
    let [
        Finding::OutsideSteps {
            part: Some(part),
            part_ns: Some(part_ns),
            ..
        },
    ] = &all[..]
    else {
        panic!("{all:?}");
    };
    assert_eq!((part.as_str(), *part_ns), ("cell/load", 3_000 * MS));
}

#[test]
fn a_lap_that_is_mostly_its_steps_is_none() {
    let mut script = Script::new(7, 1_000 * MS);
    for step in 0..60 {
        script.span(&["fit", "step"], (100 + 10 * step) * MS, 10 * MS);
    }
    script.span(&["fit"], 0, 1_000 * MS);
    let all = found(&script);
    assert!(
        all.iter()
            .all(|one| !matches!(one, Finding::OutsideSteps { .. })),
        "{all:?}"
    );
}
