//! What a command can't write as a whole it doesn't write: what was there stays, and nothing lies beside it.

use std::fs;
use std::io::Read;
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
    (&["export", "a.lap", "-o"], "pftrace"),
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

#[test]
fn a_pack_that_fails_leaves_the_recording_that_was_there() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 7);
    recording::folder(&place.path().join("there.lap"), 8);
    place.laptime(&["pack", "there.lap"]);
    for target in ["there.packed.lap", "there.lap"] {
        let mut command = place.command();
        command.args(["pack", "a.lap", "--force", "-o", target]);
        with_room_for(64, &mut command);
        assert_eq!(Left::from(command.output().unwrap()).code, 1, "{target}");
        let shown = place.laptime(&["report", target]).out;
        assert!(shown.contains("16 spans"), "{target}: {shown}");
        let left = place.laptime(&["pack", "a.lap", "--force", "-o", target]);
        assert_eq!(left.code, 0, "{}", left.err);
    }
    let packed = |name: &str| fs::read(place.path().join(name)).unwrap();
    assert!(packed("there.lap") == packed("there.packed.lap"));
    assert_eq!(entries(&place), ["a.lap", "there.lap", "there.packed.lap"]);
}

#[test]
fn nothing_is_written_over_what_is_read() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 7);
    place.laptime(&["pack", "a.lap"]);
    fs::create_dir(place.path().join("model")).unwrap();
    let config = r#"{"model_type": "bert"}"#;
    fs::write(place.path().join("model/config.json"), config).unwrap();
    let process = fs::read_dir(place.path().join("a.lap")).unwrap().flatten();
    let mut process = process.map(|entry| format!("a.lap/{}", entry.file_name().display()));
    let process = process.find(|name| name.contains(".proc")).unwrap();
    std::os::unix::fs::symlink("a.packed.lap", place.path().join("link.lap")).unwrap();
    let before = fs::read(place.path().join("a.packed.lap")).unwrap();
    for words in [
        &["pack", "a.lap", "--force", "-o", "a.lap"][..],
        &["pack", "a.packed.lap", "--force", "-o", "./a.packed.lap"],
        &["pack", "link.lap", "--force", "-o", "a.packed.lap"],
        &["pack", &process, "--force", "-o", "a.lap"],
        &["report", "a.packed.lap", "-f", "json", "-o", "a.packed.lap"],
        &["report", "link.lap", "-f", "html", "-o", "a.packed.lap"],
        &["report", "a.lap", "-f", "json", "-o", &process],
        &["report", "a.lap", "-f", "html", "-o", "a.lap/run.json"],
        &[
            "export",
            "a.lap",
            "-f",
            "collapsed",
            "-o",
            "a.lap/spans.txt",
        ],
        &[
            "compare",
            "a.lap",
            "a.packed.lap",
            "-f",
            "json",
            "-o",
            "a.packed.lap",
        ],
        &["ops", "model", "-f", "json", "-o", "model/config.json"],
        &[
            "ops",
            "model/config.json",
            "-f",
            "json",
            "-o",
            "model/config.json",
        ],
    ] {
        let left = place.laptime(words);
        assert!(
            [1, 2].contains(&left.code),
            "{words:?}: {} {}",
            left.code,
            left.err
        );
        assert_eq!(
            fs::read(place.path().join("a.packed.lap")).unwrap(),
            before,
            "{words:?}"
        );
        assert_eq!(place.laptime(&["report", "a.lap"]).code, 0, "{words:?}");
    }
    let kept = fs::read_to_string(place.path().join("model/config.json"));
    assert_eq!(kept.unwrap(), config);
}

#[test]
fn an_export_of_what_changes_meanwhile_leaves_what_was_there() {
    let place = Place::new();
    let folder = place.path().join("a.lap");
    recording::folder(&folder, 2_000);
    fs::write(place.path().join("spans.json"), "what was there").unwrap();
    let process = fs::read_dir(&folder).unwrap().flatten();
    let mut process = process.map(|entry| entry.path());
    let process = process.find(|path| path.extension().is_some_and(|is| is == "proc"));
    let mut command = place.command();
    command
        .args(["export", "a.lap", "-f", "chrome"])
        .stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    // It waits for who reads, in the middle of what it reads for the last time.
    let mut output = child.stdout.take().unwrap();
    output.read_exact(&mut [0; 1]).unwrap();
    let file = fs::File::options()
        .write(true)
        .open(process.unwrap())
        .unwrap();
    file.set_len(40_000).unwrap();
    std::io::copy(&mut output, &mut std::io::sink()).unwrap();
    let left = Left::from(child.wait_with_output().unwrap());
    assert_eq!(left.code, 6, "{}", left.err);
    assert!(
        left.err.contains("changed while it was read"),
        "{}",
        left.err
    );
}

#[test]
fn a_benchmark_that_cannot_be_kept_is_shown() {
    let place = Place::new();
    let left = place.laptime(&["bench", "-r", "3", "true", "-o", "/dev/full"]);
    assert_eq!(left.code, 1);
    assert!(left.out.contains("true"), "{}", left.out);
}

#[test]
fn help_that_cannot_be_written_is_an_error() {
    let place = Place::new();
    for words in [&["--help"][..], &["--version"], &["report", "--help"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full");
        let mut command = place.command();
        command.args(words).stdout(full.unwrap());
        let left = Left::from(command.output().unwrap());
        assert_eq!(left.code, 1, "{words:?}: {}", left.err);
        assert!(left.err.contains("standard output"), "{}", left.err);
    }
}

#[test]
fn a_folder_that_is_no_baseline_is_never_replaced() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 7);
    let notes = place.path().join(".laptime/baselines/notes");
    fs::create_dir_all(&notes).unwrap();
    fs::write(notes.join("keep.txt"), "kept").unwrap();
    let left = place.laptime(&["compare", "a.lap", "--save-baseline", "notes"]);
    assert_eq!(left.code, 1, "{}", left.err);
    assert!(left.err.contains("no baseline"), "{}", left.err);
    assert_eq!(fs::read(notes.join("keep.txt")).unwrap(), b"kept");
    let left = place.laptime(&["compare", "a.lap", "--save-baseline", "main"]);
    assert_eq!(left.code, 0, "{}", left.err);
    let left = place.laptime(&["compare", "a.lap", "--baseline", "notes"]);
    assert!(left.err.contains("baselines: main"), "{}", left.err);
    for name in ["-x", ".x", ""] {
        let flag = format!("--save-baseline={name}");
        assert_ne!(
            place.laptime(&["compare", "a.lap", &flag]).code,
            0,
            "{name}"
        );
    }
}
