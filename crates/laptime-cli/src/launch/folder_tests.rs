use std::fs;
use std::os::unix::fs::PermissionsExt;

use laptime_core::RunInfo;

use super::{RecordingFolder, claim, is_recording};

fn info() -> RunInfo {
    RunInfo {
        format: 1,
        laptime: "0".into(),
        program: "p".into(),
        started_monotonic_ns: 1,
        started_realtime_ns: 2,
        boot_id: String::new(),
        pid: None,
        keeper: None,
        end: None,
        unrecorded: Vec::new(),
    }
}

#[test]
fn a_recording_is_readable_by_its_owner_only() {
    let place = tempfile::tempdir().unwrap();
    let folder = RecordingFolder::at(&place.path().join("deep/er.lap")).unwrap();
    folder.write(&info()).unwrap();
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder.path), 0o700);
    assert_eq!(mode(&folder.path.join(RunInfo::FILE_NAME)), 0o600);
    assert_eq!(fs::read_dir(&folder.path).unwrap().count(), 1);
}

#[test]
fn force_replaces_recordings_and_nothing_else() {
    let place = tempfile::tempdir().unwrap();
    let recording = place.path().join("a.lap");
    RecordingFolder::at(&recording)
        .unwrap()
        .write(&info())
        .unwrap();
    assert!(claim(&recording, false).is_err());
    claim(&recording, true).unwrap();
    assert!(!recording.exists());

    let thesis = place.path().join("thesis");
    fs::create_dir(&thesis).unwrap();
    fs::write(thesis.join("chapter.tex"), "x").unwrap();
    assert!(claim(&thesis, true).is_err());
    let text = place.path().join("notes.txt");
    fs::write(&text, "twelve bytes").unwrap();
    assert!(claim(&text, true).is_err());
    assert!(thesis.join("chapter.tex").exists() && text.exists());
}

#[test]
fn a_recording_with_a_process_file_that_was_never_finished_counts_as_one() {
    let place = tempfile::tempdir().unwrap();
    let folder = RecordingFolder::at(&place.path().join("a.lap")).unwrap();
    folder.write(&info()).unwrap();
    fs::write(folder.path.join("4242-0badcafe.new"), "").unwrap();
    assert!(is_recording(&folder.path));
    // What has such a name and is none stays.
    for other in ["chapter.new", "4242-draft.new", "4242-0badcafe.new.txt"] {
        fs::write(folder.path.join(other), "").unwrap();
        assert!(!is_recording(&folder.path), "{other}");
        fs::remove_file(folder.path.join(other)).unwrap();
    }
    fs::create_dir(folder.path.join("results.proc")).unwrap();
    assert!(!is_recording(&folder.path));
}

#[test]
fn links_in_a_recording_lead_no_bytes_elsewhere() {
    let place = tempfile::tempdir().unwrap();
    let theirs = place.path().join("theirs");
    fs::write(&theirs, "theirs").unwrap();
    let folder = RecordingFolder::at(&place.path().join("a.lap")).unwrap();
    for name in [super::UNFINISHED, RunInfo::FILE_NAME] {
        std::os::unix::fs::symlink(&theirs, folder.path.join(name)).unwrap();
    }
    folder.write(&info()).unwrap();
    assert_eq!(fs::read(&theirs).unwrap(), b"theirs");
    let bytes = fs::read(folder.path.join(RunInfo::FILE_NAME)).unwrap();
    assert_eq!(RunInfo::from_json(&bytes).unwrap(), info());
}

#[test]
fn a_packed_recording_counts_as_one() {
    let place = tempfile::tempdir().unwrap();
    let packed = place.path().join("a.lap");
    fs::write(&packed, b"run.json\0\0").unwrap();
    assert!(is_recording(&packed));
}

#[test]
fn a_description_is_still_updated_when_no_second_file_fits() {
    let place = tempfile::tempdir().unwrap();
    let folder = RecordingFolder::at(&place.path().join("a.lap")).unwrap();
    folder.write(&info()).unwrap();
    // A folder in the draft's place makes writing it fail, as a full disk would.
    fs::create_dir(folder.path.join(super::UNFINISHED)).unwrap();
    let longer = RunInfo {
        program: "longer".into(),
        ..info()
    };
    for info in [longer, info()] {
        folder.write(&info).unwrap();
        let bytes = fs::read(folder.path.join(RunInfo::FILE_NAME)).unwrap();
        assert_eq!(RunInfo::from_json(&bytes).unwrap(), info);
    }
}
