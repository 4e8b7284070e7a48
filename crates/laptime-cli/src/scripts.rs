//! Which scripts are near, for a user who named a program that can't be run.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use laptime_reader::named_file;

use crate::launch::target::is_script;
use crate::messages::quoted;
use crate::recordings;

/// Most scripts that a hint names.
const MOST: usize = 5;
/// How alike names are that one may be typed for the other.
const LIKE: f64 = 0.8;
/// How a binary of most systems begins.
const ELF: &[u8] = b"\x7fELF";

/// What to type in place of a program that isn't there.
pub fn instead(program: &Path) -> Option<String> {
    if program == Path::new("-") {
        return Some("for a program on standard input: laptime run python -".to_owned());
    }
    let is_bare = program.components().count() == 1;
    let here = || {
        let here = quoted(&Path::new(".").join(program));
        Some(format!("to run the file here: laptime run {here}"))
    };
    if is_bare && is_executable(program) {
        return here();
    }
    let folder = program.parent().unwrap_or(Path::new(""));
    let scripts = inside(folder);
    let near = near(program, &scripts);
    if !near.is_empty() {
        return Some(format!("did you mean {}?", listed(&near, " or ")));
    }
    if is_bare && program.is_file() {
        return here();
    }
    let is_any = !scripts.is_empty();
    is_any.then(|| format!("scripts here: {}", listed(&scripts, ", ")))
}

/// What to do about a file or folder that the system doesn't execute.
pub fn not_executable(program: &Path, source: &io::Error) -> String {
    if program.is_dir() {
        return recordings::is_folder(program);
    }
    if source.raw_os_error() == Some(libc::ENOEXEC) {
        if begins_with(program, ELF) {
            return "it was built for another kind of machine".to_owned();
        }
        return format!(
            "its first line names no interpreter (`#!/bin/sh`): name it, such as `laptime run sh {}`",
            quoted(program)
        );
    }
    let scripts = inside(program.parent().unwrap_or(Path::new("")));
    let same = scripts
        .iter()
        .find(|script| script.file_stem() == program.file_stem());
    match same {
        Some(script) => format!("did you mean {}?", quoted(script)),
        None => make_executable(program),
    }
}

/// What to do about a program whose interpreter, or loader, isn't there.
pub fn without_interpreter(program: &Path, interpreter: Option<&str>) -> String {
    let shown = quoted(program);
    if interpreter.is_none() {
        return "it was built for another system".to_owned();
    }
    if is_script(program) {
        return format!("name another: `laptime run /path/to/python {shown}`");
    }
    format!("correct its first line, or name another: `laptime run INTERPRETER {shown}`")
}

fn make_executable(program: &Path) -> String {
    format!(
        "make it executable with `chmod +x {}`, or name its interpreter",
        quoted(program)
    )
}

fn is_executable(program: &Path) -> bool {
    let found = program.metadata();
    found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

fn begins_with(file: &Path, bytes: &[u8]) -> bool {
    let mut start = vec![0; bytes.len()];
    named_file::open(file)
        .is_ok_and(|mut file| file.read_exact(&mut start).is_ok() && start == bytes)
}

/// Scripts called like the program, the nearest first.
fn near(program: &Path, scripts: &[PathBuf]) -> Vec<PathBuf> {
    let likeness = |script: &Path| {
        let like = |one: Option<&OsStr>, other: Option<&OsStr>| {
            let text =
                |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
            strsim::jaro_winkler(&text(one), &text(other))
        };
        let whole = like(program.file_name(), script.file_name());
        whole.max(like(program.file_stem(), script.file_stem()))
    };
    let mut near: Vec<(f64, &PathBuf)> = scripts
        .iter()
        .map(|script| (likeness(script), script))
        .filter(|(likeness, _)| *likeness > LIKE)
        .collect();
    near.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    near.into_iter().map(|(_, script)| script.clone()).collect()
}

fn listed(paths: &[PathBuf], between: &str) -> String {
    let shown: Vec<String> = paths.iter().take(MOST).map(|path| quoted(path)).collect();
    let more = if paths.len() > MOST { ", …" } else { "" };
    format!("{}{more}", shown.join(between))
}

/// Scripts of Python in a folder, by name.
fn inside(folder: &Path) -> Vec<PathBuf> {
    let place = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let entries = place.read_dir().into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .map(|entry| folder.join(entry.file_name()))
        .filter(|path| is_script(path) && path.is_file())
        .collect();
    found.sort();
    found
}
