//! Which recordings are near, for a user who named something else.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use laptime_reader::OtherFile;

use crate::messages::quoted;
use crate::near_name::near_name;
use crate::runs::listing;
use crate::runs::names::shortest;

/// Most recordings that a hint names.
const MOST: usize = 5;

/// What to type in place of a path that is no recording.
pub fn instead(path: &Path) -> String {
    let is_script = path.extension() == Some(OsStr::new("py")) && path.is_file();
    if is_script {
        let script = quoted(path);
        return format!("{script} is a Python script: `laptime run {script}` records it");
    }
    match OtherFile::of_schema(path) {
        Some(OtherFile::Benchmarks) => {
            let file = quoted(path);
            return format!(
                "{file} has benchmarks: `laptime compare {file} OTHER.json` compares them"
            );
        }
        Some(_) => {
            return "name the recording itself, which ends in .lap".to_owned();
        }
        None => {}
    }
    if path.extension() == Some(OsStr::new("json")) && !path.exists() {
        return WRITES_BENCHMARKS.to_owned();
    }
    let folder = if path.is_dir() {
        path
    } else {
        path.parent().unwrap_or(Path::new(""))
    };
    let mut near = inside(folder);
    near.retain(|near| near != path);
    if !path.exists()
        && let Some(meant) = meant(path, &near)
    {
        return format!("did you mean {}?", shortest(meant));
    }
    listed(&near)
        .unwrap_or_else(|| "`laptime run SCRIPT` makes a recording, which ends in .lap".to_owned())
}

/// The recording whose name is most like one that was typed.
fn meant<'n>(typed: &Path, near: &'n [PathBuf]) -> Option<&'n Path> {
    let name = |path: &Path| {
        let name = path.file_name()?.to_str()?;
        Some(name.strip_suffix(".lap").unwrap_or(name).to_owned())
    };
    // Another number is another run, and no slip.
    let typed = name(typed)?;
    let letters = |name: &str| name.replace(|one: char| one.is_ascii_digit(), "");
    let names: Vec<String> = near
        .iter()
        .map(|path| name(path).unwrap_or_default())
        .collect();
    if names.iter().any(|name| letters(name) == letters(&typed)) {
        return None;
    }
    let found = near_name(&typed, names.iter().map(String::as_str))?;
    let at = names.iter().position(|name| name == found)?;
    Some(&near[at])
}

/// The recordings here, for somebody who named none.
pub fn here() -> Option<String> {
    listed(&inside(Path::new("")))
}

fn listed(near: &[PathBuf]) -> Option<String> {
    if near.is_empty() {
        return None;
    }
    let shown = near.iter().take(MOST).map(|path| shortest(path));
    let shown: Vec<String> = shown.collect();
    let more = if near.len() > MOST { ", …" } else { "" };
    Some(format!("recordings here: {}{more}", shown.join(", ")))
}

/// What to type in place of a path that has no benchmarks, where a file of them is the base.
pub fn no_benchmarks(path: &Path, is: OtherFile) -> String {
    if is == OtherFile::Recording {
        let recording = quoted(path);
        return format!(
            "compare a recording with a recording: laptime compare OTHER.lap {recording}"
        );
    }
    WRITES_BENCHMARKS.to_owned()
}

/// Where files of benchmarks come from.
const WRITES_BENCHMARKS: &str = "`laptime bench -o NEW.json COMMAND`, or .save(\"NEW.json\") of what lt.bench found, writes benchmarks";

/// A name near the typed one that a recording may have: it ends in `.lap`.
pub fn name_near(path: &Path, program: &str) -> PathBuf {
    if path.is_dir() {
        return path.join(format!("{program}.lap"));
    }
    let is_ending = |ending: &OsStr| ending.to_str().is_some_and(is_word);
    if path.extension().is_some_and(is_ending) {
        return path.with_extension("lap");
    }
    // What follows the dot of `run-0.1` is no ending.
    let mut name = path.file_name().unwrap_or(OsStr::new("run")).to_owned();
    name.push(".lap");
    path.with_file_name(name)
}

fn is_word(text: &str) -> bool {
    text.chars().all(char::is_alphabetic)
}

/// What to type in place of a folder that was to be run.
pub fn is_folder(path: &Path) -> String {
    if path.join("run.json").is_file() {
        return format!(
            "it is a recording: `laptime report {}` shows it",
            quoted(path)
        );
    }
    "name a script or a program inside it".to_owned()
}

/// Recordings in a folder, by name; for the working folder those of `.laptime/runs` too, the newest first.
fn inside(folder: &Path) -> Vec<PathBuf> {
    let mut found = listing::paths(folder);
    if folder.as_os_str().is_empty() {
        found.extend(listing::of_runs().into_iter().map(|one| one.path));
    }
    found
}
