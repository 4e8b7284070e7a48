//! `laptime compare` on files of benchmarks: what isn't one is said, machines must be alike, and baselines keep
//! them.

use serde_json::{Value, json};

use crate::place::{Left, Place};
use crate::recording;

/// A file with one benchmark of this level.
fn file(place: &Place, name: &str, level_ns: f64, machine: Option<Value>) {
    let samples: Vec<f64> = (0..40)
        .map(|index| level_ns * (1.0 + 0.002 * f64::from((index * 7) % 10)))
        .collect();
    let mut one = json!({"name": "sort", "samples_ns": samples});
    if let Some(machine) = machine {
        one["machine"] = machine;
    }
    let whole = json!({"schema": "laptime-benchmark", "version": 1, "benchmarks": [one]});
    place.file(name, &whole.to_string());
}

fn said(left: &Left) -> &str {
    left.err.as_str()
}

#[test]
fn what_is_no_file_of_benchmarks_is_said_to_be_what_it_is() {
    let place = Place::new();
    file(&place, "a.json", 1e6, None);
    recording::folder(&place.path().join("a.lap"), 30);
    std::fs::create_dir(place.path().join("folder")).unwrap();
    place.file("empty.json", "");
    place.file("object.json", "{}");
    place.file("bytes.bin", "\u{1}\u{2}\u{3}");
    place.file(
        "inference.json",
        r#"{"cases": [], "schema": "laptime-inference"}"#,
    );
    let compared = place.laptime(&["compare", "a.lap", "a.lap", "-f", "json"]);
    place.file("comparison.json", &compared.out);
    let told = |name: &str| {
        let left = place.laptime(&["compare", "a.json", name]);
        assert_eq!((left.code, left.out.as_str()), (6, ""));
        left.err
    };
    let all: Vec<String> = [
        "none.json",
        "empty.json",
        "object.json",
        "folder",
        "a.lap",
        "bytes.bin",
        "inference.json",
        "comparison.json",
    ]
    .map(told)
    .into();
    insta::assert_snapshot!(all.concat(), @r#"
    laptime: error: none.json: no such file
    hint: `laptime bench -o NEW.json COMMAND`, or .save("NEW.json") of what lt.bench found, writes benchmarks
    laptime: error: empty.json is empty, but the base is a file of benchmarks
    hint: `laptime bench -o NEW.json COMMAND`, or .save("NEW.json") of what lt.bench found, writes benchmarks
    laptime: error: object.json is JSON of something else, but the base is a file of benchmarks
    hint: `laptime bench -o NEW.json COMMAND`, or .save("NEW.json") of what lt.bench found, writes benchmarks
    laptime: error: folder is a folder, but the base is a file of benchmarks
    hint: `laptime bench -o NEW.json COMMAND`, or .save("NEW.json") of what lt.bench found, writes benchmarks
    laptime: error: a.lap is a recording, but the base is a file of benchmarks
    hint: compare a recording with a recording: laptime compare OTHER.lap a.lap
    laptime: error: bytes.bin is neither benchmarks nor a recording, but the base is a file of benchmarks
    hint: `laptime bench -o NEW.json COMMAND`, or .save("NEW.json") of what lt.bench found, writes benchmarks
    laptime: error: inference.json is a measurement of a model's answers, from lt.bench_inference, but the base is a file of benchmarks
    hint: `laptime bench -o NEW.json COMMAND`, or .save("NEW.json") of what lt.bench found, writes benchmarks
    laptime: error: comparison.json is a comparison, which `laptime compare -f json` wrote, but the base is a file of benchmarks
    hint: `laptime bench -o NEW.json COMMAND`, or .save("NEW.json") of what lt.bench found, writes benchmarks
    "#);
}

#[test]
fn other_json_of_laptime_is_no_recording_and_said_to_be_what_it_is() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 30);
    let summary = place.laptime(&["report", "a.lap", "-f", "json"]);
    place.file("summary.json", &summary.out);
    let alone = place.laptime(&["compare", "summary.json"]);
    assert_eq!(alone.code, 6);
    insta::assert_snapshot!(said(&alone), @"
    laptime: error: summary.json: not a Laptime recording: it is a report, which `laptime report -f json` wrote
    hint: name the recording itself, which ends in .lap
    ");
    let two = place.laptime(&["compare", "summary.json", "a.lap"]);
    assert_eq!(two.err, alone.err);
    let report = place.laptime(&["report", "summary.json"]);
    assert_eq!(report.err, alone.err);
}

