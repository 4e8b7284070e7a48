//! `laptime doctor` tells what it finds, as text and as JSON, and leaves nothing behind.

use serde_json::Value;

use crate::place::Place;

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
fn settings_say_which_variable_is_ignored() {
    let place = Place::new();
    let mut asked = place.command();
    asked.env("LAPTIME_DEVICE", "gpu");
    let left = asked.args(["doctor", "--config"]).output().unwrap();
    let (out, err) = (
        String::from_utf8(left.stdout).unwrap(),
        String::from_utf8(left.stderr).unwrap(),
    );
    assert!(out.contains("device         events   default"), "{out}");
    assert!(
        err.starts_with(
            "laptime: warning: LAPTIME_DEVICE=\"gpu\" is not understood and is ignored; possible:"
        ),
        "{err}"
    );
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
        .filter(|name| *name != "NVIDIA device")
        .collect();
    insta::assert_snapshot!(names.join(", "), @"laptime, clock, two clock reads, span, recorded, span, off, disk, free, file size limit, files mapped, processes visible, memory of laps, functions, NVIDIA driver, hip, xpu, mps, python, boot");
}

/// `laptime doctor` where these libraries are found first.
fn with_libraries(folder: &std::path::Path, arguments: &[&str]) -> (Option<i32>, String) {
    let place = Place::new();
    let mut command = place.command();
    command.env("LD_LIBRARY_PATH", folder);
    let left = command.args(arguments).output().unwrap();
    let text = String::from_utf8(left.stdout).unwrap();
    (left.status.code(), text)
}

#[test]
fn doctor_shows_the_driver_and_each_device() {
    let folder = tempfile::tempdir().unwrap();
    laptime_fakes::with_drivers(folder.path());
    let (code, text) = with_libraries(folder.path(), &["doctor"]);
    assert_eq!(code, Some(0));
    let rows: Vec<String> = text
        .lines()
        .filter(|line| line.starts_with("NVIDIA"))
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    insta::assert_snapshot!(rows.join("\n"), @r"
    NVIDIA driver 580.95.05 runs CUDA up to 12.8
    NVIDIA device Fake GPU 0 cuda:0, 16.0 GiB, 132 multiprocessors, compute capability 9.0, GPU-fafafafa-fafa-fafa-fafa-fafafafafa00
    NVIDIA device Fake GPU 1 cuda:1, 32.0 GiB, 132 multiprocessors, compute capability 9.0, GPU-fafafafa-fafa-fafa-fafa-fafafafafa01
    ");
    let (_, json) = with_libraries(folder.path(), &["doctor", "--json"]);
    let found: Value = serde_json::from_str(&json).unwrap();
    let devices = &found["devices"];
    assert_eq!(devices["nvidia_driver"], "580.95.05");
    assert_eq!(devices["cuda"], "12.8");
    assert_eq!(devices["nvidia"][1]["name"], "Fake GPU 1");
    assert_eq!(devices["nvidia"].as_array().unwrap().len(), 2);
}

#[test]
fn doctor_tells_a_driver_that_has_no_management_library() {
    let folder = tempfile::tempdir().unwrap();
    laptime_fakes::with_drivers(folder.path());
    std::fs::remove_file(folder.path().join("libnvidia-ml.so.1")).unwrap();
    let (code, text) = with_libraries(folder.path(), &["doctor"]);
    assert_eq!(code, Some(0));
    let row = text.lines().find(|line| line.starts_with("NVIDIA driver"));
    let words: Vec<&str> = row.unwrap().split_whitespace().collect();
    assert_eq!(
        words.join(" "),
        "NVIDIA driver – runs CUDA up to 12.8; libnvidia-ml.so.1 is not installed: it comes with \
         the NVIDIA driver"
    );
}

#[test]
fn doctor_tells_a_driver_that_is_broken_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    for library in ["libcuda.so.1", "libnvidia-ml.so.1"] {
        std::fs::write(folder.path().join(library), "not a library").unwrap();
    }
    let (code, json) = with_libraries(folder.path(), &["doctor", "--json"]);
    assert_eq!(code, Some(0));
    let found: Value = serde_json::from_str(&json).unwrap();
    let devices = &found["devices"];
    for (number, why) in [("cuda", "cuda_why"), ("nvidia_driver", "nvidia_driver_why")] {
        assert_eq!(devices[number], Value::Null);
        let why = devices[why].as_str().unwrap();
        assert!(
            why.starts_with("the NVIDIA driver does not load: "),
            "{why}"
        );
    }
    assert_eq!(devices["others"][0]["kind"], "hip");
}

#[test]
fn config_says_where_each_value_came_from() {
    let place = Place::new();
    // No file is looked for, here or above.
    place.file("laptime.toml", "[run]\nphases = false\n");
    place.file("pyproject.toml", "[tool.laptime]\nreport.format = 'csv'\n");
    let left = place
        .command()
        .args(["doctor", "--config"])
        .env("LAPTIME_AUTO", "phases,modules")
        .env("LAPTIME_STACKS", "off")
        .env("LAPTIME_DEVICE", "sync")
        .env("LAPTIME_MEMORY", "objects")
        .output()
        .unwrap();
    let text = String::from_utf8(left.stdout).unwrap();
    insta::assert_snapshot!(text, @r"
    phases         true     environment, LAPTIME_AUTO
    modules        true     environment, LAPTIME_AUTO
    functions      false    environment, LAPTIME_STACKS
    device         sync     environment, LAPTIME_DEVICE
    streams        current  default
    memory         objects  environment, LAPTIME_MEMORY
    device_memory  fold     default of laptime run --memory; bounds elsewhere
    ");
}
