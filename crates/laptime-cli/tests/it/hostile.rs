//! Files that no program writes cost what their bytes are worth, through every door.
//!
//! The limits are far above what reading takes and far below what it took without bounds, so they
//! hold on any machine.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

#[path = "../../../laptime-reader/tests/hostile/mod.rs"]
mod files;

/// Runs the command with 30 s of CPU and 600 MB of memory; it needs a hundredth and a tenth of it.
fn limited(folder: &Path, arguments: &[&str]) -> Output {
    Command::new("sh")
        .args(["-c", "ulimit -t 30; ulimit -v 600000; exec \"$@\"", "sh"])
        .arg(env!("CARGO_BIN_EXE_laptime"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("sh runs")
}

/// Every way in which the command reads a recording.
const WAYS: [&[&str]; 9] = [
    &["report", "-f", "text"],
    &["report", "-f", "markdown"],
    &["report", "-f", "json"],
    &["report", "-f", "csv"],
    &["report", "-f", "html"],
    &["report", "--tree"],
    &["report", "--by", "process"],
    &["report", "--until", "loss < 1"],
    &["pack", "--force", "-o", "packed.lap"],
];

#[test]
fn deep_wide_and_long_files_are_read_within_limits() {
    let place = tempfile::tempdir().unwrap();
    for (name, bytes) in files::files() {
        let file = format!("{name}.proc");
        fs::write(place.path().join(&file), bytes).unwrap();
        for way in WAYS {
            let arguments: Vec<&str> = way.iter().copied().chain([&*file]).collect();
            let output = limited(place.path(), &arguments);
            let said = String::from_utf8_lossy(&output.stderr);
            let _ = fs::remove_file(place.path().join("packed.lap"));
            let expected = match way {
                ["pack", ..] => 0,
                // There is no metric.
                [_, "--until", _] if name != "backwards" => 2,
                _ if name == "backwards" => 6,
                _ => 0,
            };
            assert_eq!(
                output.status.code(),
                Some(expected),
                "{name} {way:?}: {said}"
            );
        }
    }
}

#[test]
fn a_sparse_file_takes_the_time_of_what_it_holds() {
    let place = tempfile::tempdir().unwrap();
    files::sparse(&place.path().join("sparse.proc"));
    for way in &WAYS[..7] {
        let arguments: Vec<&str> = way.iter().copied().chain(["sparse.proc"]).collect();
        let output = limited(place.path(), &arguments);
        assert!(output.status.success(), "{way:?}: {output:?}");
    }
}

#[test]
fn a_recording_of_many_processes_needs_few_descriptors() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("a.lap");
    fs::create_dir(&folder).unwrap();
    let bytes = files::chain(2);
    for number in 0..1_200 {
        let mut bytes = bytes.clone();
        let pid = 10_000 + number;
        files::set_process_id(&mut bytes, pid);
        fs::write(folder.join(format!("{pid}-ab.proc")), bytes).unwrap();
    }
    for way in [
        "report -f json a.lap",
        "report -f html -o a.html a.lap",
        "pack a.lap",
    ] {
        let command = format!("ulimit -n 40; exec \"$0\" {way}");
        let output = Command::new("sh")
            .args(["-c", &command, env!("CARGO_BIN_EXE_laptime")])
            .current_dir(place.path())
            .output()
            .expect("sh runs");
        assert!(output.status.success(), "{way}: {output:?}");
        if way.contains("json") {
            let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(summary["rows"][0]["count"], 1_200);
        }
    }
}

#[test]
fn what_lies_too_deep_is_one_path_and_is_said() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("chain.proc"), files::chain(6_000)).unwrap();
    let output = limited(place.path(), &["report", "-f", "json", "chain.proc"]);
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = summary["rows"].as_array().unwrap();
    let spans: Vec<_> = rows.iter().filter(|row| row["kind"] == "span").collect();
    assert_eq!(spans.len(), 513);
    let deep = spans.last().unwrap();
    assert_eq!(deep["names"].as_array().unwrap().last().unwrap(), "<deep>");
    assert_eq!(deep["count"], 1);
    let warnings = summary["warnings"].as_array().unwrap();
    let told = warnings
        .iter()
        .find(|warning| warning["code"] == "too-deep");
    let message = told.unwrap()["message"].as_str().unwrap();
    assert!(
        message.contains("5487 spans ran more than 512 levels deep"),
        "{message}"
    );
}

#[test]
fn a_members_name_never_acts_on_a_terminal() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("a.lap");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("20-ab.proc"), files::chain(3)).unwrap();
    fs::write(
        folder.join("30-\u{1b}[2J.proc"),
        "somebody's notes, and more of them",
    )
    .unwrap();
    fs::write(folder.join("40-\u{9b}1m.proc"), []).unwrap();
    for way in WAYS {
        let arguments: Vec<&str> = way.iter().copied().chain(["a.lap"]).collect();
        let output = limited(place.path(), &arguments);
        for bytes in [output.stdout, output.stderr] {
            let text = String::from_utf8_lossy(&bytes);
            let acts = text
                .chars()
                .any(|character| character.is_control() && !"\n\t\r".contains(character));
            assert!(!acts, "{way:?}: {text:?}");
        }
    }
}
