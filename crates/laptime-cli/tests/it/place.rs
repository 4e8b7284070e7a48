//! A scratch folder to run the built `laptime` in, with a clean environment.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use laptime_core::RunInfo;

/// A folder of one test; removed at its end.
pub struct Place(tempfile::TempDir);

/// What a command left.
#[derive(Debug)]
pub struct Left {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// Has a program not ignore what it would if the tests had been started in the background: every program
/// inherits that.
pub fn as_in_foreground(command: &mut Command) {
    // SAFETY: `signal` may be called between fork and exec.
    unsafe {
        command.pre_exec(|| {
            for number in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT] {
                libc::signal(number, libc::SIG_DFL);
            }
            Ok(())
        });
    }
}

impl Place {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file and returns its name.
    pub fn file<'a>(&self, name: &'a str, content: &str) -> &'a str {
        std::fs::write(self.path().join(name), content).unwrap();
        name
    }

    /// `laptime`, ready to be given arguments.
    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_laptime"));
        command.current_dir(self.path());
        for (variable, _) in std::env::vars_os() {
            let name = variable.to_string_lossy();
            let is_ours = name.starts_with("LAPTIME") || name.ends_with("_COLOR");
            if is_ours || name == "CI" || name == "COLUMNS" {
                command.env_remove(variable);
            }
        }
        // As on a desktop: a machine that runs tests may have no display.
        command.env("DISPLAY", ":0");
        as_in_foreground(&mut command);
        command
    }

    /// Runs `laptime` with these arguments.
    pub fn laptime(&self, arguments: &[&str]) -> Left {
        Left::from(self.command().args(arguments).output().unwrap())
    }

    /// The description in a recording of this folder.
    pub fn run_info(&self, recording: &str) -> RunInfo {
        let path = self.path().join(recording).join(RunInfo::FILE_NAME);
        RunInfo::from_json(&std::fs::read(path).unwrap()).unwrap()
    }

    /// Recordings in this folder and in its `.laptime/runs`, sorted.
    pub fn recordings(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for folder in ["", ".laptime/runs"].map(Path::new) {
            let entries = std::fs::read_dir(self.path().join(folder));
            let names = entries.into_iter().flatten();
            found.extend(names.map(|entry| folder.join(entry.unwrap().file_name())));
        }
        found.retain(|name| name.extension().is_some_and(|is| is == "lap"));
        found.sort();
        found
    }
}

impl From<Output> for Left {
    fn from(output: Output) -> Self {
        use std::os::unix::process::ExitStatusExt;
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(!err.contains("internal error"), "{err}");
        Self {
            code: output
                .status
                .code()
                .unwrap_or_else(|| -output.status.signal().unwrap()),
            out: String::from_utf8(output.stdout).unwrap(),
            err,
        }
    }
}
