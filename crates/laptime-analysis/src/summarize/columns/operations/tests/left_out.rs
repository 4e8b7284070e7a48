//! Rates where calls are left out: both FLOP and time are of the other spans.

use laptime_core::CostTally;

use super::counted::{ceilings, cost, row, training};
use crate::Options;
use crate::summarize::columns::operations::CEILINGS;
use crate::summary::doubt::{Doubt, OperationsDoubt, PathPart};
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{MAIN, MS, Script, anchor};

fn left_out() -> CostTally {
    CostTally {
        uncounted: 2,
        ..CostTally::default()
    }
}

/// Returns ten steps of 10 ms, then five of 30 ms whose calls are left out, or are so in the end.
fn growing(is_taken_back: bool) -> Script {
    let mut script = training(10);
    let paths = [&["step", "forward", "layer"][..], &["step", "forward"]];
    for path in paths {
        let tally = if is_taken_back {
            cost(9_000_000, 9_000)
        } else {
            left_out()
        };
        script.operations(2, path, tally, "float32");
    }
    for index in 0..5 {
        let at = (100 + index * 30) * MS;
        script.ran(2, at + 1);
        script.span(&["step", "forward", "layer"], at + MS, 9 * MS);
        script.span(&["step", "forward"], at + MS, 12 * MS);
        script.span(&["step"], at, 30 * MS);
    }
    if is_taken_back {
        for path in paths {
            script.operations(2, path, left_out(), "");
        }
    }
    script
}

#[test]
fn rates_divided_what_some_calls_did_by_the_time_of_all() {
    for is_taken_back in [false, true] {
        let mut script = growing(is_taken_back);
        script.note(CEILINGS, &ceilings(1e9, 1e6));
        let summary = summarize(&[script], Options::default());
        for (path, mac, seconds) in [
            ("step", 40_000_000, 0.1),
            ("step/forward", 40_000_000, 0.04),
            ("step/forward/layer", 30_000_000, 0.03),
        ] {
            let row = row(&summary, path);
            assert_eq!(row.work.mac, Some(mac), "{path}");
            let rate = 2.0 * mac as f64 / seconds;
            assert_eq!(row.work.flop_per_s, Some(rate), "{path}");
            assert_eq!(row.work.mfu_ratio, Some(rate / 1e9), "{path}");
            assert_eq!(row.work.hfu_ratio, Some(rate / 1e9), "{path}");
        }
        assert_eq!(
            row(&summary, "step").work.bytes_moved_per_s,
            Some(20_000.0 / 0.1)
        );
        let paths = ["step", "step/forward", "step/forward/layer"].map(|path| PathPart {
            path: path.to_owned(),
            count: 5,
            span_count: 15,
        });
        let paths = paths.to_vec();
        let doubt = Doubt::Operations(OperationsDoubt::CallsLeftOut { paths });
        assert_eq!(summary.warnings[0], doubt);
    }
}

#[test]
fn rates_of_a_steady_state_are_of_its_own_known_calls() {
    let mut script = training(20);
    script.operations(2, &["step", "forward"], left_out(), "");
    for index in 0..10 {
        // Two slow ones before the others.
        let (at, ms) = if index < 2 {
            (1_000 + index * 90, 90)
        } else {
            (1_180 + (index - 2) * 10, 10)
        };
        script.ran(2, at * MS + 1);
        script.span(&["step", "forward"], (at + 1) * MS, 4 * MS);
        script.span(&["step"], at * MS, ms * MS);
    }
    let summary = summarize(&[script], Options::default());
    let step = row(&summary, "step");
    assert_eq!(step.work.flop_per_s, Some(160_000_000.0 / 0.2));
    let steady = summary.steady.as_ref().unwrap();
    let step = steady.rows.iter().find(|row| row.path == "step").unwrap();
    assert_eq!(step.work.flop_per_s, Some(160_000_000.0 / 0.2));
}

#[test]
fn a_span_around_known_and_unknown_calls_has_no_rate() {
    let mut script = growing(false);
    let mut around = Script::new(1, 10_000 * MS);
    around.operations(1, &["epoch", "forward"], cost(1_000, 8), "float32");
    around.operations(2, &["epoch", "forward"], left_out(), "");
    around.ran(1, 1);
    around.span(&["epoch", "forward"], MS, 4 * MS);
    around.ran(2, 5 * MS);
    around.span(&["epoch", "forward"], 6 * MS, 8 * MS);
    around.span(&["epoch"], 0, 20 * MS);
    let summary = summarize(&[around], Options::default());
    let epoch = row(&summary, "epoch");
    assert_eq!(
        (epoch.work.flop, epoch.work.flop_per_s, epoch.work.mfu_ratio),
        (Some(2_000), None, None)
    );
    let why = &summary.why(epoch, "flop_per_s").unwrap().0;
    assert!(why.contains("in each of its spans calls ran"), "{why}");
    let forward = row(&summary, "epoch/forward");
    assert_eq!(forward.work.flop_per_s, Some(2_000.0 / 0.004));
    // A step that is open at the end isn't told apart.
    script.header.closed = Some(anchor(300 * MS));
    script.ran(2, 260 * MS);
    script.leave_open(MAIN, &["step"], 255 * MS);
    let summary = summarize(&[script], Options::default());
    let step = row(&summary, "step");
    assert_eq!(step.work.flop_per_s, None);
    let why = &summary.why(step, "flop_per_s").unwrap().0;
    assert!(why.contains("the time of the others is not known"), "{why}");
}