#[test]
fn a_file_of_benchmarks_alone_is_hinted_another_one() {
    let place = Place::new();
    file(&place, "a.json", 1e6, None);
    let left = place.laptime(&["compare", "a.json"]);
    assert_eq!(left.code, 2);
    insta::assert_snapshot!(said(&left), @"
    laptime: error: a.json is the base, and nothing is named to compare it with
    hint: laptime compare a.json NEW.json; several measurements a side: laptime compare base-*.json --new new-*.json
    ");
    let left = place.laptime(&["compare", "a.lap"]);
    assert!(
        said(&left).contains("laptime compare a.lap NEW.lap"),
        "{}",
        left.err
    );
}

#[test]
fn a_limit_on_what_benchmarks_do_not_have_is_a_slip() {
    let place = Place::new();
    file(&place, "a.json", 1e6, None);
    let left = place.laptime(&[
        "compare",
        "a.json",
        "a.json",
        "--fail-on",
        "sort:peak > 1 MB",
    ]);
    assert_eq!(left.code, 2);
    insta::assert_snapshot!(said(&left), @r#"
    laptime: error: --fail-on "sort:peak > 1 MB": benchmarks have no limit but on p50, the median
    hint: --fail-on 'sort:p50 > 5%'
    "#);
}

#[test]
fn a_limit_on_memory_that_was_not_recorded_says_how_to_record_it() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 30);
    let left = place.laptime(&["compare", "a.lap", "a.lap", "--fail-on", "step:peak > 1 MB"]);
    assert_eq!(left.code, 2);
    insta::assert_snapshot!(said(&left), @r#"
    laptime: error: --fail-on "step:peak > 1 MB": memory was not recorded on both sides
    hint: laptime run --memory counts what every lap allocates: record both sides with it
    "#);
}

#[test]
fn benchmarks_of_two_machines_are_not_compared_unless_that_is_asked_for() {
    let place = Place::new();
    let machine = |cores: u64, python: &str| json!({"processor": "P", "cores": cores, "system": "Linux x86_64", "python": python});
    file(&place, "a.json", 1e6, Some(machine(4, "3.12.1")));
    file(&place, "b.json", 2e6, Some(machine(8, "3.12.1")));
    file(&place, "c.json", 2e6, Some(machine(4, "3.13.0")));
    let left = place.laptime(&["compare", "a.json", "b.json"]);
    assert_eq!(left.code, 5, "{}", left.out);
    insta::assert_snapshot!(left.out, @"
    a.json → b.json  sort takes 2.02 ms, before it took 1.01 ms, but these can't be compared. The number
    of processors differs: 4 and 8.
    1 measurement against 1 measurement · medians with 95 % intervals; changes within ±1 % are none

    not comparable
    · The number of processors differs: 4 and 8.

    benchmark  baseline  candidate    change      95 % interval  difference         verdict
    ───────────────────────────────────────────────────────────────────────────────────────
    sort        1.01 ms    2.02 ms  +100.0 %  +99.2 to +100.8 %    +1.01 ms  not comparable
    baseline, candidate and difference are of medians: difference is what a typical iteration takes
    longer

    warning: a side with one measurement can't tell how much two of the same program differ: these
             intervals are about the samples that were taken
       hint: take turns where you can: laptime bench A B, or lt.compare({'a': f, 'b': g})
    ");
    let left = place.laptime(&["compare", "a.json", "b.json", "--allow-different"]);
    assert_eq!(left.code, 3, "{}", left.out);
    let left = place.laptime(&["compare", "a.json", "c.json"]);
    assert_eq!(left.code, 3, "{}", left.out);
    assert!(
        left.out
            .contains("base ran with Python 3.12.1, new with 3.13.0"),
        "{}",
        left.out
    );
}

#[test]
fn a_baseline_of_benchmarks_is_kept_and_compared_with() {
    let place = Place::new();
    file(&place, "a.json", 1e6, None);
    file(&place, "b.json", 2e6, None);
    let left = place.laptime(&["compare", "--save-baseline", "main", "a.json"]);
    assert_eq!(left.code, 0, "{}", left.err);
    assert!(
        left.err.contains("--baseline main NEW.json"),
        "{}",
        left.err
    );
    let kept = place.path().join(".laptime/baselines/main/1-a.json");
    assert!(kept.is_file());
    let left = place.laptime(&["compare", "--baseline", "main", "b.json"]);
    assert_eq!(left.code, 3, "{}", left.err);
    assert!(left.out.contains("sort takes 2.02 ms"), "{}", left.out);
    let left = place.laptime(&["compare", "--baseline", "main", "a.json"]);
    assert_eq!(left.code, 0, "{}", left.err);
    assert!(
        left.err.contains("--save-baseline main a.json"),
        "{}",
        left.err
    );
    // One of recordings takes its place.
    recording::folder(&place.path().join("a.lap"), 30);
    let mixed = place.laptime(&["compare", "--save-baseline", "main", "a.json", "a.lap"]);
    assert_eq!(mixed.code, 6);
    assert!(mixed.err.contains("a.lap is a recording"), "{}", mixed.err);
    assert!(kept.is_file());
    let left = place.laptime(&["compare", "--save-baseline", "main", "a.lap"]);
    assert_eq!(left.code, 0, "{}", left.err);
    assert!(!kept.exists());
}

#[test]
fn what_killed_jobs_left_beside_baselines_goes_once_it_is_old() {
    let place = Place::new();
    file(&place, "a.json", 1e6, None);
    let folder = place.path().join(".laptime/baselines");
    for (name, written) in [(".new-old", "2 hours ago"), (".new-now", "now")] {
        std::fs::create_dir_all(folder.join(name)).unwrap();
        std::fs::write(folder.join(name).join("1-a.lap"), "half").unwrap();
        for path in [folder.join(name).join("1-a.lap"), folder.join(name)] {
            let touched = std::process::Command::new("touch")
                .args(["-d", written])
                .arg(path)
                .status();
            assert!(touched.unwrap().success());
        }
    }
    let left = place.laptime(&["compare", "--save-baseline", "main", "a.json"]);
    assert_eq!(left.code, 0, "{}", left.err);
    assert!(!folder.join(".new-old").exists() && folder.join(".new-now").exists());
}
