use std::os::unix::fs::PermissionsExt;

use super::*;

fn info() -> RunInfo {
    RunInfo {
        started_monotonic_ns: 1,
        ..new_run("p".into())
    }
}

/// A new recording in a folder of its own.
fn recording(place: &tempfile::TempDir) -> PathBuf {
    let folder = place.path().join("a.lap");
    make(&folder).unwrap();
    folder
}

#[test]
fn a_recording_is_readable_by_its_owner_only() {
    let place = tempfile::tempdir().unwrap();
    let folder = recording(&place);
    write_run(&folder, &info()).unwrap();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(mode(&folder.join(RunInfo::FILE_NAME)), 0o600);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
}

#[test]
fn a_recording_with_a_process_file_that_was_never_finished_counts_as_one() {
    let place = tempfile::tempdir().unwrap();
    let folder = recording(&place);
    write_run(&folder, &info()).unwrap();
    fs::write(folder.join("4242-0badcafe.new"), "").unwrap();
    assert!(is_recording(&folder));
    // What has such a name and is none stays.
    for other in ["chapter.new", "4242-draft.new", "4242-0badcafe.new.txt"] {
        fs::write(folder.join(other), "").unwrap();
        assert!(!is_recording(&folder), "{other}");
        fs::remove_file(folder.join(other)).unwrap();
    }
    fs::create_dir(folder.join("results.proc")).unwrap();
    assert!(!is_recording(&folder));
}

#[test]
fn links_in_a_recording_lead_no_bytes_elsewhere() {
    let place = tempfile::tempdir().unwrap();
    let theirs = place.path().join("theirs");
    fs::write(&theirs, "theirs").unwrap();
    let folder = recording(&place);
    for name in [UNFINISHED, RunInfo::FILE_NAME] {
        std::os::unix::fs::symlink(&theirs, folder.join(name)).unwrap();
    }
    let run = info();
    write_run(&folder, &run).unwrap();
    assert_eq!(fs::read(&theirs).unwrap(), b"theirs");
    let bytes = fs::read(folder.join(RunInfo::FILE_NAME)).unwrap();
    assert_eq!(RunInfo::from_json(&bytes).unwrap(), run);
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
    let folder = recording(&place);
    write_run(&folder, &info()).unwrap();
    // A folder in the draft's place makes writing it fail, as a full disk would.
    fs::create_dir(folder.join(UNFINISHED)).unwrap();
    let longer = RunInfo {
        program: "longer".into(),
        ..info()
    };
    for info in [longer, info()] {
        write_run(&folder, &info).unwrap();
        let bytes = fs::read(folder.join(RunInfo::FILE_NAME)).unwrap();
        assert_eq!(RunInfo::from_json(&bytes).unwrap(), info);
    }
}

#[test]
fn a_name_that_is_taken_is_numbered() {
    let place = tempfile::tempdir().unwrap();
    let wanted = place.path().join("a.lap");
    let names = [(); 3].map(|()| at_first_free(&wanted, make).unwrap());
    let names = names.map(|path| path.file_name().unwrap().to_owned());
    assert_eq!(names, ["a.lap", "a-1.lap", "a-2.lap"]);
}

#[test]
fn a_number_is_above_those_of_two_folders() {
    let places = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let [place, other] = places.each_ref().map(tempfile::TempDir::path);
    let next = || {
        let made = at_next(place, other, "a", make).unwrap();
        assert_eq!(made.parent(), Some(place));
        made.file_name().unwrap().to_owned()
    };
    assert_eq!(next(), "a-1.lap");
    make(&other.join("a-7.lap")).unwrap();
    make(&other.join("ab-9.lap")).unwrap();
    assert_eq!([next(), next()], ["a-8.lap", "a-9.lap"]);
}

#[test]
fn a_folder_of_somebody_elses_is_no_recording_whatever_its_files_are_called() {
    let place = tempfile::tempdir().unwrap();
    let folder = recording(&place);
    for (name, content) in [
        ("run.json", "{\"learning_rate\": 0.1}"),
        ("1-0badcafe.proc", "a processed file of somebody's"),
    ] {
        fs::write(folder.join(name), content).unwrap();
        assert!(!is_recording(&folder), "{name}");
        assert!(!remove(&folder).unwrap());
        fs::write(folder.join(name), "").unwrap();
        assert!(is_recording(&folder), "{name}, of a writer that was killed");
    }
}

#[test]
fn what_is_left_of_a_recording_whose_deletion_was_killed_goes_with_the_next_one() {
    let place = tempfile::tempdir().unwrap();
    let folder = recording(&place);
    write_run(&folder, &info()).unwrap();
    let left = place.path().join(".laptime-00000000deadbeef.deleted");
    fs::create_dir(&left).unwrap();
    write_run(&left, &info()).unwrap();
    let theirs = place.path().join(".laptime-notes.deleted");
    fs::create_dir(&theirs).unwrap();
    assert!(remove(&folder).unwrap());
    assert!(!left.exists() && theirs.exists());
}
