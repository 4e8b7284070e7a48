//! Questions to scripted recordings, whose answers are known.

use super::*;
use crate::testing::analyzed;
use crate::testing::scripted::{EPOCH_NS, MS, Script, training};
use crate::time_to_target::relation::Relation;

fn question(text: &str) -> Until {
    text.parse().unwrap()
}

fn asked(scripts: &[Script], text: &str) -> UntilSummary {
    let question = question(text);
    let readers: Vec<UntilReader> = scripts
        .iter()
        .map(|script| {
            let mut reader = analyzed::reader(script);
            let mut until = UntilReader::new(reader.facts().anchors, &question);
            analyzed::read(script, &mut reader, &mut until.search());
            if let Some(mut count) = until.count(reader.facts().anchors) {
                analyzed::read(script, &mut reader, &mut count);
            }
            until
        })
        .collect();
    UntilReader::answer(&question, &readers, EPOCH_NS)
}

#[test]
fn a_question_is_a_metric_a_relation_and_a_threshold() {
    let until = question(" test_acc>=0.95 ");
    assert_eq!((until.metric.as_str(), until.threshold), ("test_acc", 0.95));
    assert_eq!(until.relation, Relation::AtLeast);
    assert_eq!(question("a <b < 1e-3").metric, "a <b");
    assert_eq!(question("loss <= 0.1").to_string(), "loss <= 0.1");
    for wrong in [
        "",
        "test_acc",
        "test_acc >= ",
        ">= 1",
        "a >= x",
        "a > inf",
        "a = 1",
    ] {
        let error = wrong.parse::<Until>().unwrap_err();
        assert!(error.contains("no question like"), "{wrong}: {error}");
    }
}

#[test]
fn the_answer_counts_time_steps_and_epochs() {
    // Accuracy is 1 - 0.5 / (step / 25 + 1) after every epoch of 25 steps.
    let script = training(200, 3);
    let answer = asked(&[script], "test_acc >= 0.9");
    assert!(answer.is_reached);
    assert_eq!((answer.steps, answer.epochs), (Some(125), Some(5)));
    assert_eq!(answer.value, Some(1.0 - 0.5 / (124.0 / 25.0 + 1.0)));
    assert_eq!(answer.path.as_deref(), Some("test_acc"));
    assert_eq!(
        (answer.count, answer.best),
        (8, Some(1.0 - 0.5 / (199.0 / 25.0 + 1.0)))
    );
    assert!(answer.at_ns < answer.best_at_ns);
    assert!(answer.why.is_empty());
}

#[test]
fn a_threshold_never_reached_is_said_with_the_best_value() {
    let answer = asked(&[training(50, 0)], "test_acc > 0.99");
    assert!(!answer.is_reached);
    assert_eq!(
        (answer.at_ns, answer.steps, answer.epochs),
        (None, None, None)
    );
    assert_eq!(answer.best, Some(1.0 - 0.5 / (49.0 / 25.0 + 1.0)));
    assert_eq!(answer.why["at_ns"].0, "the threshold was not reached");
}

#[test]
fn a_single_good_value_among_many_thousands_is_found() {
    let mut script = Script::new(7, 100_000 * MS);
    for at in 0..9_000 {
        let value = if at == 4_321 { 0.01 } else { 0.5 };
        script.metric(&["fit", "loss"], at * MS, value);
    }
    let answer = asked(&[script], "loss <= 0.01");
    assert_eq!((answer.at_ns, answer.count), (Some(4_321 * MS), 9_000));
    assert_eq!(answer.path.as_deref(), Some("fit/loss"));
    assert_eq!((answer.steps, answer.epochs), (None, None));
    assert!(answer.why["steps"].0.contains("\"step\""));
}

#[test]
fn the_earliest_process_counts_and_a_path_names_one_metric() {
    let mut late = Script::new(7, 100 * MS);
    late.metric(&["loss"], 50 * MS, 0.1);
    late.metric(&["validation", "loss"], 5 * MS, 0.1);
    let mut early = Script::new(8, 100 * MS);
    early.metric(&["loss"], 20 * MS, 0.1);
    early.metric(&["loss"], 60 * MS, f64::NAN);
    let scripts = [late, early];
    assert_eq!(asked(&scripts, "loss < 1").at_ns, Some(5 * MS));
    let answer = asked(&scripts, "validation/loss < 1");
    assert_eq!((answer.at_ns, answer.count), (Some(5 * MS), 1));
    assert_eq!(asked(&scripts[1..], "loss < 1").at_ns, Some(20 * MS));
    assert_eq!(asked(&scripts, "accuracy < 1").count, 0);
}

#[test]
fn epochs_may_be_spans_and_a_step_still_running_is_not_done() {
    let mut script = Script::new(7, 100 * MS);
    for epoch in 0..3 {
        script.span(&["epoch", "step"], epoch * 10 * MS, 8 * MS);
        script.span(&["epoch"], epoch * 10 * MS, 9 * MS);
    }
    script.span_on(9, &["step"], 0, MS, laptime_core::SpanFlags::NONE);
    script.metric(&["epoch", "loss"], 14 * MS, 0.1);
    let answer = asked(&[script], "loss <= 0.1");
    assert_eq!((answer.steps, answer.epochs), (Some(1), Some(2)));
}

#[test]
fn steps_whose_operations_were_counted_are_steps() {
    let mut script = Script::new(7, 10_000 * MS);
    for step in 0..10 {
        let name = if step % 4 == 0 {
            "counted step"
        } else {
            "step"
        };
        script.span(&[name], step * 10 * MS, 9 * MS);
    }
    script.metric(&["accuracy"], 70 * MS, 0.9);
    let told = asked(&[script], "accuracy >= 0.5");
    assert_eq!(told.steps, Some(7));
}
