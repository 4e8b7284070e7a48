//! What the interpreter says of its folders, noted once.

use std::sync::OnceLock;

use laptime_recorder::file_names::{Places, Program, plain};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyModule};

static KNOWN: OnceLock<Interpreter> = OnceLock::new();

/// The interpreter, as it began, or as it was when functions were first asked for.
#[derive(Debug)]
pub struct Interpreter {
    /// Folders of its library.
    library: Vec<String>,
    /// `python3.11`.
    version: String,
    /// The user's own folder of packages.
    installed: Vec<String>,
    /// The folder that it worked in, and what the shell called that.
    working: Option<String>,
    pub shell_folder: Option<String>,
    home: Option<String>,
    /// What it runs, where that has begun.
    pub main: Option<Program>,
    /// What it was started with, without its own name, and by whom.
    pub words: Vec<String>,
    pub parent: i32,
    /// The list in which imports look, which stays where it is, and what was in it.
    pub search_path: u64,
    pub search: Vec<String>,
}

/// What was noted.
pub fn known() -> Option<&'static Interpreter> {
    KNOWN.get()
}

/// Notes it, the first time.
pub fn learn(python: Python<'_>) {
    if KNOWN.get().is_none() {
        let found = read(python);
        let _ = KNOWN.set(found);
    }
}

impl Interpreter {
    /// Where files are, but for those of the program.
    pub fn places(&self) -> Places {
        Places {
            library: self.library.clone(),
            library_name: format!("lib/{}", self.version),
            installed: self.installed.clone(),
            search: self.search.clone(),
            working: self.working.clone(),
            home: self.home.clone(),
            ..Places::default()
        }
    }
}

fn read(python: Python<'_>) -> Interpreter {
    let sys = python.import("sys").ok();
    let sys = sys.as_ref();
    let version = python.version_info();
    let version = format!("python{}.{}", version.major, version.minor);
    let loaded = |name: &str| -> Option<Bound<'_, PyAny>> {
        sys?.getattr("modules").ok()?.get_item(name).ok()
    };
    let mut library = Vec::new();
    if let Some(file) = loaded("os").and_then(|os| text(&os, "__file__")) {
        library.extend(file.rsplit_once('/').map(|(folder, _)| plain(folder)));
    }
    for prefix in ["base_prefix", "prefix", "base_exec_prefix", "exec_prefix"] {
        let prefix = sys.and_then(|sys| text(sys, prefix));
        for library_folder in ["lib", "lib64"] {
            library.extend(
                prefix
                    .iter()
                    .map(|prefix| plain(&format!("{prefix}/{library_folder}/{version}"))),
            );
        }
    }
    library.sort();
    library.dedup();
    let variable = |name| {
        std::env::var(name)
            .ok()
            .filter(|value: &String| value.starts_with('/'))
    };
    let working = std::env::current_dir().ok();
    let working = working.map(|folder| folder.to_string_lossy().into_owned());
    // The same folder by another name, where links lead to it.
    let is_working = |shell: &String| {
        let real = std::fs::canonicalize(shell).ok();
        real.is_some_and(|real| Some(real.to_string_lossy().as_ref()) == working.as_deref())
    };
    let shell_folder =
        variable("PWD").filter(|shell| Some(shell) != working.as_ref() && is_working(shell));
    let search_path = sys.and_then(|sys| sys.getattr("path").ok()?.cast_into::<PyList>().ok());
    Interpreter {
        library,
        version,
        installed: loaded("site")
            .and_then(|site| text(&site, "USER_SITE"))
            .into_iter()
            .collect(),
        shell_folder,
        working,
        home: variable("HOME").map(|home| plain(&home)),
        main: loaded("__mp_main__")
            .or_else(|| loaded("__main__"))
            .and_then(|main| program(&main)),
        words: sys
            .and_then(|sys| sys.getattr("orig_argv").ok()?.extract::<Vec<String>>().ok())
            .map(|words| words.into_iter().skip(1).collect())
            .unwrap_or_default(),
        // SAFETY: no preconditions.
        parent: unsafe { libc::getppid() },
        search: search_path.as_ref().map(texts).unwrap_or_default(),
        // Kept for good, so that nothing else comes to lie in its place.
        search_path: search_path.map_or(0, |list| list.into_ptr().addr() as u64),
    }
}

/// What a main module was begun as; `None` before it begins, and for what has no file.
fn program(main: &Bound<'_, PyAny>) -> Option<Program> {
    // Not by its attributes: a module may have a function of its own for those that it lacks.
    let names = main.cast::<PyModule>().ok()?.dict();
    let spec = names.get_item("__spec__").ok()??;
    if let Some(name) = text(&spec, "name") {
        return Some(Program::Module(
            name.trim_end_matches(".__main__").to_owned(),
        ));
    }
    let file = names.get_item("__file__").ok()??;
    file.extract().ok().map(Program::Script)
}

fn text(object: &Bound<'_, PyAny>, name: &str) -> Option<String> {
    object.getattr(name).ok()?.extract().ok()
}

fn texts(list: &Bound<'_, PyList>) -> Vec<String> {
    list.iter().filter_map(|item| item.extract().ok()).collect()
}
