//! What to start: an interpreter with a script or module, or any other program.
//!
//! Everything is looked up before the recording is made, so that a typing mistake leaves
//! nothing behind. Comes from the typed arguments, goes to [`super::child`].

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use laptime_reader::named_file;

use crate::error::CliError;

/// File names that are run under Python rather than executed.
const SCRIPT_EXTENSIONS: [&str; 3] = ["py", "pyw", "pyz"];

/// What a program is called that was typed as code.
const CODE: &str = "python -c";

/// A program that was found, ready to start.
#[derive(Debug, PartialEq, Eq)]
pub struct Target {
    /// The file to execute.
    pub executable: PathBuf,
    /// What it is told that it is called, where that isn't the file's path: what was typed, as a shell does it.
    pub called: Option<OsString>,
    /// Arguments of the program.
    pub arguments: Vec<OsString>,
    /// What the user named, for messages.
    pub typed: PathBuf,
    /// Last component of the script's, module's or program's name, for `run.json`.
    pub program: String,
    /// What default recordings are called, before `-<n>.lap`.
    pub stem: String,
    /// The folder that Python looks for the program's modules in first; `None` where it isn't known.
    pub modules: Option<PathBuf>,
}

/// What was typed after the options, each with its arguments.
#[derive(Debug, Clone, Copy)]
pub enum Request<'a> {
    /// `-m MODULE ARGS`.
    Module(&'a [OsString]),
    /// `-c CODE ARGS`.
    Code(&'a [OsString]),
    /// `PROGRAM ARGS`.
    Program(&'a [OsString]),
}

impl Target {
    /// Finds what was asked for. `python` is the interpreter that Laptime is installed in.
    ///
    /// **Errors** when the script, the program or an interpreter isn't there, or isn't executable.
    pub fn resolve(request: Request<'_>, python: Option<&Path>) -> Result<Self, CliError> {
        match request {
            Request::Program([flag, rest @ ..]) if flag == "-m" && !rest.is_empty() => {
                Self::module(rest, python)
            }
            Request::Program([flag, rest @ ..]) if flag == "-c" && !rest.is_empty() => {
                Self::code(rest, python)
            }
            Request::Module(words) => Self::module(words, python),
            Request::Code(words) => Self::code(words, python),
            Request::Program([first, rest @ ..]) => {
                let typed = Path::new(first);
                if is_notebook(typed) {
                    Err(notebook(typed))
                } else if is_script(typed) || has_main(typed) {
                    Self::script(typed, rest, python)
                } else {
                    Self::executable(typed, rest)
                }
            }
            Request::Program([]) => Err(CliError::ProgramMissing {
                program: PathBuf::new(),
            }),
        }
    }

    /// Whether it is an interpreter of Python that was found.
    pub fn is_python(&self) -> bool {
        let name = self.executable.file_name().unwrap_or_default();
        name.to_string_lossy().starts_with("python")
    }

    /// The module or package `laptime` that is the program's own, not this project's. Laptime in the same interpreter would
    /// take its name.
    pub fn own_laptime(&self) -> Option<PathBuf> {
        let folder = self.modules.as_deref()?;
        let (file, package) = (folder.join("laptime.py"), folder.join("laptime"));
        if file.is_file() {
            return Some(file);
        }
        let start = package.join("__init__.py");
        let is_ours = package.join("_autostart.py").is_file();
        (start.is_file() && !is_ours).then_some(start)
    }

    fn module(words: &[OsString], python: Option<&Path>) -> Result<Self, CliError> {
        let module = words.first().cloned().unwrap_or_default();
        let typed = PathBuf::from(&module);
        let mut arguments = vec!["-m".into()];
        arguments.extend_from_slice(words);
        Ok(Self {
            executable: interpreter(python, &typed)?,
            called: None,
            arguments,
            program: module.to_string_lossy().into_owned(),
            stem: module.to_string_lossy().replace('/', "_"),
            typed,
            modules: Some(PathBuf::from(".")),
        })
    }

    fn code(words: &[OsString], python: Option<&Path>) -> Result<Self, CliError> {
        let typed = PathBuf::from("-c");
        let mut arguments = vec!["-c".into()];
        arguments.extend_from_slice(words);
        Ok(Self {
            executable: interpreter(python, &typed)?,
            called: None,
            arguments,
            // Code may hold what nobody wants to find in a recording: it is never kept.
            program: CODE.to_owned(),
            stem: "command".to_owned(),
            typed,
            modules: Some(PathBuf::from(".")),
        })
    }

    fn script(typed: &Path, rest: &[OsString], python: Option<&Path>) -> Result<Self, CliError> {
        let found = typed
            .metadata()
            .map_err(|source| cannot_run(typed, source))?;
        if found.is_dir() && !has_main(typed) {
            return Err(is_folder(typed));
        }
        let mut arguments = vec![no_flag(typed).into()];
        arguments.extend_from_slice(rest);
        Ok(Self {
            executable: interpreter(python, typed)?,
            called: None,
            arguments,
            program: last_component(&named(typed)),
            stem: stem(&named(typed)),
            typed: typed.to_owned(),
            modules: modules_of(typed),
        })
    }

    fn executable(typed: &Path, rest: &[OsString]) -> Result<Self, CliError> {
        let is_path = typed.components().count() > 1 || typed.is_absolute();
        let executable = match which::which(typed) {
            // As it was typed: scripts are told that path.
            Ok(_) if is_path => typed.to_owned(),
            Ok(found) => found,
            Err(_) if is_path || typed.is_dir() => return Err(not_executable(typed)),
            Err(_) => {
                return Err(CliError::ProgramNotOnPath {
                    program: typed.to_owned(),
                });
            }
        };
        Ok(Self {
            executable,
            called: (!is_path).then(|| typed.into()),
            arguments: rest.to_vec(),
            program: last_component(typed),
            stem: stem(typed),
            typed: typed.to_owned(),
            modules: None,
        })
    }
}

/// The folder of a script's modules: its own, itself where it is a folder. A link is followed, as Python does.
fn modules_of(script: &Path) -> Option<PathBuf> {
    let file = script.canonicalize().ok()?;
    if file.is_dir() {
        return Some(file);
    }
    file.parent().map(Path::to_owned)
}

/// The error for a start that the system refused.
///
/// The file was found before: one that the system doesn't find now is what the file is run by.
pub fn cannot_start(target: &Target, source: io::Error) -> CliError {
    let is_there = target.typed.exists() || target.executable.exists();
    if source.kind() != io::ErrorKind::NotFound || !is_there {
        return cannot_run(&target.typed, source);
    }
    CliError::InterpreterMissing {
        program: target.typed.clone(),
        interpreter: if target.executable.exists() {
            shebang(&target.executable)
        } else {
            Some(target.executable.display().to_string())
        },
    }
}

/// The interpreter that the first line of a file names.
fn shebang(file: &Path) -> Option<String> {
    let mut start = String::new();
    let opened = named_file::open(file).ok()?;
    // Longer lines are cut by the system too.
    BufReader::new(opened.take(256))
        .read_line(&mut start)
        .ok()?;
    let named = start.strip_prefix("#!")?.split_whitespace().next()?;
    Some(named.to_owned())
}

/// The error for a program that can't be run.
pub fn cannot_run(typed: &Path, source: io::Error) -> CliError {
    let program = typed.to_owned();
    match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            CliError::ProgramMissing { program }
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::IsADirectory => {
            CliError::NotExecutable { program, source }
        }
        _ if source.raw_os_error() == Some(libc::ENOEXEC) => {
            CliError::NotExecutable { program, source }
        }
        _ => CliError::Start { program, source },
    }
}

fn not_executable(typed: &Path) -> CliError {
    match typed.metadata() {
        Err(source) => cannot_run(typed, source),
        Ok(found) if found.is_dir() => is_folder(typed),
        Ok(_) => cannot_run(typed, io::ErrorKind::PermissionDenied.into()),
    }
}

fn is_folder(typed: &Path) -> CliError {
    let why = "it is a folder without a __main__.py";
    cannot_run(typed, io::Error::new(io::ErrorKind::IsADirectory, why))
}

/// Whether it is a folder that Python runs, as in `python folder`.
fn has_main(typed: &Path) -> bool {
    typed.join("__main__.py").is_file()
}

/// A notebook is run by a kernel, which no command line starts.
fn is_notebook(typed: &Path) -> bool {
    typed.extension() == Some(OsStr::new("ipynb"))
}

fn notebook(typed: &Path) -> CliError {
    match typed.metadata() {
        Err(source) => cannot_run(typed, source),
        Ok(_) => CliError::Notebook {
            program: typed.to_owned(),
        },
    }
}

/// A script's path that Python doesn't take for one of its options.
fn no_flag(typed: &Path) -> PathBuf {
    if typed.to_string_lossy().starts_with('-') {
        Path::new(".").join(typed)
    } else {
        typed.to_owned()
    }
}

/// Whether a file is run under Python rather than executed.
pub fn is_script(typed: &Path) -> bool {
    typed
        .extension()
        .and_then(OsStr::to_str)
        .is_some_and(|extension| SCRIPT_EXTENSIONS.contains(&extension))
}

/// The interpreter for a script: the one Laptime is installed in, else the one on `PATH`.
pub fn interpreter(python: Option<&Path>, typed: &Path) -> Result<PathBuf, CliError> {
    if let Some(python) = python {
        return Ok(python.to_owned());
    }
    ["python", "python3"]
        .iter()
        .find_map(|name| which::which(name).ok())
        .ok_or_else(|| CliError::NoPython {
            program: typed.to_owned(),
        })
}

/// A path that has a name: `.` and `..` are called like the folder that they are.
fn named(path: &Path) -> PathBuf {
    if path.file_name().is_some() {
        return path.to_owned();
    }
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn last_component(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or(path.as_os_str());
    stem.to_string_lossy().into_owned()
}

#[cfg(test)]
#[path = "target_tests.rs"]
mod tests;
