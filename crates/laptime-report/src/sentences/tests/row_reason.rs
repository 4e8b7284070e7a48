use laptime_analysis::benchmark::verdict::{Reason, SideName};
use laptime_analysis::compare::{self, Options, SampleFile};

use super::*;

/// The row of sides that have nothing.
fn row(reason: RowReason) -> ComparisonRow {
    let found =
        compare::benchmarks::compare(&[] as &[SampleFile], &[Vec::new()], &Options::default());
    let mut row = found.pairs[0].whole.clone();
    row.reason = Some(reason);
    row
}

#[test]
fn programs_without_a_common_lap_are_named() {
    let names = |name: &str| vec![name.to_owned()];
    let (base, new) = (names("fit.py"), names("server.py"));
    assert_eq!(
        sentence(&row(RowReason::OtherProgram { base, new })),
        "These are recordings of different programs, fit.py and server.py: they have no lap in common."
    );
}

#[test]
fn four_benchmarks_are_named_by_the_first_three() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let reason = RowReason::NoCommonBenchmark {
        base: names(&["a", "b", "c", "d"]),
        new: names(&[]),
    };
    assert_eq!(
        sentence(&row(reason)),
        "No benchmark is in both files: base has a, b, c and 1 more; new has none. Benchmarks are matched by their names."
    );
}

#[test]
fn durations_have_the_reason_of_their_verdict() {
    let beyond = Reason::Beyond {
        threshold_ratio: 0.01,
    };
    assert_eq!(
        sentence(&row(RowReason::Durations(beyond))),
        "The whole interval lies beyond the threshold of 1.0 %."
    );
    let empty = Reason::Empty(SideName::Base);
    assert_eq!(
        sentence(&row(RowReason::Durations(empty))),
        "The base side has no values."
    );
}
