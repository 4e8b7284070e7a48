//! What files of functions are called in a recording: see [`laptime_recorder::file_names`] for the rules.
//!
//! What the interpreter says of its folders is noted once, with its lock held (`interpreter`). Where imports look is read from outside (`search_path`), as the
//! sampler asks without the lock.

mod interpreter;
mod search_path;

use std::collections::HashMap;
use std::path::Path;

use laptime_python_macros::guarded;
use laptime_recorder::file_names::{Places, Program, plain};
use pyo3::prelude::*;

use self::interpreter::Interpreter;
use crate::entry::measuring;
use crate::fast::Locked;

/// Files whose names are remembered; with more, all are forgotten.
const MOST_FILES: usize = 65_536;

/// Names of files for those who hold the interpreter's lock.
static LOCKED: Locked<Option<FileNames>> = Locked::new(None);

/// Notes what the interpreter says of its folders, the first time.
///
/// **Cost** some tens of microseconds. Nothing is imported.
pub fn learn(python: Python<'_>) {
    interpreter::learn(python);
}

/// What files are called, each looked up once.
#[derive(Default)]
pub struct FileNames {
    /// Not before a file is asked for.
    places: Option<Places>,
    /// Whether it is known where the package lies that runs as the program.
    has_package: bool,
    names: HashMap<String, String>,
}

impl FileNames {
    /// What a file is called in a recording.
    pub fn name(&mut self, file: &str) -> String {
        if let Some(name) = self.names.get(file) {
            return name.clone();
        }
        let places = self.places.get_or_insert_with(places);
        let seeks_package = places.package.is_some() && !self.has_package;
        if seeks_package || !places.name(file).is_settled {
            search_again(places);
        }
        if seeks_package {
            self.has_package = add_package(places);
        }
        let name = places.name(file).name;
        if self.names.len() >= MOST_FILES {
            self.names.clear();
        }
        self.names.insert(file.to_owned(), name.clone());
        name
    }
}

/// What a file is called in a recording.
///
/// # Safety
/// The interpreter's lock is held, and nothing in between runs Python code.
pub unsafe fn of_locked(file: &str) -> String {
    // SAFETY: the caller's promise.
    let names = unsafe { LOCKED.get() };
    names.get_or_insert_default().name(file)
}

/// What a file is called in a recording.
#[guarded]
#[pyfunction]
pub fn recorded_file(python: Python<'_>, file: String) -> String {
    measuring(String::new, || {
        learn(python);
        // SAFETY: the lock is held.
        unsafe { of_locked(&file) }
    })
}

fn places() -> Places {
    let Some(interpreter) = interpreter::known() else {
        return Places::default();
    };
    let mut places = interpreter.places();
    add_program(&mut places, interpreter);
    places
}

/// Names files relative to the working folder, as the shell finds them that the program was started from; else relative
/// to where the program lies.
fn add_program(places: &mut Places, interpreter: &Interpreter) {
    let program = interpreter.main.clone();
    let program =
        program.unwrap_or_else(|| Program::of_process(&interpreter.words, interpreter.parent));
    let working = places
        .working
        .clone()
        .into_iter()
        .chain(interpreter.shell_folder.clone());
    let working: Vec<String> = working.collect();
    places.own.extend(working.iter().cloned());
    match program {
        Program::Script(path) => places.own.extend(folders_of(&path, &working)),
        Program::Module(name) => {
            let package = name.split('.').next().unwrap_or(&name);
            places.package = Some(package.to_owned());
        }
        Program::Other => {}
    }
}

/// The folders of a script, as it was typed and without links. It may be a folder or an archive itself.
fn folders_of(path: &str, working: &[String]) -> Vec<String> {
    let joined = working.iter().map(|working| Path::new(working).join(path));
    let Some(script) = joined.into_iter().find(|path| path.exists()) else {
        return Vec::new();
    };
    let real = script.canonicalize().unwrap_or_else(|_| script.clone());
    let mut folders = Vec::new();
    for script in [&script, &real] {
        for folder in [Some(script.as_path()), script.parent()]
            .into_iter()
            .flatten()
        {
            folders.push(plain(&folder.to_string_lossy()));
        }
    }
    folders
}

/// Reads where imports look now.
fn search_again(places: &mut Places) {
    if let Some(interpreter) = interpreter::known() {
        let found = search_path::read(interpreter.search_path);
        places.search = found.unwrap_or_else(|| interpreter.search.clone());
    }
}

/// Finds the folder that holds the package which runs as the program, and names its files relative to that; whether
/// it is found.
fn add_package(places: &mut Places) -> bool {
    let Some(package) = &places.package else {
        return false;
    };
    let holds = |folder: &&String| {
        let path = Path::new(folder);
        path.is_absolute()
            && (path.join(package).is_dir() || path.join(format!("{package}.py")).is_file())
    };
    let folders = places.working.iter().chain(&places.search);
    let found = folders.clone().find(holds).cloned();
    let is_found = found.is_some();
    places.own.extend(found);
    is_found
}
