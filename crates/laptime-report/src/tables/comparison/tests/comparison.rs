use laptime_analysis::benchmark::verdict::Verdict;
use laptime_analysis::compare::{Options, Run, compare};
use serde_json::Value;

use super::*;
use crate::schema_tests::violations;
use crate::sentences::headline::UNBROKEN;
use crate::tests::analyzed;
use crate::tests::scripted::{self, MS, Script};

/// A run of the usual training.
fn training(name: &str) -> Run {
    analyzed::run(name, &[scripted::training(138, 3)])
}

/// A run whose names try to be more than names.
fn hostile(name: &str, ms: u64) -> Run {
    let mut script = Script::new(7, 2_000 * MS);
    for step in 0..30 {
        let at = step * 60 * MS;
        for (number, child) in (0..).zip(crate::tests::HOSTILE) {
            script.span(&["step", child], at + number * 2 * MS, ms * MS);
        }
        script.span(&["step"], at, 30 * ms * MS);
    }
    analyzed::run(name, &[script])
}

fn all() -> Vec<Comparison> {
    let nothing = analyzed::run("none.lap", &[Script::new(7, MS)]);
    let of = |base: Run, new: Vec<Run>| {
        let options = Options {
            gates: vec!["step:p50 > 5%".parse().unwrap()],
            ..Options::default()
        };
        compare(&[base], &[new], &options)
    };
    vec![
        of(training("a.lap"), vec![training("b.lap")]),
        of(
            training("a.lap"),
            vec![training("b.lap"), training("c.lap")],
        ),
        of(hostile("a.lap", 1), vec![hostile("b.lap", 2)]),
        of(training("a.lap"), vec![hostile("b.lap", 1)]),
        of(training("a.lap"), vec![nothing.clone()]),
        of(nothing.clone(), vec![nothing]),
    ]
}

#[test]
fn every_comparison_is_as_the_schema_says() {
    let schema: Value = serde_json::from_str(include_str!(
        "../../../../../../docs/comparison.schema.json"
    ))
    .unwrap();
    let check = |value: &Value| violations(&schema, value, &schema, "comparison");
    for comparison in all() {
        let text = render(&comparison, Format::Json, &View::default(), true);
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(check(&value), Vec::<String>::new());
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let terminal = words(&render(&comparison, Format::Text, &View::default(), true));
        for pair in value["pairs"].as_array().unwrap() {
            let told = words(pair["text"].as_str().unwrap());
            assert!(terminal.contains(&told), "{told} {terminal}");
        }
        let mut wrong = value.clone();
        wrong["pairs"][0]["verdict"] = "quicker".into();
        assert_ne!(check(&wrong), Vec::<String>::new());
        let mut wrong = value;
        wrong["pairs"][0]["surprise"] = 1.into();
        assert_ne!(check(&wrong), Vec::<String>::new());
    }
}

#[test]
fn hostile_names_are_shown_as_text() {
    let comparison = compare(
        &[hostile("a\u{1b}[2J|<b>.lap", 1)],
        &[vec![hostile("b.lap", 2)]],
        &Options::default(),
    );
    for (_, format) in FORMATS {
        let text = render(&comparison, format, &View::default(), true);
        // In JSON names stand unchanged.
        let turns = |one: char| one == '\u{202e}' && format != Format::Json;
        let acts = |one: char| one.is_control() && one != '\n' || turns(one);
        assert!(!text.contains(acts), "{format:?}: {text}");
        let is_page = format == Format::Html;
        assert!(!is_page || !text.contains("<script>alert"), "{text}");
    }
    let markdown = render(&comparison, Format::Markdown, &View::default(), true);
    assert!(markdown.contains("a\\|b"), "{markdown}");
}

