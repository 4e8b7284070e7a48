use super::tests::{codes, launched, of, row, with_run};
use crate::testing::scripted::{MAIN, MS, Script, training};
use laptime_core::{RunInfo, SpanFlags};

#[test]
fn marks_and_metrics_keep_their_order_counts_and_odd_values() {
    let mut script = Script::new(7, 1_000 * MS);
    script.mark(&["epoch"], 10 * MS);
    script.mark(&["epoch"], 500 * MS);
    script.metric(&["loss"], 20 * MS, 0.5);
    script.metric(&["loss"], 30 * MS, f64::NAN);
    script.metric(&["loss"], 40 * MS, 0.25);
    script.metric(&["grad"], 40 * MS, f64::INFINITY);
    script.name_track(2, true, "prefetch");
    let summary = of(&script);
    assert_eq!(
        (summary.marks[0].count, &summary.marks[0].at_ns),
        (2, &vec![10 * MS, 500 * MS])
    );
    let loss = &summary.metrics[0];
    assert_eq!(
        (loss.count, loss.last, loss.min, loss.max),
        (3, Some(0.25), Some(0.25), Some(0.5))
    );
    assert_eq!(loss.series[1].value, None);
    assert_eq!((loss.nan_count, loss.why.len()), (1, 0));
    assert_eq!(
        (summary.metrics[1].last, summary.metrics[1].min),
        (None, None)
    );
    assert_eq!(
        (summary.tracks[0].name.as_str(), summary.tracks[0].is_task),
        ("prefetch", true)
    );
    assert!(serde_json::to_string(&summary).is_ok());
}

#[test]
fn values_that_are_no_finite_numbers_are_null_in_json_with_the_reason() {
    let mut script = Script::new(7, 1_000 * MS);
    for (name, values) in [
        ("rising", &[1.0, f64::INFINITY][..]),
        ("falling", &[f64::NEG_INFINITY, f64::NAN, 2.0]),
        ("diverged", &[f64::NAN, f64::NAN]),
    ] {
        for (value, at) in values.iter().zip(1..) {
            script.metric(&[name], at * MS, *value);
        }
    }
    let text = serde_json::to_string(&of(&script)).unwrap();
    assert!(
        !text.contains("NaN") && !text.contains("Infinity"),
        "{text}"
    );
    let json: serde_json::Value = serde_json::from_str(&text).expect("valid JSON");
    let said = |name: &str, field: &str| {
        let metrics = json["metrics"].as_array().unwrap();
        let metric = metrics
            .iter()
            .find(|metric| metric["name"] == name)
            .unwrap();
        assert!(metric[field].is_null() || metric[field].is_number());
        metric[field].as_f64().map_or_else(
            || metric["why"][field].as_str().expect("a reason").to_owned(),
            |number| number.to_string(),
        )
    };
    let all = ["rising", "falling", "diverged"]
        .map(|name| ["last", "min", "max"].map(|field| said(name, field)));
    assert_eq!(
        all,
        [
            ["infinite", "1", "infinite"],
            ["2", "minus infinite", "2"],
            [
                "not a number",
                "no value is a number",
                "no value is a number"
            ],
        ]
    );
    let counts = json["metrics"].as_array().unwrap().iter();
    let counts: Vec<_> = counts.map(|metric| metric["nan_count"].as_u64()).collect();
    assert_eq!(counts, [Some(2), Some(1), None], "in the order of names");
}

#[test]
fn a_path_of_pieces_alone_counts_as_a_span() {
    let mut script = Script::new(7, 1_000 * MS);
    script.span_on(MAIN, &["step"], 40 * MS, 5 * MS, SpanFlags::CONTINUES);
    script.span_on(2, &["fetch"], 50 * MS, 5 * MS, SpanFlags::CONTINUES);
    script.span_on(2, &["fetch"], 60 * MS, 5 * MS, SpanFlags::CONTINUES);
    let summary = of(&script);
    for (path, ns) in [("step", 5 * MS), ("fetch", 10 * MS)] {
        let row = row(&summary, path);
        assert_eq!(
            (row.count, row.total_ns, row.mean_ns),
            (Some(1), ns, Some(ns))
        );
    }
    assert_eq!(summary.span_count, 2);
}

#[test]
fn a_piece_across_the_start_of_the_steady_state_is_a_span_partly_inside() {
    let mut script = training(40, 0);
    let start = 2_000 * MS;
    script.span_on(2, &["fetch"], start - 2 * MS, 5 * MS, SpanFlags::CONTINUES);
    let steady = of(&script).steady.expect("a steady state");
    let fetch = steady.rows.iter().find(|row| row.path == "fetch").unwrap();
    assert_eq!((fetch.count, fetch.partial_count), (Some(0), 1));
    assert_eq!(fetch.total_ns, 3 * MS);
}

#[test]
fn a_run_whose_end_nobody_saw_says_so() {
    let mut script = Script::new(7, 0);
    script.leave_open(MAIN, &["step"], 100 * MS);
    script.killed();
    let run = RunInfo {
        end: None,
        ..launched(7, 0, 0)
    };
    let summary = with_run(&script, run.clone());
    assert_eq!(
        summary.unavailable["run.end"].0,
        "the run did not end normally"
    );
    assert_eq!(summary.processes[0].open[0].path, "step");
    assert_eq!(codes(&summary), ["not-closed"]);
    let mut signalled = launched(7, 0, 900 * MS);
    signalled.end.as_mut().unwrap().code = None;
    signalled.end.as_mut().unwrap().signal = Some(9);
    let summary = with_run(&script, signalled);
    assert_eq!(
        summary.unavailable["run.end.code"].0,
        "signal 9 ended the program"
    );
    let closed = {
        let mut script = Script::new(7, 100 * MS);
        script.span(&["a"], 0, MS);
        with_run(&script, run)
    };
    assert_eq!(
        closed.unavailable["run.end"].0,
        "the launcher did not see the run end"
    );
    let whole = with_run(&Script::new(7, 100 * MS), launched(7, 0, 100 * MS));
    assert!(!whole.unavailable.keys().any(|key| key.starts_with("run")));
}
