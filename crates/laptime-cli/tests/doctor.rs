//! `laptime doctor` tells what it finds, as text and as JSON, and leaves nothing behind.

mod place;

use place::Place;
use serde_json::Value;

#[test]
fn doctor_measures_and_leaves_nothing_behind() {
    let place = Place::new();
    let left = place.laptime(&["doctor", "--json"]);
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    let found: Value = serde_json::from_str(&left.out).unwrap();
    let cost = |name: &str| found["span"][name].as_f64().unwrap();
    assert!(cost("two_clock_reads_ns") > 0.0);
    assert!(cost("recorded_ns") > cost("two_clock_reads_ns"));
    assert!(cost("off_ns") < cost("recorded_ns"));
    assert!(found["limits"]["free_bytes"].as_u64().unwrap() > 0);
    assert_eq!(found["limits"]["mapping"], true);
    assert!(!found["clock"]["why"].as_str().unwrap().is_empty());
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn doctor_in_a_folder_that_cannot_be_written_says_why_a_number_is_absent() {
    let place = Place::new();
    let left = place
        .command()
        .current_dir("/proc")
        .args(["doctor", "--json"])
        .output()
        .unwrap();
    assert!(left.status.success());
    let found: Value = serde_json::from_slice(&left.stdout).unwrap();
    assert_eq!(found["span"]["recorded_ns"], Value::Null);
    assert!(
        found["span"]["recorded_why"]
            .as_str()
            .unwrap()
            .contains("laptime-doctor")
    );
    assert_eq!(found["limits"]["mapping"], false);
}

#[test]
fn doctor_names_every_finding() {
    let left = Place::new().laptime(&["doctor"]);
    assert_eq!(left.code, 0);
    let names: Vec<&str> = left
        .out
        .lines()
        .map(|line| line.split("  ").next().unwrap())
        .collect();
    insta::assert_snapshot!(names.join(", "), @"laptime, clock, two clock reads, span, recorded, span, off, disk, free, file size limit, files mapped, processes visible, memory of laps, python, boot");
}

#[test]
fn config_says_where_each_value_came_from() {
    let place = Place::new();
    place.file("laptime.toml", "[report]\nsort = 'self'\n");
    place.file(
        "pyproject.toml",
        "[tool.laptime]\nreport = { sort = 'name', format = 'csv' }\n",
    );
    let left = place
        .command()
        .args(["doctor", "--config"])
        .env("LAPTIME_AUTO", "phases,modules")
        .output()
        .unwrap();
    let text = String::from_utf8(left.stdout).unwrap();
    let folder = format!("{}/", place.path().canonicalize().unwrap().display());
    insta::assert_snapshot!(text.replace(&folder, ""), @r"
    run.phases     true  environment, LAPTIME_AUTO
    run.modules    true  environment, LAPTIME_AUTO
    report.format  csv   pyproject.toml
    report.sort    self  laptime.toml
    ");
}
