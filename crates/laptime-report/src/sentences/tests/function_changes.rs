use laptime_analysis::CallKind;
use laptime_analysis::compare::{FunctionSide, LibraryChange, Options, TimeDifference, compare};

use super::*;
use crate::sentences::headline::UNBROKEN;
use crate::tests::analyzed;
use crate::tests::scripted::{MS, Script};

const SECOND: f64 = 1e9;

fn own(name: &str) -> CallKind {
    CallKind::Own {
        name: name.to_owned(),
        file: "/home/me/job.py".to_owned(),
    }
}

/// Makes a row of a function that takes so many seconds on both sides by itself, and so many more in others.
fn row(name: &str, seconds: [Option<f64>; 2], others: f64) -> FunctionRow {
    let side = |seconds: f64| FunctionSide {
        line: 8,
        self_ns: seconds * SECOND,
        total_ns: (seconds + others) * SECOND,
        sample_count: 100,
    };
    let [base, new] = seconds.map(|seconds| seconds.map(side));
    let [before, now] = seconds.map(|seconds| seconds.unwrap_or(0.0) * SECOND);
    let change = TimeDifference {
        difference_ns: now - before,
        within_ns: 0.1 * SECOND,
        p_value: 1e-9,
        freedom: 50.0,
    };
    FunctionRow {
        call: own(name),
        before: None,
        unsampled_below_ns: (base.is_none() || new.is_none()).then_some(19.2e6),
        base,
        new,
        own: change,
        total: change,
        changed: Some(ChangedPart::Own),
        doubt: None,
        stands_out: true,
        library: None,
    }
}

fn said(rows: Vec<FunctionRow>, alike_ratio: Option<f64>) -> String {
    let run = || analyzed::run("a.lap", &[Script::new(7, 4_000 * MS)]);
    let mut found = compare(&[run()], &[vec![run()]], &Options::default());
    let mut pair = found.pairs.remove(0);
    pair.functions = Some(FunctionChanges {
        within: None,
        base_sample_count: 400,
        new_sample_count: 500,
        base_ns: 4.0 * SECOND,
        confidence: 0.99,
        alike_ratio,
        rows,
    });
    sentence(&pair).unwrap_or_default().replace(UNBROKEN, " ")
}

#[test]
fn a_function_that_changed_is_named_with_both_times() {
    let clean = row("clean", [Some(1.2), Some(2.1)], 0.0);
    insta::assert_snapshot!(said(vec![clean.clone()], None), @"clean (job.py:8) takes 2.10 s, 1.20 s before. No other function clearly changed.");
    let busy = FunctionRow {
        stands_out: false,
        ..clean.clone()
    };
    insta::assert_snapshot!(said(vec![busy], None), @"clean (job.py:8) takes 2.10 s, 1.20 s before. No other function clearly changed. A busy machine could do that too: record several runs a side.");
    let call = CallKind::Library {
        name: "DataFrame.apply".to_owned(),
        package: "pandas".to_owned(),
    };
    let library = FunctionRow {
        library: Some(LibraryChange {
            call,
            difference_ns: 0.8 * SECOND,
        }),
        before: Some(own("wash")),
        ..clean
    };
    insta::assert_snapshot!(said(vec![library], None), @"clean (job.py:8), which was wash (job.py:8), takes 2.10 s, 1.20 s before (800 ms more in DataFrame.apply). No other function clearly changed.");
}

#[test]
fn a_function_that_calls_others_is_named_by_itself() {
    insta::assert_snapshot!(said(vec![row("main", [Some(1.0), Some(2.0)], 2.0)], None), @"main (job.py:8) itself takes 2.00 s, 1.00 s before. No other function clearly changed.");
}

#[test]
fn functions_without_samples_on_a_side_are_never_said_to_be_new_or_gone() {
    let rows = vec![
        row("load", [None, Some(2.0)], 0.0),
        row("read", [Some(1.0), None], 0.0),
    ];
    insta::assert_snapshot!(said(rows, None), @"load (job.py:8) takes 2.00 s, before too short to be sampled (below 20 ms); read (job.py:8): 1.00 s before, now too short to be sampled (below 20 ms). No other function clearly changed.");
}

#[test]
fn where_no_function_changed_that_is_said() {
    insta::assert_snapshot!(said(Vec::new(), None), @"No function clearly changed.");
    insta::assert_snapshot!(said(Vec::new(), Some(1.4)), @"All functions take about 1.4 × as long: that is a busy machine or more work to do, not one function.");
}

#[test]
fn a_checkout_in_another_folder_is_no_other_function() {
    let moved = |name: &str, file: &str| FunctionRow {
        before: Some(CallKind::Own {
            name: name.to_owned(),
            file: file.to_owned(),
        }),
        ..row("clean", [Some(1.2), Some(2.1)], 0.0)
    };
    let said = |name, file| said(vec![moved(name, file)], None);
    assert!(!said("clean", "/home/me/old/job.py").contains("which was"));
    assert!(said("clean", "/home/me/tool.py").contains("which was clean"));
    assert!(said("wash", "/home/me/job.py").contains("which was wash"));
}
