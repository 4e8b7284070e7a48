//! Gaps between steps, and files of benchmarks, in the first line and the table.

use laptime_analysis::compare::benchmarks;
use laptime_analysis::compare::{Benchmark, Note, Options, Run, SampleFile, compare};
use serde_json::Value;

use super::*;
use crate::schema_tests::violations;
use crate::tests::analyzed;
use crate::tests::scripted::{MS, Script};

/// A run of 100 steps of about so many µs, with a pause after each.
fn paced(step_us: u64, pause_us: u64, seed: u64) -> Run {
    let mut script = Script::new(7, 2_000 * MS);
    let mut now = 0;
    for step in 0..100 {
        let ns = step_us * 1_000 + (step * 7_919 + seed * 104_729) % 1_009;
        script.span(&["step"], now, ns);
        now += ns + pause_us * 1_000;
    }
    analyzed::run(&format!("{seed}.lap"), &[script])
}

fn of(base: Run, new: Run) -> Comparison {
    compare(&[base], &[vec![new]], &Options::default())
}

fn first_line(comparison: &Comparison) -> String {
    headline(&comparison.pairs[0]).replace(crate::sentences::headline::UNBROKEN, " ")
}

#[test]
fn what_passes_between_the_steps_is_said_first() {
    let found = of(paced(300, 100, 1), paced(300, 700, 2));
    let said = first_line(&found);
    assert!(said.starts_with("From step to step it takes 1"), "{said}");
    assert!(
        said.contains(
            "longer: 600 µs of it pass between the steps, outside of their laps. A step takes"
        ),
        "{said}"
    );
    let text = render(&found, Format::Text, &View::default(), false);
    let row = text.lines().find(|line| line.starts_with("step to step "));
    let row = row.unwrap();
    assert!(row.contains("+600") && row.ends_with("slower"), "{text}");
    let faster = first_line(&of(paced(300, 700, 1), paced(300, 100, 2)));
    assert!(
        faster.contains("less: 600 µs less pass between the steps"),
        "{faster}"
    );
    let moved = first_line(&of(paced(300, 100, 1), paced(200, 400, 2)));
    assert!(
        moved.contains("longer: 300 µs more pass between the steps"),
        "{moved}"
    );
    let slower = first_line(&of(paced(300, 100, 1), paced(400, 100, 2)));
    assert!(slower.starts_with("A step takes 4"), "{slower}");
    assert!(!slower.contains("From step to step"), "{slower}");
}

#[test]
fn the_row_from_step_to_step_is_as_the_schema_says() {
    let schema: Value = serde_json::from_str(include_str!(
        "../../../../../../docs/comparison.schema.json"
    ))
    .unwrap();
    let found = of(paced(300, 100, 1), paced(300, 700, 2));
    let text = render(&found, Format::Json, &View::default(), true);
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        violations(&schema, &value, &schema, "comparison"),
        Vec::<String>::new()
    );
    assert_eq!(value["pairs"][0]["verdict"], "slower");
    assert_eq!(value["pairs"][0]["step_to_step"]["verdict"], "slower");
}

/// A few steps that are far longer turn the means round; no column follows them.
#[test]
fn a_difference_has_the_sign_of_its_change() {
    let with_pauses = |step_us: u64, pause_us: u64| {
        let mut script = Script::new(7, 2_000 * MS);
        let mut now = 0;
        for step in 0..200 {
            let long = if step % 40 == 39 { pause_us * 1_000 } else { 0 };
            let ns = step_us * 1_000 + step * 7_919 % 1_009 + long;
            script.span(&["step", "forward"], now, ns);
            script.span(&["step"], now, ns + 50_000);
            now += ns + 50_000;
        }
        analyzed::run("pauses.lap", &[script])
    };
    let found = of(with_pauses(200, 9_000), with_pauses(250, 0));
    let pair = &found.pairs[0];
    assert!(pair.whole.difference_ns < 0.0 && pair.whole.median_difference_ns > 0.0);
    let text = render(&found, Format::Text, &View::default(), false);
    let rows = text.lines().filter(|line| line.contains("slower"));
    assert!(
        rows.filter(|row| row.contains("+50.0")).count() >= 2,
        "{text}"
    );
    let said = first_line(&found);
    assert!(said.contains("50.0 of these 50.0 µs are forward"), "{said}");
}

fn measured(names: &[&str], ns: f64) -> Vec<SampleFile> {
    let samples: Vec<f64> = (0..40).map(|at| ns + f64::from(at * 7 % 11)).collect();
    vec![SampleFile {
        name: "some.json".to_owned(),
        benchmarks: names
            .iter()
            .map(|name| Benchmark {
                name: (*name).to_owned(),
                samples_ns: samples.clone(),
                machine: None,
            })
            .collect(),
    }]
}

fn benchmarked(base: &[&str], new: &[&str]) -> Comparison {
    let gates = vec!["new:p50 > 5%".parse().unwrap()];
    let options = Options {
        gates,
        ..Options::default()
    };
    benchmarks::compare(&measured(base, 1e6), &[measured(new, 2e6)], &options)
}

#[test]
fn benchmarks_without_a_common_name_are_listed() {
    let found = benchmarked(&["a", "b", "c", "d"], &["x", "y"]);
    assert_eq!(
        first_line(&found),
        "No benchmark is in both files: base has a, b, c and 1 more; new has x, y. Benchmarks are matched by \
         their names."
    );
    let text = render(&found, Format::Text, &View::default(), false);
    let row = text.lines().find(|line| line.starts_with("a ")).unwrap();
    assert_eq!(
        row.split_whitespace().collect::<Vec<_>>(),
        ["a", "removed"],
        "{text}"
    );
    assert!(!text.contains("one measurement can't tell"), "{text}");
}

#[test]
fn nanoseconds_of_benchmarks_keep_their_decimals() {
    let found = benchmarks::compare(
        &measured(&["short"], 14.25),
        &[measured(&["short"], 14.9)],
        &Options::default(),
    );
    let text = render(&found, Format::Text, &View::default(), false);
    let row = text.lines().find(|line| line.starts_with("short")).unwrap();
    // The samples of both spread over ten nanoseconds.
    let words: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(words[1..5], ["19.2", "ns", "19.9", "ns"], "{row}");
}

#[test]
fn the_only_benchmarks_of_both_sides_are_compared_whatever_their_names() {
    let found = benchmarked(&["old"], &["new"]);
    let pair = &found.pairs[0];
    assert_eq!(pair.whole.path, "old → new");
    assert!(
        first_line(&found).contains("1.00 ms (100 %) longer"),
        "{}",
        first_line(&found)
    );
    assert!(matches!(pair.notes[0], Note::OtherName { .. }));
    assert_eq!(
        pair.gates[0].outcome,
        laptime_analysis::compare::GateOutcome::Exceeded
    );
    let several = benchmarked(&["old", "other"], &["new"]);
    assert_eq!(several.pairs[0].whole.ratio, None);
}

#[test]
fn a_page_has_the_headings_in_its_cells_for_a_phone_and_marks_verdicts() {
    let found = benchmarked(&["f"], &["f"]);
    let page = render(&found, Format::Html, &View::default(), false);
    assert!(
        page.contains("<table class=\"labelled compared\">"),
        "{page}"
    );
    assert!(
        page.contains("<td data-heading=\"baseline\" data-v="),
        "{page}"
    );
    assert!(
        page.contains("<td class=\"verdict slower\">slower</td>"),
        "{page}"
    );
    let notebook = super::fragment(&found);
    assert!(!notebook.contains("data-heading") && !notebook.contains("class=\"verdict"));
}
