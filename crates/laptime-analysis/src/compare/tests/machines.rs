//! Benchmarks of one machine and of two.

use laptime_core::Machine;

use super::benchmarks::{self, Benchmark, Measured};
use super::{Comparison, Options};
use crate::benchmark::verdict::Verdict;
use crate::summary::doubt::Doubt;

fn machine(processor: &str, python: &str) -> Machine {
    Machine {
        processor: Some(processor.to_owned()),
        cores: Some(4),
        system: None,
        python: Some(python.to_owned()),
    }
}

fn file(each: &[(&str, f64, Option<Machine>)]) -> Vec<Measured> {
    let benchmarks = each.iter().map(|(name, level, machine)| Benchmark {
        name: (*name).to_owned(),
        samples_ns: (0..40).map(|at| level + f64::from(at * 7 % 11)).collect(),
        machine: machine.clone(),
    });
    vec![Measured {
        name: "some.json".to_owned(),
        benchmarks: benchmarks.collect(),
    }]
}

fn compared(base: Option<Machine>, new: Option<Machine>, allow_different: bool) -> Comparison {
    let alike = || ("alike", 1e6, Some(machine("A", "3.12.1")));
    let options = Options {
        allow_different,
        ..Options::default()
    };
    benchmarks::compare(
        &file(&[("f", 1e6, base), alike()]),
        &[file(&[("f", 2e6, new), alike()])],
        &options,
    )
}

#[test]
fn times_of_two_machines_are_not_compared_unless_that_is_asked_for() {
    let differ = |allow| {
        compared(
            Some(machine("A", "3.12.1")),
            Some(machine("B", "3.12.1")),
            allow,
        )
    };
    let pair = &differ(false).pairs[0];
    assert_eq!(pair.verdict, Verdict::NotComparable);
    assert_eq!(pair.rows[0].reason, "the processor differs: A and B");
    assert_eq!(pair.rows[1].verdict, Some(Verdict::Same));
    assert_eq!(pair.differs.len(), 1);
    let pair = &differ(true).pairs[0];
    assert_eq!((pair.verdict, pair.differs.len()), (Verdict::Slower, 1));
}

#[test]
fn what_a_side_does_not_tell_is_no_difference_and_another_python_is_a_note() {
    let pair = &compared(None, Some(machine("B", "3.12.1")), false).pairs[0];
    assert_eq!((pair.verdict, pair.differs.len()), (Verdict::Slower, 0));
    let pair = &compared(
        Some(machine("A", "3.12.1")),
        Some(machine("A", "3.13.0")),
        false,
    )
    .pairs[0];
    assert_eq!((pair.verdict, pair.differs.len()), (Verdict::Slower, 0));
    let notes = pair.notes.iter().filter_map(Doubt::words);
    let notes: Vec<&str> = notes.map(|one| one.message.as_str()).collect();
    assert!(
        notes.contains(&"base ran with Python 3.12.1, new with 3.12.1 and 3.13.0: that may be part of the change"),
        "{notes:?}"
    );
}
