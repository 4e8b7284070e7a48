//! `laptime compare` tells two sides of recordings apart, and every way in which that can't be.

use serde_json::Value;

use crate::place::{Left, Place};
use crate::recording;

const MS: u64 = 1_000_000;

/// So many steps of about `step_ms`, of which `forward_ms` are forward; their noise is 2 % at most, and
/// another for each `seed`.
fn steps(count: u64, step_ms: u64, forward_ms: u64, seed: u64) -> Vec<(u64, u64)> {
    let noise = |step: u64| (step * 7_919 + seed * 104_729) % 1_009 * MS / 50_000;
    (0..count)
        .map(|step| (step_ms * MS + step_ms * noise(step), forward_ms * MS))
        .collect()
}

fn json(left: &Left) -> Value {
    serde_json::from_str(&left.out).unwrap_or_else(|_| panic!("{left:?}"))
}

/// One run a side: `a.lap` takes 100 ms a step, `b.lap` 120 ms, all of it more in forward.
fn slower() -> Place {
    let place = Place::new();
    recording::folder_of(&place.path().join("a.lap"), &steps(200, 100, 40, 1), &[]);
    recording::folder_of(&place.path().join("b.lap"), &steps(200, 120, 60, 2), &[]);
    place
}

#[test]
fn a_slower_step_is_said_with_its_cause_and_ends_with_code_3() {
    let left = slower().laptime(&["compare", "a.lap", "b.lap"]);
    assert_eq!(left.code, 3, "{}", left.err);
    insta::assert_snapshot!(left.out, @"
    a.lap → b.lap  A step takes 121 ms, 20.2 ms (20 %) longer. 20.0 of these 20.2 ms are forward.
    1 run against 1 run · steady state from step 0 · medians with 95 % intervals; changes within ±1 %
    are none

    lap         baseline  candidate   change     95 % interval  difference  self part  verdict
    ──────────────────────────────────────────────────────────────────────────────────────────
    step          101 ms     121 ms  +20.0 %  +19.7 to +20.3 %    +20.2 ms      0.9 %   slower
    └─ forward   40.0 ms    60.0 ms  +50.0 %  +50.0 to +50.0 %    +20.0 ms     99.1 %   slower
    baseline, candidate and difference are of medians: difference is what a typical step takes longer
    self part is the share of a step's difference without what the laps inside take: in a step all add
    up to 100 %

    warning: a side with one run can't tell how much two runs of the same program differ: these
             intervals are about the steps of the runs that were recorded
       hint: record each side five times: laptime compare base-*.lap --new new-*.lap
    ");
    insta::assert_snapshot!(left.err, @"next: laptime report b.lap; or record five runs a side: laptime compare base-*.lap --new new-*.lap");
}

#[test]
fn the_other_way_round_it_is_faster_and_ends_well() {
    let left = slower().laptime(&["compare", "b.lap", "a.lap", "--json"]);
    assert_eq!(left.code, 0, "{}", left.err);
    assert_eq!(json(&left)["pairs"][0]["verdict"], "faster");
}

#[test]
fn a_recording_is_the_same_as_itself() {
    let place = slower();
    let left = place.laptime(&["compare", "a.lap", "a.lap", "--strict", "--json"]);
    assert_eq!(left.code, 0, "{}", left.err);
    let pair = json(&left)["pairs"][0].clone();
    assert_eq!(pair["verdict"], "same");
    for row in pair["rows"].as_array().unwrap() {
        assert_eq!(row["difference_ns"], 0.0, "{row}");
    }
}

#[test]
fn steps_that_all_take_the_same_time_are_compared_too() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 250);
    recording::folder(&place.path().join("b.lap"), 250);
    let left = place.laptime(&["compare", "a.lap", "b.lap", "--json"]);
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    assert_eq!(json(&left)["pairs"][0]["verdict"], "same");
}

