//! Recordings that are cut, damaged, or hold what isn't theirs.

use std::fs;
use std::path::{Path, PathBuf};

use laptime::Recorded;
use laptime_analysis::Summary;
use laptime_core::format::process::START_CHECK_OFFSET;
use laptime_reader::ReadError;

use crate::recording::{PID, folder, process, run, window};

fn strictly(path: &Path) -> Result<Summary, ReadError> {
    Recorded::new(path).summary()
}

fn leniently(path: &Path) -> Result<Summary, ReadError> {
    let salvage = true;
    Recorded {
        salvage,
        ..Recorded::new(path)
    }
    .summary()
}

fn steps(summary: &Summary) -> u64 {
    summary.row("step").and_then(|row| row.count).unwrap_or(0)
}

fn packed(place: &Path) -> PathBuf {
    folder(&place.join("a.lap"), 250);
    let arguments = ["laptime", "pack", "a.lap", "-o", "b.lap"].map(|word| match word {
        "a.lap" | "b.lap" => place.join(word).into_os_string(),
        word => word.into(),
    });
    let (mut out, mut err) = (Vec::new(), Vec::new());
    assert_eq!(laptime_cli::run(arguments, &mut out, &mut err), 0);
    place.join("b.lap")
}

#[test]
fn a_process_without_its_file_is_said_to_be_missing() {
    let place = crate::place::Place::new();
    folder(&place.path().join("a.lap"), 7);
    let at = place.path().join("a.lap/run.json");
    let told = laptime_core::RunInfo {
        processes: Some(3),
        ..run(7)
    };
    fs::write(&at, told.to_json()).unwrap();
    place.laptime(&["pack", "a.lap", "-o", "b.lap"]);
    for name in ["a.lap", "b.lap"] {
        let shown = place.laptime(&["report", name]).out;
        let said = "2 of 3 processes recorded and have no file here";
        assert!(
            shown
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .contains(said),
            "{shown}"
        );
    }
    for entry in fs::read_dir(place.path().join("a.lap")).unwrap() {
        let path = entry.unwrap().path();
        if path != at {
            fs::remove_file(path).unwrap();
        }
    }
    let shown = place.laptime(&["report", "a.lap"]).out;
    assert!(
        shown.contains("no span is left: the warnings below"),
        "{shown}"
    );
    assert!(shown.contains("3 of 3 processes"), "{shown}");
}

#[test]
fn a_packed_recording_cut_anywhere_gives_an_error_or_what_came_before() {
    let place = tempfile::tempdir().unwrap();
    let path = packed(place.path());
    let whole = fs::read(&path).unwrap();
    assert_eq!(steps(&strictly(&path).unwrap()), 250);
    // An archive ends with two empty blocks, of which one is enough.
    let end = whole.len() - 512;
    let mut before = 0;
    for length in (0..1_100).chain((1_100..whole.len()).step_by(1_021)) {
        fs::write(&path, &whole[..length]).unwrap();
        // A longer piece never tells less.
        let now = leniently(&path).map_or(0, |summary| steps(&summary));
        assert!(
            (before..=250).contains(&now),
            "cut at {length}: {now} after {before}"
        );
        before = now;
        if let Ok(summary) = strictly(&path) {
            assert_eq!(steps(&summary), now, "cut at {length}");
            let is_said = summary
                .warnings
                .iter()
                .any(|known| known.code() == "truncated");
            assert!(is_said || length >= end, "cut at {length}");
        }
    }
    assert!(before > 200);
}

#[test]
fn a_packed_recording_with_any_byte_of_its_headers_changed_does_no_harm() {
    let place = tempfile::tempdir().unwrap();
    let path = packed(place.path());
    let whole = fs::read(&path).unwrap();
    for at in (0..512).chain(1_024..1_536) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x15;
        fs::write(&path, bytes).unwrap();
        // A damaged table of contents is an error, or hides entries; it never adds spans.
        for summary in [strictly(&path), leniently(&path)].into_iter().flatten() {
            assert!(steps(&summary) <= 250, "byte {at}");
        }
    }
}

#[test]
fn processes_of_one_run_are_summed_by_name() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.lap");
    folder(&path, 100);
    let mut other = process(100);
    other.truncate(32_768);
    other[12..16].copy_from_slice(&(PID + 1).to_le_bytes());
    other[START_CHECK_OFFSET..][..8].fill(0);
    let mut slot = window(0, 0, 30, false);
    slot[16..20].copy_from_slice(&(PID + 1).to_le_bytes());
    other.extend(slot);
    fs::write(path.join(format!("{}-cd.proc", PID + 1)), other).unwrap();
    let summary = strictly(&path).unwrap();
    assert_eq!(steps(&summary), 130);
    assert_eq!(summary.processes.len(), 2);
    assert!(summary.processes[0].is_main && summary.processes[0].pid == PID);
}

#[test]
fn a_pipe_in_the_folder_is_left_out_and_named() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.lap");
    folder(&path, 10);
    let pipe = path.join("30-ab.proc");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let summary = strictly(&path).unwrap();
    assert_eq!(steps(&summary), 10);
    let warning = summary.warnings[0].words().unwrap();
    assert_eq!(warning.code, "unreadable-file");
    assert!(
        warning.message.contains("30-ab.proc") && warning.message.contains("not a regular file")
    );
}
