use std::fs;
use std::path::Path;

use laptime_core::format::process::{PREFIX_LEN, ProcessHeader, window_offset};
use laptime_core::format::window::WINDOW_LEN;
use laptime_core::{Anchor, ClockKind, FormatError, RunInfo};

use super::{LeftOut, RecordingFiles};
use crate::{Damage, ReadError};

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
        processes: None,
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

fn names(opened: &RecordingFiles) -> Vec<&str> {
    opened.files.iter().map(|file| file.name.as_str()).collect()
}

#[test]
fn the_started_program_comes_first() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("a.lap");
    recording(&folder);
    let opened = RecordingFiles::open(&folder, false).unwrap();
    assert_eq!(names(&opened), ["20-ab.proc", "3-ab.proc", "100-ab.proc"]);
    assert_eq!(opened.run.unwrap().pid, Some(20));
}

#[test]
fn references_are_followed_but_not_for_ever() {
    let place = tempfile::tempdir().unwrap();
    recording(&place.path().join("outer.lap"));
    let inner = place.path().join("inner.lap");
    fs::write(&inner, "laptime-reference\nouter.lap\n").unwrap();
    assert_eq!(RecordingFiles::open(&inner, false).unwrap().files.len(), 3);

    fs::write(&inner, "laptime-reference\ninner.lap\n").unwrap();
    let error = RecordingFiles::open(&inner, false).unwrap_err();
    assert!(matches!(error, ReadError::ReferenceLoop { .. }), "{error}");
}

#[test]
fn a_process_file_alone_is_a_recording() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("20-ab.proc");
    fs::write(&path, header(20).to_bytes()).unwrap();
    let opened = RecordingFiles::open(&path, false).unwrap();
    assert_eq!(names(&opened), ["20-ab.proc"]);
    assert_eq!(
        opened.files[0].open().unwrap().prefix().unwrap().len(),
        PREFIX_LEN
    );
}

#[test]
fn a_folder_without_a_recording_is_said_to_be_none() {
    let place = tempfile::tempdir().unwrap();
    let error = RecordingFiles::open(place.path(), false).unwrap_err();
    assert!(matches!(error, ReadError::NotARecording { .. }), "{error}");
    let error = RecordingFiles::open(&place.path().join("no.lap"), false).unwrap_err();
    assert!(matches!(error, ReadError::Missing { .. }), "{error}");
}

#[test]
fn a_newer_run_is_refused_and_a_damaged_one_can_be_left_out() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("a.lap");
    recording(&folder);
    fs::write(folder.join("run.json"), "{\"format\": 1").unwrap();
    let error = RecordingFiles::open(&folder, false).unwrap_err();
    assert!(matches!(error, ReadError::Run { .. }), "{error}");
    assert_eq!(
        RecordingFiles::open(&folder, true).unwrap().left_out.len(),
        1
    );

    let newer = RunInfo {
        format: 9,
        ..run(1)
    };
    fs::write(folder.join("run.json"), newer.to_json()).unwrap();
    for salvage in [false, true] {
        let error = RecordingFiles::open(&folder, salvage).unwrap_err();
        let ReadError::Damaged { source, .. } = &error else {
            panic!("{error}");
        };
        let newer = matches!(source, Damage::Format(FormatError::Newer { found: 9, .. }));
        assert!(newer, "{error}");
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
    let opened = RecordingFiles::open(&path, false).unwrap();
    let file = opened.files[0].open().unwrap();
    let (mut seen, mut at, mut buffer) = (Vec::new(), window_offset(0), vec![0; WINDOW_LEN]);
    while let Some(offset) = file.next_slot(at) {
        let length = file.read(offset, &mut buffer).unwrap();
        seen.push((buffer[0], length, offset));
        at = offset + WINDOW_LEN as u64;
    }
    assert_eq!(seen, [(1, 65_536, 32_768), (2, 10, 98_304)]);
}

#[test]
fn holes_of_a_sparse_file_take_no_time() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("1-a.proc");
    fs::write(&path, header(1).to_bytes()).unwrap();
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(20 << 30).unwrap();
    let last = window_offset(200_000);
    std::os::unix::fs::FileExt::write_all_at(&file, &[3; 10], last).unwrap();
    let opened = RecordingFiles::open(&path, false).unwrap();
    let file = opened.files[0].open().unwrap();
    let mut slots = Vec::new();
    let mut at = window_offset(0);
    while let Some(offset) = file.next_slot(at) {
        slots.push(offset);
        at = offset + WINDOW_LEN as u64;
    }
    assert!(slots.contains(&last));
    assert!(
        slots.len() < 20,
        "{} slots of a hole were looked at",
        slots.len()
    );
}

#[test]
fn what_is_no_process_file_is_left_out_and_named() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("a.lap");
    recording(&folder);
    fs::write(
        folder.join("notes.proc"),
        "to do: everything, and much more of it",
    )
    .unwrap();
    fs::create_dir(folder.join("5-folder.proc")).unwrap();
    std::os::unix::fs::symlink("nowhere", folder.join("6-link.proc")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        folder.join("7-pipe.proc"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    let mut opened = RecordingFiles::open(&folder, false).unwrap();
    assert_eq!(opened.begin().unwrap().len(), 3);
    let mut left_out: Vec<String> = opened
        .left_out
        .iter()
        .map(|left_out| match left_out {
            LeftOut::Foreign(error) => error.to_string(),
            other => panic!("{other:?}"),
        })
        .collect();
    left_out.sort();
    let names = ["5-folder.proc", "6-link.proc", "7-pipe.proc", "notes.proc"];
    for (told, name) in left_out.iter().zip(names) {
        assert!(told.contains(name), "{told}");
    }
    assert_eq!(left_out.len(), names.len());

    for pid in [3, 20, 100] {
        fs::remove_file(folder.join(format!("{pid}-ab.proc"))).unwrap();
    }
    fs::remove_file(folder.join("run.json")).unwrap();
    let mut opened = RecordingFiles::open(&folder, false).unwrap();
    let error = opened.begin().unwrap_err();
    assert!(matches!(
        error,
        ReadError::Missing { .. } | ReadError::Read { .. } | ReadError::Damaged { .. }
    ));
}
