//! Benchmarks of one machine and of two.

use laptime_core::Machine;

use super::*;
use crate::compare::{Benchmark, Fact};

fn machine(processor: &str, python: &str) -> Machine {
    Machine {
        processor: Some(processor.to_owned()),
        cores: Some(4),
        system: None,
        python: Some(python.to_owned()),
    }
}

fn file(each: &[(&str, f64, Option<Machine>)]) -> Vec<SampleFile> {
    let benchmarks = each.iter().map(|(name, level, machine)| Benchmark {
        name: (*name).to_owned(),
        samples_ns: (0..40).map(|at| level + f64::from(at * 7 % 11)).collect(),
        machine: machine.clone(),
    });
    vec![SampleFile {
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
    compare(
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
    let difference = Difference::Fact {
        fact: Fact::Processor,
        base: vec!["A".to_owned()],
        new: vec!["B".to_owned()],
    };
    assert_eq!(pair.rows[0].reason, Some(RowReason::Different(difference)));
    assert_eq!(pair.rows[1].verdict, Some(Verdict::Same));
    assert_eq!(pair.differences.len(), 1);
    let pair = &differ(true).pairs[0];
    assert_eq!((pair.verdict, pair.differences.len()), (Verdict::Slower, 1));
}

#[test]
fn what_a_side_does_not_tell_is_no_difference_and_another_python_is_a_note() {
    let pair = &compared(None, Some(machine("B", "3.12.1")), false).pairs[0];
    assert_eq!((pair.verdict, pair.differences.len()), (Verdict::Slower, 0));
    let pair = &compared(
        Some(machine("A", "3.12.1")),
        Some(machine("A", "3.13.0")),
        false,
    )
    .pairs[0];
    assert_eq!((pair.verdict, pair.differences.len()), (Verdict::Slower, 0));
    let note = Note::OtherPython {
        base: vec!["3.12.1".to_owned()],
        new: vec!["3.12.1".to_owned(), "3.13.0".to_owned()],
    };
    assert!(pair.notes.contains(&note), "{:?}", pair.notes);
}
