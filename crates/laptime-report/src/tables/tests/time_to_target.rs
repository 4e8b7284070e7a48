//! Answers as text, markdown, CSV and JSON.

use insta::assert_snapshot;
use laptime_analysis::UntilSummary;

use super::*;
use crate::{Format, View, render};

fn reached() -> UntilSummary {
    UntilSummary {
        question: "test_acc >= 0.95".to_owned(),
        path: Some("test_acc".to_owned()),
        is_reached: true,
        at_ns: Some(12_345_678_901),
        value: Some(0.951),
        steps: Some(1_234),
        epochs: Some(3),
        best: Some(0.97),
        best_at_ns: Some(20_000_000_000),
        count: 10,
        why: std::collections::BTreeMap::new(),
    }
}

fn missed() -> UntilSummary {
    UntilSummary {
        question: "a|b < 0.1".to_owned(),
        is_reached: false,
        at_ns: None,
        value: None,
        steps: None,
        epochs: None,
        best: Some(0.2),
        ..reached()
    }
}

#[test]
fn an_answer_says_time_steps_and_epochs_or_the_best_value() {
    assert_snapshot!(facts(&reached()), @"after 12.3 s, 1,234 steps, 3 epochs: 0.951");
    assert_snapshot!(facts(&missed()), @"not reached: best of 10 values is 0.2 after 20.0 s");
    let none = UntilSummary {
        best: None,
        ..missed()
    };
    assert_snapshot!(facts(&none), @"not reached: none of 10 values is a finite number");
}

#[test]
fn every_format_has_the_answers() {
    let mut summary = crate::tests::all().remove(0);
    summary.until = vec![reached(), missed()];
    let text = render(&summary, Format::Text, &View::default());
    assert!(
        text.contains("\nlearning speed\ntest_acc >= 0.95  "),
        "{text}"
    );
    let markdown = render(&summary, Format::Markdown, &View::default());
    assert!(markdown.contains("### Learning speed\n"), "{markdown}");
    assert!(markdown.contains("| a\\|b \\< 0.1 |"), "{markdown}");
    let csv = render(&summary, Format::Csv, &View::default());
    let lines: Vec<&str> = csv.lines().rev().take(2).collect();
    assert!(lines[1].starts_with("until,metric,test_acc >= 0.95,1234,12345678901,"));
    assert!(lines[0].starts_with("until,metric,a|b < 0.1,,,"));
    let commas = |line: &str| line.matches(',').count();
    assert_eq!(commas(lines[0]), commas(csv.lines().next().unwrap()));
    let json = render(&summary, Format::Json, &View::default());
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(crate::schema_tests::check(&value), Vec::<String>::new());
    assert_eq!(value["until"][0]["steps"], 1_234);
    assert_eq!(value["until"][1]["is_reached"], false);
}
