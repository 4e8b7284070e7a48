//! A recording of which something is missing or in the wrong place never passes for a whole one.

use std::fs;
use std::path::{Path, PathBuf};

use laptime::Recorded;
use laptime_analysis::{ProcessState, Summary};
use laptime_core::RunInfo;
use laptime_core::format::process::window_offset;
use laptime_core::format::window::WINDOW_LEN;
use laptime_reader::ReadError;
use laptime_recorder::{RecordOptions, Site, enter, exit, record};

use crate::own_process;

/// A recording of this process with several windows, and its process's file.
fn recorded(place: &Path) -> (PathBuf, PathBuf) {
    let recording = record(&place.join("a.lap"), &RecordOptions::default()).unwrap();
    for _ in 0..50_000 {
        exit(enter(Site::intern("cut")).unwrap());
    }
    let running = read(&place.join("a.lap")).unwrap();
    assert_eq!(running.processes[0].state, ProcessState::Running);
    let is_doubted = running
        .warnings
        .iter()
        .any(|doubt| doubt.code() == "not-closed");
    assert!(!is_doubted, "it goes on");
    let path = recording.finish().unwrap();
    let files = fs::read_dir(&path)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let is_process = |file: &PathBuf| file.extension().is_some_and(|is| is == "proc");
    let file = files.into_iter().find(is_process).unwrap();
    (path, file)
}

fn read(path: &Path) -> Result<Summary, ReadError> {
    Recorded::new(path).summary()
}

/// The codes of what is said about it, but for doubts about the machine.
fn said(path: &Path) -> Vec<String> {
    let warnings = read(path).unwrap().warnings.into_iter();
    let codes = warnings.map(|doubt| doubt.code().to_owned());
    codes
        .filter(|code| code != "busy-machine" && code != "nominal-clock")
        .collect()
}

#[test]
fn what_is_missing_or_misplaced_is_said() {
    own_process::run(|| {
        let place = tempfile::tempdir().unwrap();
        let (path, file) = recorded(place.path());
        assert_eq!(said(&path), Vec::<String>::new());
        let whole = fs::read(&file).unwrap();
        let slot = |index: u64| {
            let start = window_offset(index) as usize;
            start..start + WINDOW_LEN
        };
        for length in [4_096, 32_768, 40_000, 98_304, 100_000, whole.len() - 1] {
            fs::write(&file, &whole[..length]).unwrap();
            assert!(
                said(&path).contains(&"truncated".to_owned()),
                "cut at {length}"
            );
        }

        for index in [0, 2] {
            let mut emptied = whole.clone();
            emptied[slot(index)].fill(0);
            fs::write(&file, emptied).unwrap();
            assert_eq!(said(&path), ["empty-windows"], "window {index}");
        }

        let mut twice = whole.clone();
        twice.copy_within(slot(1), slot(2).start);
        let mut longer = whole.clone();
        longer.resize(slot(20).start, 0);
        longer.extend(&whole[slot(1)]);
        for (bytes, number) in [(twice, 2), (longer, 20)] {
            fs::write(&file, bytes).unwrap();
            let error = read(&path).unwrap_err().to_string();
            let told = format!("is number 1 of its file, expected {number}");
            assert!(error.ends_with(&told), "{error}");
        }

        fs::write(&file, &whole).unwrap();
        let spans = read(&path).unwrap().row("cut").unwrap().count;
        let copy = path.join("1-copy.proc");
        fs::copy(&file, &copy).unwrap();
        assert_eq!(said(&path), ["copied-process"]);
        assert_eq!(read(&path).unwrap().row("cut").unwrap().count, spans);
        fs::remove_file(copy).unwrap();

        let described = path.join("run.json");
        let run = RunInfo::from_json(&fs::read(&described).unwrap()).unwrap();
        let began_ns = run.started_monotonic_ns;
        let wall_ns = read(&path).unwrap().wall_ns;
        let day_ns = 86_400_000_000_000;
        let mut cases = vec![run.clone(); 5];
        cases[0].started_monotonic_ns += day_ns;
        cases[1].boot_id = "00112233445566778899aabbccddeeff".to_owned();
        cases[2].end.as_mut().unwrap().monotonic_ns = u64::MAX;
        cases[3].end.as_mut().unwrap().monotonic_ns = 1;
        cases[4].started_monotonic_ns = 0;
        for (case, run) in cases.iter().enumerate() {
            fs::write(&described, run.to_json()).unwrap();
            // A machine that was just started contradicts no moment of its first hour; the process began before its run.
            let hour_ns = day_ns / 24 + 60_000_000_000;
            let is_likely = case == 4 && began_ns < hour_ns;
            if !is_likely {
                assert_eq!(said(&path), ["doubtful-run"], "case {case}");
                assert!(read(&path).unwrap().wall_ns < wall_ns + day_ns / 24);
            }
        }

        fs::write(&described, run.to_json()).unwrap();
        let mut foreign = whole.clone();
        foreign[0] ^= 1;
        fs::write(&file, foreign).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("not a Laptime recording"), "{error}");
    });
}