#[test]
fn several_runs_a_side_are_one_comparison() {
    let place = Place::new();
    for run in 0..5 {
        let at = |name: &str| place.path().join(format!("{name}-{run}.lap"));
        let drift = run % 3;
        recording::folder_of(&at("a"), &steps(60, 100 + drift, 40, run), &[]);
        recording::folder_of(&at("b"), &steps(60, 130 + drift, 70, run + 9), &[]);
    }
    let mut typed = vec!["compare".to_owned()];
    typed.extend((0..5).map(|run| format!("a-{run}.lap")));
    typed.push("--new".to_owned());
    typed.extend((0..5).map(|run| format!("b-{run}.lap")));
    typed.push("--json".to_owned());
    let typed: Vec<&str> = typed.iter().map(String::as_str).collect();
    let left = place.laptime(&typed);
    assert_eq!(left.code, 3, "{}", left.err);
    let found = json(&left);
    assert_eq!(found["base"]["recordings"].as_array().unwrap().len(), 5);
    assert_eq!(found["pairs"].as_array().unwrap().len(), 1);
    assert_eq!(
        found["pairs"][0]["cause"]["parts"][0]["path"],
        "step/forward"
    );
    assert_eq!(found["pairs"][0]["notes"].as_array().unwrap().len(), 0);
}

