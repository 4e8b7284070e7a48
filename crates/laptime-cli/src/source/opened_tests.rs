use std::fs;
use std::path::Path;

use laptime_core::format::process::{PREFIX_LEN, ProcessHeader};
use laptime_core::{Anchor, ClockKind, FormatError, RunInfo};

use super::{Opened, SourceError};

fn header(pid: u32) -> ProcessHeader {
    ProcessHeader {
        clock: ClockKind::Monotonic,
        pid,
        parent_pid: 1,
        main_track: 1,
        boot_id: [0; 16],
        nominal_ns_per_tick: 1.0,
        anchor: Anchor::default(),
        process_started_boottime_ns: None,
        program: "train.py".into(),
        lost: 0,
        clamped: 0,
        closed: None,
        loss_reason: None,
        length: None,
    }
}

fn run(pid: u32) -> RunInfo {
    RunInfo {
        format: 1,
        laptime: "0".into(),
        program: "train.py".into(),
        started_monotonic_ns: 1,
        started_realtime_ns: 2,
        boot_id: String::new(),
        pid: Some(pid),
        keeper: None,
        end: None,
        unrecorded: Vec::new(),
    }
}

fn recording(at: &Path) {
    fs::create_dir(at).unwrap();
    fs::write(at.join("run.json"), run(20).to_json()).unwrap();
    for pid in [3, 20, 100] {
        let name = format!("{pid}-ab.proc");
        fs::write(at.join(name), header(pid).to_bytes()).unwrap();
    }
}

fn names(opened: &Opened) -> Vec<&str> {
    opened
        .processes
        .iter()
        .map(|file| file.name.as_str())
        .collect()
}

#[test]
fn the_started_program_comes_first() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("a.lap");
    recording(&folder);
    let opened = Opened::open(&folder, false).unwrap();
    assert_eq!(names(&opened), ["20-ab.proc", "3-ab.proc", "100-ab.proc"]);
    assert_eq!(opened.run.unwrap().pid, Some(20));
}

#[test]
fn references_are_followed_but_not_for_ever() {
    let place = tempfile::tempdir().unwrap();
    recording(&place.path().join("outer.lap"));
    let inner = place.path().join("inner.lap");
    fs::write(&inner, "laptime-reference\nouter.lap\n").unwrap();
    assert_eq!(Opened::open(&inner, false).unwrap().processes.len(), 3);

    fs::write(&inner, "laptime-reference\ninner.lap\n").unwrap();
    let error = Opened::open(&inner, false).unwrap_err();
    assert!(
        matches!(error, SourceError::ReferenceLoop { .. }),
        "{error}"
    );
}

#[test]
fn a_process_file_alone_is_a_recording() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("20-ab.proc");
    fs::write(&path, header(20).to_bytes()).unwrap();
    let opened = Opened::open(&path, false).unwrap();
    assert_eq!(names(&opened), ["20-ab.proc"]);
    assert_eq!(opened.processes[0].prefix().unwrap().len(), PREFIX_LEN);
}

#[test]
fn a_folder_without_a_recording_is_said_to_be_none() {
    let place = tempfile::tempdir().unwrap();
    let error = Opened::open(place.path(), false).unwrap_err();
    assert!(
        matches!(error, SourceError::NotARecording { .. }),
        "{error}"
    );
    let error = Opened::open(&place.path().join("no.lap"), false).unwrap_err();
    assert!(matches!(error, SourceError::Missing { .. }), "{error}");
}

#[test]
fn a_newer_run_is_refused_and_a_damaged_one_can_be_left_out() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("a.lap");
    recording(&folder);
    fs::write(folder.join("run.json"), "{\"format\": 1").unwrap();
    let error = Opened::open(&folder, false).unwrap_err();
    assert!(matches!(error, SourceError::Run { .. }), "{error}");
    assert_eq!(Opened::open(&folder, true).unwrap().left_out.len(), 1);

    let newer = RunInfo {
        format: 9,
        ..run(1)
    };
    fs::write(folder.join("run.json"), newer.to_json()).unwrap();
    for salvage in [false, true] {
        let error = Opened::open(&folder, salvage).unwrap_err();
        let SourceError::Format { source, .. } = &error else {
            panic!("{error}");
        };
        assert!(matches!(source, FormatError::Newer { found: 9, .. }));
    }
}

#[test]
fn slots_are_read_one_by_one_and_the_last_as_far_as_it_goes() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("1-a.proc");
    let mut bytes = header(1).to_bytes();
    bytes.extend(vec![1; 65_536]);
    bytes.extend(vec![2; 10]);
    fs::write(&path, bytes).unwrap();
    let opened = Opened::open(&path, false).unwrap();
    let mut seen = Vec::new();
    opened.processes[0]
        .windows(|bytes, offset| -> Result<(), SourceError> {
            seen.push((bytes[0], bytes.len(), offset));
            Ok(())
        })
        .unwrap();
    assert_eq!(seen, [(1, 65_536, 32_768), (2, 10, 98_304)]);
}
