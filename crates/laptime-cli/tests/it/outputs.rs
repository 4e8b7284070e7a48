//! What a command can't write as a whole it doesn't write: what was there stays, and nothing lies beside it.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::place::{Left, Place};
use crate::recording;

/// Commands that write `out`, with what their names end in.
const COMMANDS: &[(&[&str], &str)] = &[
    (&["report", "a.lap", "-o"], "html"),
    (&["report", "a.lap", "-o"], "json"),
    (&["report", "a.lap", "-o"], "csv"),
    (&["report", "a.lap", "-o"], "md"),
    (&["compare", "a.lap", "b.lap", "-o"], "html"),
    (&["export", "a.lap", "-o"], "json"),
    (&["export", "a.lap", "-o"], "parquet"),
    (&["export", "a.lap", "-o"], "csv"),
    (&["pack", "a.lap", "--force", "-o"], "packed.lap"),
    (&["bench", "-r", "3", "true", "-o"], "json"),
    (&["run", "--html"], "html"),
];

/// A disk with room for so many bytes of each file.
fn with_room_for(bytes: u64, command: &mut Command) {
    // SAFETY: both may be called between fork and exec.
    unsafe {
        command.pre_exec(move || {
            libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
            let most = libc::rlimit {
                rlim_cur: bytes,
                rlim_max: bytes,
            };
            libc::setrlimit(libc::RLIMIT_FSIZE, &raw const most);
            Ok(())
        });
    }
}

#[test]
fn what_a_full_disk_has_no_room_for_leaves_what_was_there() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 7);
    recording::folder(&place.path().join("b.lap"), 8);
    for (words, ending) in COMMANDS {
        let name = format!("out.{ending}");
        let path = place.path().join(&name);
        fs::write(&path, "what was there").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let before = entries(&place);
        let mut command = place.command();
        command.args(*words).arg(&name);
        let is_run = words[0] == "run";
        if is_run {
            command.args(["-o", "run.lap", "--force", "true"]);
        }
        // The recording itself is longer.
        with_room_for(if is_run { 1 << 12 } else { 64 }, &mut command);
        let left = Left::from(command.output().unwrap());
        let words = words.join(" ");
        let _ = fs::remove_dir_all(place.path().join("run.lap"));
        assert!(left.err.contains(&name), "{words}: {}", left.err);
        assert!(left.code == 1 || is_run, "{words}: {}", left.code);
        let there = fs::read(&path).unwrap() == b"what was there";
        assert!(there, "{words}");
        let mode = path.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640, "{words}");
        assert_eq!(entries(&place), before, "{words}");
    }
}

#[test]
fn a_packed_recording_takes_no_more_room_than_the_recording() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 7);
    let mut files = fs::read_dir(place.path().join("a.lap")).unwrap();
    let process = files.find_map(|entry| {
        let path = entry.unwrap().path();
        path.extension()
            .is_some_and(|is| is == "proc")
            .then_some(path)
    });
    let file = fs::File::options().write(true).open(process.unwrap());
    file.unwrap().set_len(1 << 42).unwrap();
    let before = place.laptime(&["report", "a.lap", "-f", "csv"]).out;
    let left = place.laptime(&["pack", "a.lap", "-o", "b.lap"]);
    assert_eq!(left.code, 0, "{}", left.err);
    let packed = fs::metadata(place.path().join("b.lap")).unwrap();
    assert!(packed.len() > 1 << 42);
    assert!(packed.blocks() * 512 < 1 << 20, "{}", packed.blocks());
    // Packed once more, as a file to send is kept.
    let left = place.laptime(&["pack", "b.lap", "-o", "c.lap"]);
    assert_eq!(left.code, 0, "{}", left.err);
    for name in ["a.lap", "b.lap", "c.lap"] {
        assert_eq!(place.laptime(&["report", name, "-f", "csv"]).out, before);
    }
}

#[test]
fn a_killed_pack_leaves_nothing() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 20_000);
    let before = entries(&place);
    for wait_ms in [0, 1, 2, 4, 8, 16] {
        let mut pack = place.command();
        pack.args(["pack", "a.lap", "-o", "b.lap"]);
        let mut pack = pack.stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(wait_ms));
        pack.kill().unwrap();
        pack.wait().unwrap();
        if fs::remove_file(place.path().join("b.lap")).is_ok() {
            break;
        }
        assert_eq!(entries(&place), before, "after {wait_ms} ms");
    }
}

fn entries(place: &Place) -> Vec<String> {
    let entries = fs::read_dir(place.path()).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
