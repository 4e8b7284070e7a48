//! Ceilings are measured once a machine and kept in the user's cache folder.
//!
//! The file's name is that of the machine: a processor of another name, or another number of
//! processors that may be used, is another machine.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use laptime_core::Ceilings;

use crate::found_file;
use crate::machine::machine;

/// The file that a machine's ceilings are kept in: below `$XDG_CACHE_HOME`, else `~/.cache`. `None` without either.
fn file(machine: &str) -> Option<PathBuf> {
    let folder = |name: &str| {
        let folder = PathBuf::from(std::env::var_os(name)?);
        folder.is_absolute().then_some(folder)
    };
    let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")))?;
    let name: String = machine
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    Some(cache.join("laptime").join(format!("ceilings-{name}.json")))
}

/// What was measured on this machine before. `None` when nothing was, or it can't be read.
pub fn load() -> Option<Ceilings> {
    let machine = machine();
    read(&file(&machine)?, &machine)
}

/// What a file keeps of a machine.
pub(super) fn read(path: &Path, machine: &str) -> Option<Ceilings> {
    let text = found_file::read(path).ok()?;
    let ceilings: Ceilings = serde_json::from_slice(&text).ok()?;
    (ceilings.machine == machine).then_some(ceilings)
}

/// Notes in the recording what was measured on this machine before. Whether anything was.
pub fn note_kept() -> bool {
    let json = load().and_then(|kept| serde_json::to_string(&kept).ok());
    json.is_some_and(|json| {
        crate::note(laptime_core::ceilings::NOTE, &json);
        true
    })
}

/// Keeps them for later. Where, or why that failed.
pub fn store(ceilings: &Ceilings) -> io::Result<PathBuf> {
    let path = file(&ceilings.machine)
        .ok_or_else(|| io::Error::other("neither XDG_CACHE_HOME nor HOME is set"))?;
    write(&path, ceilings)?;
    Ok(path)
}

/// Keeps them in a file, whose folder is made.
pub(super) fn write(path: &Path, ceilings: &Ceilings) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    // Another process may read it at the same time: it sees the old one or the new one, whole.
    let part = path.with_extension(format!("{}.part", std::process::id()));
    fs::write(&part, serde_json::to_vec_pretty(ceilings)?)?;
    fs::rename(&part, path)
}