#[test]
fn each_further_recording_is_compared_with_the_first() {
    let place = slower();
    recording::folder_of(&place.path().join("c.lap"), &steps(200, 80, 20, 3), &[]);
    let left = place.laptime(&["compare", "a.lap", "b.lap", "c.lap", "--json"]);
    assert_eq!(left.code, 3, "{}", left.err);
    let found = json(&left);
    let verdicts: Vec<&Value> = found["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| &pair["verdict"])
        .collect();
    assert_eq!(verdicts, ["slower", "faster"]);
}

#[test]
fn in_a_series_the_first_recording_after_a_change_is_named() {
    let place = Place::new();
    let names: Vec<String> = (0..10).map(|run| format!("run-{run}.lap")).collect();
    for (run, name) in (0..).zip(&names) {
        let step_ms = if run < 6 { 100 } else { 120 } + run % 2;
        let at = place.path().join(name);
        recording::folder_of(&at, &steps(60, step_ms, 40, run), &[]);
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let left = place.laptime(&[&["compare"], &names[..]].concat());
    assert_eq!(left.code, 3, "{}", left.err);
    assert!(
        left.out.contains("From run-6.lap on a step takes"),
        "{}",
        left.out
    );
    let few = place.laptime(&[&["compare", "--json"], &names[..5]].concat());
    assert_eq!(json(&few).get("changes"), None);
}

#[test]
fn a_limit_decides_where_there_is_one() {
    let place = slower();
    let with = |limit: &str| {
        let left = place.laptime(&["compare", "a.lap", "b.lap", "--fail-on", limit]);
        (left.code, left.err)
    };
    assert_eq!(with("step:p50 > 5%").0, 3);
    assert_eq!(with("step:p50 > 50%").0, 0);
    assert_eq!(with("step/forward:mean > 15 ms").0, 3);
    assert_eq!(with("step/forward:mean > 25ms").0, 0);
    assert_eq!(with("step:max > 1 s").0, 0);
}

#[test]
fn a_limit_that_noise_hides_fails_only_when_strict() {
    let place = slower();
    let limit = ["compare", "a.lap", "b.lap", "--fail-on", "step:p50 > 20%"];
    assert_eq!(place.laptime(&limit).code, 0);
    assert_eq!(place.laptime(&[&limit[..], &["--strict"]].concat()).code, 4);
}

#[test]
fn a_limit_that_is_written_wrongly_is_a_slip_with_an_example() {
    let place = slower();
    for (limit, what) in [
        ("step:p50", "there is no >"),
        ("step > 5%", "no statistic is named"),
        ("step:p51 > 5%", "\"p51\" is no statistic"),
        ("step:p50 > 5", "\"5\" has no unit"),
        ("step:p50 > 5 MiB", "another unit than its statistic"),
        ("step:p50 > -5%", "is no limit from 0"),
        (":p50 > 5%", "no path is named"),
    ] {
        let left = place.laptime(&["compare", "a.lap", "b.lap", "--fail-on", limit]);
        assert_eq!(left.code, 2, "{limit}");
        assert!(left.err.contains(what), "{limit}: {}", left.err);
        assert!(left.err.contains("'step:p50 > 5%'"), "{}", left.err);
    }
}

#[test]
fn a_limit_on_what_is_not_there_is_a_slip() {
    let place = slower();
    let typed = [
        "compare",
        "a.lap",
        "b.lap",
        "--fail-on",
        "step/forwards:p50 > 5%",
    ];
    let left = place.laptime(&typed);
    assert_eq!((left.code, left.out.as_str()), (2, ""));
    insta::assert_snapshot!(left.err, @r#"
    laptime: error: --fail-on "step/forwards:p50 > 5%": not every recording has that
    hint: paths here: step/forward, step
    "#);
}

#[test]
fn another_machine_is_not_compared_unless_it_is_asked_for() {
    let place = Place::new();
    let on = |name: &str, machine: &str, step_ms: u64| {
        let notes = [("environment.machine", machine)];
        let at = place.path().join(name);
        recording::folder_of(&at, &steps(200, step_ms, 40, 1), &notes);
    };
    on("a.lap", "one", 100);
    on("b.lap", "other", 120);
    let left = place.laptime(&["compare", "a.lap", "b.lap"]);
    assert_eq!(left.code, 5, "{}", left.err);
    assert!(
        left.out.contains("The machine differs: one and other."),
        "{}",
        left.out
    );
    assert!(left.out.contains("not comparable\n"), "{}", left.out);
    let left = place.laptime(&["compare", "a.lap", "b.lap", "--allow-different"]);
    assert_eq!(left.code, 3, "{}", left.err);
    let heading = "compared although they differ\n";
    assert!(left.out.contains(heading), "{}", left.out);
}

#[test]
fn few_steps_are_compared_without_an_interval_over_runs() {
    let place = Place::new();
    recording::folder_of(&place.path().join("a.lap"), &steps(1, 100, 40, 1), &[]);
    recording::folder_of(&place.path().join("b.lap"), &steps(1, 120, 40, 1), &[]);
    let left = place.laptime(&["compare", "a.lap", "b.lap", "--json"]);
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    let pair = json(&left)["pairs"][0].clone();
    assert_eq!(pair["verdict"], "inconclusive");
    assert_eq!(pair["whole"]["ratio_low"], Value::Null);
    let strict = place.laptime(&["compare", "a.lap", "b.lap", "--strict"]);
    assert_eq!(strict.code, 4, "{}", strict.err);
}

#[test]
fn runs_of_two_programs_in_one_list_are_answered_with_what_parts_them() {
    let place = Place::new();
    for (name, ms) in [
        ("old-1", 100),
        ("old-2", 101),
        ("new-1", 120),
        ("new-2", 121),
    ] {
        let at = place.path().join(format!("{name}.lap"));
        recording::folder_of(&at, &steps(50, ms, 40, 1), &[]);
    }
    let typed = [
        "compare",
        "old-1.lap",
        "old-2.lap",
        "new-1.lap",
        "new-2.lap",
    ];
    let left = place.laptime(&typed);
    let next = "laptime compare old-1.lap old-2.lap --new new-1.lap new-2.lap";
    assert!(left.err.contains(next), "{}", left.err);
    let left = place.laptime(&["compare", "old-1.lap", "new-1.lap"]);
    assert!(!left.err.contains("runs of two programs"), "{}", left.err);
    // A shell makes names of a pattern: it is found again, or there is no command of so many names.
    let typed = |new: [&str; 2]| {
        let sides = ["compare", "old-1.lap", "old-2.lap", "--new"];
        place.laptime(&[&sides[..], &new].concat()).err
    };
    let all = typed(["new-1.lap", "new-2.lap"]);
    let next = "next: laptime compare old-*.lap --new new-*.lap -o compared.html --open";
    assert!(all.contains(next), "{all}");
    let none = typed(["new-1.lap", "old-2.lap"]);
    assert!(!none.contains("next: "), "{none}");
}

#[test]
fn a_recording_is_neither_written_over_nor_replaced_as_a_baseline_by_what_cannot_be_read() {
    let place = slower();
    let left = place.laptime(&["pack", "b.lap", "-o", "packed.lap"]);
    assert_eq!(left.code, 0, "{}", left.err);
    let before = std::fs::read(place.path().join("packed.lap")).unwrap();
    let typed = [
        "compare",
        "a.lap",
        "packed.lap",
        "-f",
        "json",
        "-o",
        "packed.lap",
    ];
    let left = place.laptime(&typed);
    assert_eq!(left.code, 1, "{}", left.err);
    let after = std::fs::read(place.path().join("packed.lap")).unwrap();
    assert_eq!(before, after);
    let save = |recording| place.laptime(&["compare", "--save-baseline", "main", recording]);
    assert_eq!(save("a.lap").code, 0);
    std::fs::write(place.path().join("cut.lap"), &before[..3_000]).unwrap();
    assert_eq!(save("cut.lap").code, 6);
    let left = place.laptime(&["compare", "--baseline", "main", "b.lap"]);
    assert_eq!(left.code, 3, "{}", left.err);
    // What is slower is not offered as the next base.
    assert!(!left.err.contains("--save-baseline"), "{}", left.err);
    let left = place.laptime(&["compare", "--baseline", "main", "a.lap"]);
    assert!(
        left.err.contains("--save-baseline main a.lap"),
        "{}",
        left.err
    );
}

#[test]
fn what_is_no_recording_is_said() {
    let place = slower();
    place.file("train.py", "print(1)");
    let left = place.laptime(&["compare", "a.lap", "train.py"]);
    assert_eq!((left.code, left.out.as_str()), (6, ""));
    insta::assert_snapshot!(left.err, @r#"
    laptime: error: train.py: not a Laptime recording: it begins with "print(1)", not with "LAPTIME"
    hint: train.py is a Python script: `laptime run train.py` records it
    "#);
    let left = place.laptime(&["compare", "a.lap", "missing.lap"]);
    assert_eq!(left.code, 6);
    let left = place.laptime(&["compare", "a.lap"]);
    assert_eq!(left.code, 2);
    insta::assert_snapshot!(left.err, @r"
    laptime: error: a.lap is the base, and nothing is named to compare it with
    hint: laptime compare a.lap NEW.lap; several runs a side: laptime compare base-*.lap --new new-*.lap
    ");
}

#[test]
fn every_format_is_written() {
    let place = slower();
    let with = |more: &[&str]| {
        let left = place.laptime(&[&["compare", "a.lap", "b.lap"], more].concat());
        assert_eq!(left.code, 3, "{}", left.err);
        left.out
    };
    insta::assert_snapshot!(with(&["-f", "markdown"]), @r#"
    ## a.lap → b.lap

    A step takes 121 ms, 20.2 ms (20 %) longer. 20.0 of these 20.2 ms are forward.

    1 run against 1 run · steady state from step 0  
    medians with 95 % intervals; changes within ±1 % are none

    | lap | baseline | candidate | change | 95 % interval | difference | self part | verdict |
    | :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
    | step | 101 ms | 121 ms | +20.0 % | +19.7 to +20.3 % | +20.2 ms | 0.9 % | slower |
    | &emsp;forward | 40.0 ms | 60.0 ms | +50.0 % | +50.0 to +50.0 % | +20.0 ms | 99.1 % | slower |

    baseline, candidate and difference are of medians: difference is what a typical step takes longer

    self part is the share of a step's difference without what the laps inside take: in a step all add up to 100 %

    > **Warning:** a side with one run can't tell how much two runs of the same program differ: these intervals are about the steps of the runs that were recorded  
    > *Hint:* record each side five times: laptime compare base-\*.lap --new new-\*.lap
    "#);
    let page = with(&["-f", "html"]);
    assert!(page.contains("<title>a.lap → b.lap – Laptime</title>"));
    assert!(page.contains("takes"), "{page}");
    for (name, begin) in [
        ("c.html", "<!doctype html>"),
        ("c.md", "## "),
        ("c.json", "{"),
    ] {
        assert_eq!(with(&["-o", name]), "");
        let written = std::fs::read_to_string(place.path().join(name)).unwrap();
        assert!(written.starts_with(begin), "{written}");
    }
    let left = place.laptime(&["compare", "a.lap", "b.lap", "-o", "c.csv"]);
    assert_eq!(left.code, 2);
}

#[test]
fn a_baseline_is_kept_and_compared_with() {
    let place = slower();
    std::fs::write(place.path().join("pyproject.toml"), "").unwrap();
    let saved = place.laptime(&["compare", "--save-baseline", "main", "a.lap", "a.lap"]);
    assert_eq!(saved.code, 0, "{}", saved.err);
    assert!(saved.out.trim_end().ends_with(".laptime/baselines/main"));
    let with = ["compare", "--baseline", "main", "b.lap", "--json"];
    let found = json(&place.laptime(&with));
    assert_eq!(found["base"]["recordings"].as_array().unwrap().len(), 2);
    // Without its recordings: it was copied.
    std::fs::remove_dir_all(place.path().join("a.lap")).unwrap();
    assert_eq!(json(&place.laptime(&with)), found);
    let again = place.laptime(&["compare", "--save-baseline", "main", "b.lap"]);
    assert_eq!(again.code, 0, "{}", again.err);
    let found = json(&place.laptime(&with));
    assert_eq!(found["pairs"][0]["verdict"], "same");
    let folder = place.path().join(".laptime/baselines");
    let left: Vec<_> = folder.read_dir().unwrap().flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn jobs_that_save_one_baseline_at_once_leave_one_of_them_whole() {
    let place = slower();
    std::fs::write(place.path().join("pyproject.toml"), "").unwrap();
    let save = |names: &[&str]| {
        let mut command = place.command();
        command
            .args(["compare", "--save-baseline", "main"])
            .args(names);
        command.stdout(std::process::Stdio::null()).spawn().unwrap()
    };
    let mut jobs: Vec<_> = (0..4)
        .map(|job| save(&["a.lap", "b.lap", "a.lap"][job % 2..]))
        .collect();
    for job in &mut jobs {
        assert!(job.wait().unwrap().success());
    }
    let kept = place.path().join(".laptime/baselines/main");
    let count = kept.read_dir().unwrap().count();
    assert!([2, 3].contains(&count), "{count}");
}

#[test]
fn a_baseline_that_is_not_there_is_a_slip() {
    let place = slower();
    std::fs::write(place.path().join("pyproject.toml"), "").unwrap();
    let left = place.laptime(&["compare", "--baseline", "main", "b.lap"]);
    assert_eq!(left.code, 2);
    assert!(
        left.err.contains("--save-baseline main RECORDING"),
        "{}",
        left.err
    );
    let left = place.laptime(&["compare", "--baseline", "../main", "b.lap"]);
    assert_eq!(left.code, 2);
    assert!(
        left.err.contains("is no name for a baseline"),
        "{}",
        left.err
    );
}

#[test]
fn files_of_benchmarks_are_compared_by_name() {
    let place = Place::new();
    let samples = |level: f64, count: usize| -> Vec<f64> {
        (0..count)
            .map(|index| level * (1.0 + 0.002 * ((index * 7) % 10) as f64))
            .collect()
    };
    let file = |name: &str, each: &[(&str, f64)]| {
        let each = each.iter().map(|(name, level)| {
            serde_json::json!({"name": name, "samples_ns": samples(*level, 40), "iterations": 1})
        });
        let each: Vec<serde_json::Value> = each.collect();
        let whole =
            serde_json::json!({"schema": "laptime-benchmark", "version": 1, "benchmarks": each});
        place.file(name, &whole.to_string());
    };
    file("a.json", &[("sort", 1e6), ("sum", 2e3), ("gone", 1.0)]);
    file("b.json", &[("sort", 1.1e6), ("sum", 2e3)]);
    let left = place.laptime(&["compare", "a.json", "b.json"]);
    assert_eq!(left.code, 3, "{}", left.err);
    insta::assert_snapshot!(left.out, @r"
    a.json → b.json  sort takes 1.11 ms, 101 µs (10 %) longer.
    1 measurement against 1 measurement · medians with 95 % intervals; changes within ±1 % are none

    benchmark  baseline  candidate   change    95 % interval  difference  verdict
    ─────────────────────────────────────────────────────────────────────────────
    sort        1.01 ms    1.11 ms  +10.0 %  +9.5 to +10.5 %     +101 µs   slower
    gone                                                                  removed
    sum         2.02 µs    2.02 µs    0.0 %   -0.4 to +0.4 %        0 ns     same
    baseline, candidate and difference are of medians: difference is what a typical iteration takes
    longer

    warning: of 3 benchmarks: 1 slower, 1 same, 1 on one side only

    warning: a side with one measurement can't tell how much two of the same program differ: these
             intervals are about the samples that were taken
       hint: take turns where you can: laptime bench A B, or lt.compare({'a': f, 'b': g})
    ");
    let left = place.laptime(&["compare", "a.json", "b.json", "--fail-on", "sum:p50 > 5%"]);
    assert_eq!(left.code, 0, "{}", left.out);
    let left = place.laptime(&["compare", "a.json", "b.json", "--fail-on", "sort:p50 > 5%"]);
    assert_eq!(left.code, 3, "{}", left.out);
    // Several measurements a side are what the verdict rests on.
    for index in 0..5 {
        let level = 1.0 + 0.001 * f64::from(index);
        file(&format!("base-{index}.json"), &[("sort", 1e6 * level)]);
        file(&format!("new-{index}.json"), &[("sort", 1.1e6 * level)]);
    }
    let mut typed = vec!["compare".to_owned()];
    typed.extend((0..5).map(|index| format!("base-{index}.json")));
    typed.push("--new".to_owned());
    typed.extend((0..5).map(|index| format!("new-{index}.json")));
    let typed: Vec<&str> = typed.iter().map(String::as_str).collect();
    let left = place.laptime(&typed);
    assert_eq!(left.code, 3, "{}", left.out);
    assert!(
        left.out.contains("5 measurements against 5 measurements"),
        "{}",
        left.out
    );
    assert!(!left.out.contains("warning"), "{}", left.out);
}

#[test]
fn files_that_are_no_benchmarks_are_said() {
    let place = slower();
    place.file(
        "a.json",
        r#"{"schema": "laptime-benchmark", "version": 1, "benchmarks": [{"name": "f", "samples_ns": [1.0]}]}"#,
    );
    place.file(
        "later.json",
        r#"{"schema": "laptime-benchmark", "version": 2, "benchmarks": []}"#,
    );
    place.file("cut.json", r#"{"schema": "laptime-benchmark", "ver"#);
    place.file("other.json", r#"{"name": "a package"}"#);
    for (base, new, said) in [
        ("a.json", "later.json", "version 2 is later than 1"),
        (
            "a.json",
            "cut.json",
            "cut.json: not benchmarks that Laptime wrote: EOF",
        ),
        (
            "a.json",
            "other.json",
            "but the base is a file of benchmarks",
        ),
        ("a.json", "a.lap", "but the base is a file of benchmarks"),
        (
            "a.lap",
            "a.json",
            "`laptime compare a.json OTHER.json` compares them",
        ),
        (
            "other.json",
            "a.json",
            "other.json: not a Laptime recording",
        ),
    ] {
        let left = place.laptime(&["compare", base, new]);
        assert_eq!(left.code, 6, "{}", left.err);
        assert!(left.err.contains(said), "{}", left.err);
    }
    let left = place.laptime(&["report", "a.json"]);
    assert!(left.err.contains("a.json has benchmarks"), "{}", left.err);
}
