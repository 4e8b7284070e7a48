use std::collections::HashSet;
use std::path::Path;

use super::{Interpreters, Sighting, is_python};

fn seen(pid: u32, parent: u32, executable: &str, command: u64) -> Sighting {
    Sighting {
        pid,
        inner: pid,
        parent,
        executable: executable.into(),
        called: "python".into(),
        command,
    }
}

#[test]
fn interpreters_are_told_by_their_names() {
    for name in [
        "python",
        "python3",
        "python3.13",
        "python3.13t",
        "pypy3",
        "python3.11 (deleted)",
    ] {
        assert!(
            is_python(Path::new("/usr/bin").join(name).as_path()),
            "{name}"
        );
    }
    for name in [
        "pythonw.exe.sh",
        "python-config",
        "ipython",
        "sh",
        "python3.11-gdb.py",
    ] {
        assert!(
            !is_python(Path::new("/usr/bin").join(name).as_path()),
            "{name}"
        );
    }
}

#[test]
fn an_interpreter_that_never_recorded_is_named_once() {
    let mut interpreters = Interpreters::default();
    interpreters.note(seen(10, 1, "/bin/sh", 1));
    interpreters.note(seen(11, 10, "/a/python3", 2));
    interpreters.note(seen(12, 10, "/a/python3", 3));
    interpreters.note(seen(13, 10, "/b/python3", 2));
    let recorded = HashSet::from([13]);
    assert_eq!(interpreters.unrecorded(&recorded), ["/a/python3"]);
}

#[test]
fn a_shell_that_becomes_an_interpreter_counts() {
    let mut interpreters = Interpreters::default();
    interpreters.note(seen(10, 1, "/bin/sh", 1));
    interpreters.note(seen(10, 1, "/a/python3", 1));
    assert_eq!(interpreters.unrecorded(&HashSet::new()), ["/a/python3"]);
}

#[test]
fn a_forked_worker_of_a_recording_process_is_not_missed() {
    let mut interpreters = Interpreters::default();
    interpreters.note(seen(10, 1, "/a/python3", 5));
    interpreters.note(seen(11, 10, "/a/python3", 5));
    assert!(interpreters.unrecorded(&HashSet::from([10])).is_empty());
}

#[test]
fn an_interpreter_in_a_container_recorded_under_the_id_by_which_it_calls_itself() {
    let mut interpreters = Interpreters::default();
    let inside = Sighting {
        inner: 1,
        ..seen(10, 1, "/a/python3", 1)
    };
    interpreters.note(inside);
    assert!(interpreters.unrecorded(&HashSet::from([1])).is_empty());
    assert_eq!(
        interpreters.unrecorded(&HashSet::from([10])),
        ["/a/python3"]
    );
}