#[test]
fn the_same_training_takes_as_long_as_before() {
    let comparison = &all()[0];
    let text = render(comparison, Format::Text, &View::default(), false);
    insta::assert_snapshot!(text, @"
    a.lap → b.lap  A step takes 20.4 ms, as long as before (change: -0.5 to +0.5 %).
    1 run against 1 run · steady state from step 3 · medians with 95 % intervals; changes within ±1 %
    are none

    limits
    · step:p50 > 5%: kept (20.4 ms → 20.4 ms)

    lap           baseline  candidate  change   95 % interval  difference       verdict
    ───────────────────────────────────────────────────────────────────────────────────
    step           20.4 ms    20.4 ms   0.0 %  -0.5 to +0.5 %        0 ns          same
    ├─ data        1.60 ms    1.60 ms   0.0 %  -1.4 to +1.5 %        0 ns  inconclusive
    ├─ forward     6.10 ms    6.10 ms   0.0 %  -0.4 to +0.4 %        0 ns          same
    ├─ backward    9.10 ms    9.10 ms   0.0 %  -0.3 to +0.3 %        0 ns          same
    └─ optimizer   3.10 ms    3.10 ms   0.0 %  -0.7 to +0.7 %        0 ns          same
    evaluation     14.0 ms    14.0 ms   0.0 %             –          0 ns  inconclusive
    └─ forward     12.0 ms    12.0 ms   0.0 %             –          0 ns  inconclusive
    baseline, candidate and difference are of medians: difference is what a typical step takes longer;
    of other laps, what one takes longer
    – 5 values are too few to tell how exact the ratio is; 12 are needed.

    beside the times
    number                       baseline  candidate  change
    ────────────────────────────────────────────────────────
    test_acc, last              0.91611    0.91611     0.0 %
    time to test_acc >= 0.9161     4.81 s     4.81 s   0.0 %

    warning: a side with one run can't tell how much two runs of the same program differ: these
             intervals are about the steps of the runs that were recorded
       hint: record each side five times: laptime compare base-*.lap --new new-*.lap
    ");
}

#[test]
fn a_title_of_several_recordings_wraps_in_80_columns_and_keeps_its_arrow() {
    let [base, new] = ["base", "changed"].map(|side| {
        let names = [1, 2, 3].map(|number| format!("{side}-measured-{number}.lap"));
        names.map(|name| training(&name))
    });
    let options = Options::default();
    let comparison = compare(&base, &[new.to_vec()], &options);
    let view = View {
        width: Some(80),
        ..View::default()
    };
    let text = render(&comparison, Format::Text, &view, false);
    let head: Vec<&str> = text.lines().take(4).collect();
    let said = head.join(" ");
    assert!(said.contains(" → "), "{text}");
    assert!(said.contains("changed-measured-3.lap (3 runs)"), "{text}");
    assert!(!said.contains('…') || said.contains(" … "), "{text}");
    assert!(head.iter().all(|line| line.chars().count() <= 80), "{text}");
    assert_eq!(text.matches("A step takes").count(), 1, "{text}");
}

#[test]
fn what_can_not_be_compared_says_why_first() {
    let comparison = compare(
        &[training("a.lap")],
        &[vec![analyzed::run("none.lap", &[Script::new(7, MS)])]],
        &Options::default(),
    );
    let text = render(&comparison, Format::Text, &View::default(), false);
    insta::assert_snapshot!(text, @"
    a.lap → none.lap  The run takes 1.00 ms, before it took 5.12 s, but these can't be compared. The
    recordings have no lap in common.
    1 run against 1 run · medians with 95 % intervals; changes within ±1 % are none

    lap           baseline  candidate   change  95 % interval  difference         verdict
    ─────────────────────────────────────────────────────────────────────────────────────
    step           20.4 ms                                       -2.99 s          removed
    ├─ backward    9.10 ms                                       -1.34 s          removed
    ├─ forward     6.10 ms                                        -896 ms         removed
    ├─ optimizer   3.10 ms                                        -455 ms         removed
    └─ data        1.60 ms                                        -234 ms         removed
    startup        2.00 s                                        -2.00 s          removed
    evaluation     14.0 ms                                       -70.0 ms         removed
    └─ forward     12.0 ms                                       -60.0 ms         removed
    exit           50.0 ms                                       -50.0 ms         removed
    other          6.85 ms    1.00 ms  -85.4 %  –                -5.85 ms  not comparable
    baseline and candidate are medians, difference is the mean time that a run takes longer
    – The recordings have no lap in common.

    warning: the recordings have no step in common, so whole runs are compared
       hint: a lap named step around what the program repeats compares that
    ");
}

#[test]
fn a_page_opens_without_a_network_and_a_cell_has_no_style() {
    let comparison = &all()[0];
    let page = render(comparison, Format::Html, &View::default(), false);
    assert!(page.contains("Content-Security-Policy"));
    assert!(
        !page.contains("http://") && !page.contains("src="),
        "{page}"
    );
    assert!(!fragment(comparison).contains("<style"));
}

#[test]
fn what_no_lap_inside_takes_is_told_as_the_cause() {
    let run = |own_ms: u64| {
        let mut script = Script::new(7, 0);
        for step in 0..60 {
            let (at, noise) = (step * 40 * MS, step % 7 * 10_000);
            script.span(&["step", "forward"], at, 10 * MS + noise);
            script.span(&["step"], at, (10 + own_ms) * MS + noise);
        }
        script.header.closed = Some(scripted::anchor(2_400 * MS));
        analyzed::run("a.lap", &[script])
    };
    let found = compare(&[run(1)], &[vec![run(5)]], &Options::default());
    insta::assert_snapshot!(headline(&found.pairs[0]).replace(UNBROKEN, " "), @"A step takes 15.0 ms, 4.00 ms (36 %) longer. All of it is in the step itself, outside of the laps inside it. From step to step it takes 40.0 ms, as long as before.");
}

/// A run of 60 steps with 40 laps inside, of which one takes so long; some machines are several times slower.
fn on_a_machine(name: &str, norm_us: u64, slower: u64) -> Run {
    let mut script = Script::new(7, 0);
    let mut now = 0;
    for step in 0..60 {
        let start = now;
        for layer in 0..40 {
            let layer_ns = slower * (40_000 + (step * 7 + layer * 3) % 11 * 100);
            script.span(&["step", "model", &format!("layer{layer}")], now, layer_ns);
            now += layer_ns;
        }
        let own_ns = norm_us * 1_000 + step % 5 * 1_000 + slower * 300;
        script.span(&["step", "model", "norm"], now, own_ns);
        now += own_ns;
        script.span(&["step", "model"], start, now - start);
        script.span(&["step"], start, now - start);
    }
    script.header.closed = Some(scripted::anchor(now));
    analyzed::run(name, &[script])
}

#[test]
fn the_lap_that_the_first_line_names_stands_in_the_table() {
    let side = |norm_us, slower: [u64; 5]| -> Vec<Run> {
        let runs = slower.into_iter().enumerate();
        runs.map(|(at, slower)| on_a_machine(&format!("{norm_us}-{at}.lap"), norm_us, slower))
            .collect()
    };
    for (slower, verdict) in [
        ([3, 300, 4, 1, 5], Verdict::Slower),
        ([1, 2, 1, 1, 1], Verdict::Inconclusive),
    ] {
        let (base, new) = (side(100, [1, 90, 2, 3, 2]), side(300, slower));
        let found = compare(&base, &[new], &Options::default());
        let pair = &found.pairs[0];
        let all = render(&found, Format::Text, &View::default(), true);
        assert_eq!(pair.verdict, verdict, "{all}");
        let named = "model/norm surely takes 20";
        let first = headline(pair).replace(UNBROKEN, " ");
        assert!(first.starts_with(named), "{first}");
        let rows = super::table::table(pair, false).rows;
        assert!(rows.iter().any(|row| row.name == "norm"), "{rows:?}");
        assert!(rows.len() < 41, "laps that did not change are left out");
    }
}
