//! Whatever a path leads to, every command that takes a file answers: soon, within bounded memory, and
//! with an error that names it.

use std::fs;
use std::io;
use std::os::unix::fs::{FileExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::place::Place;
use crate::recording;

type Make = fn(&Path);

/// Makes one of each at `path`. `x` stands for the path in [`COMMANDS`].
const KINDS: &[(&str, Make)] = &[
    ("a pipe", |path| {
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }),
    ("an endless device", |path| {
        symlink("/dev/zero", path).unwrap();
    }),
    ("a link to nowhere", |path| {
        symlink("/nowhere/at/all", path).unwrap();
    }),
    ("a link to itself", |path| symlink(path, path).unwrap()),
    ("a socket", |path| drop(UnixListener::bind(path).unwrap())),
    ("holes", |path| {
        fs::File::create(path).unwrap().set_len(1 << 42).unwrap();
    }),
    ("an empty file", |path| fs::write(path, "").unwrap()),
    ("an empty folder", |path| fs::create_dir(path).unwrap()),
    ("a folder with pipes", |path| {
        fs::create_dir(path).unwrap();
        for name in ["run.json", "1-0.proc", "0.proc"] {
            let at = path.join(name);
            assert!(Command::new("mkfifo").arg(at).status().unwrap().success());
        }
    }),
    ("a folder with endless files", |path| {
        fs::create_dir(path).unwrap();
        symlink("/dev/zero", path.join("run.json")).unwrap();
        let holes = fs::File::create(path.join("1-0.proc")).unwrap();
        holes.set_len(1 << 42).unwrap();
    }),
    ("what nobody may read", |path| {
        fs::write(path, "secret").unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o0)).unwrap();
    }),
];

const COMMANDS: &[&[&str]] = &[
    &["report", "x"],
    &["report", "x", "-f", "json"],
    &["report", "x", "-o", "page.html"],
    &["compare", "a.lap", "x"],
    &["compare", "x", "a.lap"],
    &["compare", "x.json", "x.json"],
    &["export", "x", "-f", "chrome", "-o", "out.json"],
    &["pack", "x", "-o", "packed.lap"],
    &["ops", "x"],
    &["ops", "x.json"],
    &["ops", "x.onnx"],
    &["run", "--", "x"],
];

/// What may be used of address space, in bytes: the tests' build maps 100 MB by itself.
const MOST_MEMORY: u64 = 2 << 30;

/// Ends a command that waits for ever; its exit status and what it said.
fn answer(mut command: Command) -> (Option<i32>, String) {
    command.stdout(Stdio::null()).stdin(Stdio::null());
    let said = tempfile::tempfile().unwrap();
    command.stderr(said.try_clone().unwrap());
    // SAFETY: `setrlimit` may be called between fork and exec.
    unsafe {
        command.pre_exec(|| {
            let limit = libc::rlimit {
                rlim_cur: MOST_MEMORY,
                rlim_max: MOST_MEMORY,
            };
            match libc::setrlimit(libc::RLIMIT_AS, &raw const limit) {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            }
        });
    }
    let mut child = command.spawn().unwrap();
    let end = Instant::now() + Duration::from_mins(1);
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if Instant::now() > end {
            child.kill().unwrap();
            child.wait().unwrap();
            return (None, "it waits for ever".to_owned());
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let mut said = said;
    let mut text = String::new();
    io::Seek::rewind(&mut said).unwrap();
    io::Read::read_to_string(&mut said, &mut text).unwrap();
    (status.code().filter(|_| status.signal().is_none()), text)
}

#[test]
fn every_command_answers_whatever_its_file_is() {
    let mut wrong = Vec::new();
    for (kind, make) in KINDS {
        for typed in COMMANDS {
            let place = Place::new();
            recording::folder(&place.path().join("a.lap"), 10);
            let name = typed.iter().find(|word| word.starts_with('x')).unwrap();
            let path = place.path().join(name);
            make(&path);
            if *typed == ["ops", "x.json"] && path.is_file() {
                continue; // a model's configuration for Python, as far as can be seen
            }
            let mut command = place.command();
            let program = format!("./{name}");
            let is_run = typed[0] == "run";
            command.args(typed.iter().map(|word| {
                if is_run && *word == "x" {
                    program.as_str()
                } else {
                    word
                }
            }));
            let (code, said) = answer(command);
            // Root reads what nobody may.
            let is_named = said.contains(name) && said.contains("laptime: ");
            let has_way_out = code == Some(0) || is_run || said.contains("\nhint: ");
            match code {
                Some(code) if code != 101 && is_named && has_way_out => {}
                _ => wrong.push(format!("{kind}, {typed:?}: {code:?} {said}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_file_that_grows_and_shrinks_while_it_is_read_is_answered() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 20_000);
    place.laptime(&["pack", "a.lap", "-o", "b.lap"]);
    let entries = fs::read_dir(place.path().join("a.lap")).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.push(place.path().join("b.lap"));
    let whole: Vec<_> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
    let is_over = AtomicBool::new(false);
    let mut wrong = Vec::<String>::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let files = || paths.iter().zip(&whole);
            for (round, (path, bytes)) in files().cycle().enumerate() {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                let length = bytes.len() * (round * 7 % 11) / 10;
                let file = fs::File::options().write(true).open(path).unwrap();
                file.set_len(length as u64).unwrap();
                file.write_all_at(bytes, 0).unwrap();
            }
        });
        for typed in [
            &["report", "a.lap", "-f", "json"][..],
            &["report", "b.lap", "-f", "html"],
            &["compare", "a.lap", "b.lap"],
            &["export", "a.lap", "-f", "chrome"],
            &["pack", "a.lap", "--force", "-o", "c.lap"],
        ] {
            for _ in 0..5 {
                let mut command = place.command();
                command.args(typed);
                let (code, said) = answer(command);
                if code.is_none_or(|code| code >= 70) {
                    wrong.push(format!("{typed:?}: {code:?} {said}"));
                }
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_program_is_recorded_by_no_run_that_somebody_put_there() {
    for (kind, make) in KINDS {
        let place = Place::new();
        let path = place.path().join("run.lap");
        make(&path);
        let mut command = place.command();
        command
            .args(["doctor", "--config"])
            .env("LAPTIME_RUN", &path);
        let (code, said) = answer(command);
        assert_eq!(code, Some(0), "{kind}: {said}");
    }
}
