use laptime_core::ProgramEnd;

use crate::Options;
use crate::analyzer::tests::launched;
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{EPOCH_NS, MS, Script};

/// Whether it is said that nothing of torch was called, of a program that ended like this.
fn says_that_nothing_was_called(code: Option<i32>, signal: Option<i32>) -> bool {
    let mut script = Script::new(7, 100 * MS);
    script.note(
        "phases.none",
        "no PyTorch module and no optimizer was called",
    );
    let mut run = launched(7, 0, 100 * MS);
    run.end = Some(ProgramEnd {
        monotonic_ns: EPOCH_NS + 100 * MS,
        code,
        signal,
    });
    let options = Options {
        run: Some(run),
        ..Options::default()
    };
    let summary = summarize(&[script], options);
    summary.warnings.iter().any(|it| it.code() == "phases.none")
}

#[test]
fn a_program_that_failed_before_its_first_lap_is_not_told_where_laps_go() {
    assert!(!says_that_nothing_was_called(Some(1), None));
    assert!(
        !says_that_nothing_was_called(Some(2), None),
        "as argparse ends"
    );
    assert!(!says_that_nothing_was_called(None, Some(15)));
}

#[test]
fn a_program_that_ended_well_without_a_lap_is_told_where_laps_go() {
    assert!(says_that_nothing_was_called(Some(0), None));
}
