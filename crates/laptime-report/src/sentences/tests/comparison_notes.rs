use laptime_analysis::benchmark::verdict::Verdict;
use laptime_analysis::compare::{self, Options, SampleFile};

use super::*;

/// The message of a note on steps.
fn message(note: Note) -> String {
    let found =
        compare::benchmarks::compare(&[] as &[SampleFile], &[Vec::new()], &Options::default());
    let mut pair = found.pairs[0].clone();
    pair.noun = "step".to_owned();
    pair.notes = vec![note];
    warnings(&pair).remove(0).message
}

#[test]
fn time_between_the_steps_is_a_laps_or_nobodys() {
    let said = message(Note::StepGaps {
        change_ns: -600e3,
        lap: None,
    });
    assert_eq!(
        said,
        "between two steps 600 µs less pass than before, and no lap there tells what it is"
    );
    let said = message(Note::StepGaps {
        change_ns: 600e3,
        lap: Some(("data".to_owned(), 590e3)),
    });
    assert_eq!(
        said,
        "between two steps 600 µs more pass than before: data takes 590 µs more"
    );
}

#[test]
fn a_mean_stands_beside_the_median() {
    let said = message(Note::MeanDiffers {
        median_ns: -2e6,
        mean_ns: 8e6,
    });
    assert_eq!(
        said,
        "the median step takes 2.0 ms less, the mean one 8.0 ms longer: some steps are far longer than most, and \
         the verdict is about the others"
    );
}

#[test]
fn versions_of_python_and_counts_of_verdicts_are_listed() {
    let versions = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect();
    let said = message(Note::OtherPython {
        base: versions(&["3.12.1"]),
        new: versions(&["3.12.1", "3.13.0"]),
    });
    assert_eq!(
        said,
        "base ran with Python 3.12.1, new with 3.12.1 and 3.13.0: that may be part of the change"
    );
    let said = message(Note::Tally {
        benchmarks: 4,
        verdicts: vec![(Verdict::Slower, 2), (Verdict::NotComparable, 1)],
        on_one_side: 1,
    });
    assert_eq!(
        said,
        "of 4 benchmarks: 2 slower, 1 not comparable, 1 on one side only"
    );
}

#[test]
fn a_recordings_own_warning_has_its_name() {
    let said = message(Note::Damaged {
        run: "1.lap".to_owned(),
        doubt: Warning::new("truncated", "its file is cut off").into(),
    });
    assert_eq!(said, "1.lap: its file is cut off");
}
