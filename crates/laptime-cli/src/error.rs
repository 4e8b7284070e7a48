//! Everything that ends a command early, with its exit code and the hint that helps.

use std::io;
use std::path::PathBuf;

use laptime::{ExportError, ExportFormat, JobError};
use laptime_reader::{Damage, OtherFile, ReadError};

use crate::bench::BenchError;
pub use crate::exit_code::{
    ERROR, INCONCLUSIVE, NOT_COMPARABLE, NOT_EXECUTABLE, NOT_FOUND, OK, REGRESSION, RUN_FAILED,
    UNREADABLE, USAGE,
};
use crate::formats::ENDINGS;
use crate::messages::{quoted, say, say_lines};
use crate::ops::error::OpsError;
use crate::outlet::Outlet;
use crate::recordings;
use crate::runs::folder::RUNS;
use crate::scripts;

/// Why a command ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CliError {
    /// The reader of our output went away, as `| head` does.
    #[error("the reader of the output went away")]
    BrokenPipe,
    /// Output could not be written.
    #[error("cannot write {target}: {source}")]
    Output {
        /// A path, or the words `standard output`.
        target: String,
        /// The system's reason.
        source: io::Error,
    },
    /// The script or program to run isn't there.
    #[error("cannot run {}: no such file", program.display())]
    ProgramMissing {
        /// As typed.
        program: PathBuf,
    },
    /// A command could not be measured.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// An option before the program's name that `laptime run` doesn't have.
    #[error("{option} is not an option of laptime run")]
    NoSuchOption {
        /// As typed, without its value.
        option: String,
        /// The one that is most like it.
        near: Option<String>,
    },
    /// A program named without a folder isn't on `PATH`.
    #[error("cannot run {}: not found on PATH", program.display())]
    ProgramNotOnPath {
        /// As typed.
        program: PathBuf,
    },
    /// No Python interpreter for a script.
    #[error("cannot run {}: no `python` on PATH", program.display())]
    NoPython {
        /// The script or module, as typed.
        program: PathBuf,
    },
    /// The program is there but the system does not execute it.
    #[error("cannot run {}: {source}", program.display())]
    NotExecutable {
        /// As typed.
        program: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The program could not be started or waited for.
    #[error("cannot run {}: {source}", program.display())]
    Start {
        /// As typed.
        program: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// What a program is run by isn't there.
    #[error(
        "cannot run {}: {} is not there, which it is run by",
        program.display(),
        interpreter.as_deref().unwrap_or("the loader")
    )]
    InterpreterMissing {
        /// As typed.
        program: PathBuf,
        /// The interpreter; none where a binary needs a loader.
        interpreter: Option<String>,
    },
    /// A notebook has no command line.
    #[error("cannot run {}: it is a notebook, which is measured from inside", program.display())]
    Notebook {
        /// As typed.
        program: PathBuf,
    },
    /// `--output` is no name of a recording.
    #[error("cannot record in {}: a recording's name ends in .lap", path.display())]
    NoRecordingName {
        /// As typed.
        path: PathBuf,
        /// A name near it that a recording may have.
        near: PathBuf,
    },
    /// `--html` is no name of a page.
    #[error("cannot write the page to {}: a page's name ends in .html or .htm", path.display())]
    NoPageName {
        /// As typed.
        path: PathBuf,
    },
    /// Recordings are never overwritten.
    #[error("{} already exists; recordings are not overwritten", path.display())]
    RecordingExists {
        /// As typed.
        path: PathBuf,
    },
    /// `--force` replaces finished recordings.
    #[error("another process is recording into {}, so --force does not replace it", path.display())]
    RecordingBusy {
        /// As typed.
        path: PathBuf,
    },
    /// `--force` replaces recordings, nothing else.
    #[error("{} is there and not a recording, so it is never replaced", path.display())]
    NotARecording {
        /// As typed.
        path: PathBuf,
    },
    /// No recording was named, and none is in the working folder.
    #[error("no recording is in this folder, nor in {}", RUNS)]
    NoneHere,
    /// `--open` without a file shows a page, and another form was asked for.
    #[error("--open shows a page; {format} is none")]
    NoPage {
        /// The format's name.
        format: &'static str,
    },
    /// Recordings are not deleted there.
    #[error("nothing is deleted: {why}")]
    Protected {
        /// What is wrong with the folder.
        why: String,
    },
    /// Recordings are deleted with a yes only, and nobody can be asked.
    #[error("nothing is deleted: no terminal is there to ask")]
    NobodyToAsk {
        /// The command that doesn't ask.
        instead: String,
    },
    /// Recordings could not be deleted.
    #[error("{count} of the recordings could not be deleted")]
    NotDeleted {
        /// How many.
        count: usize,
    },
    /// `--until` asks about a metric that isn't in the recording.
    #[error("the recording has no metric {metric:?}")]
    NoMetric {
        /// As typed.
        metric: String,
        /// Paths of those that are there.
        known: Vec<String>,
    },
    /// The recordings of a job give no answer.
    #[error(transparent)]
    Job(JobError),
    /// `--filter` lets no row through.
    #[error("no row matches {pattern}")]
    NoRow {
        /// As typed.
        pattern: String,
        /// A name or a path that is there and is like it.
        near: Option<String>,
    },
    /// Nothing was named to compare the base with.
    #[error("{} is the base, and nothing is named to compare it with", path.display())]
    NothingToCompare {
        /// The base.
        path: PathBuf,
    },
    /// No baseline was saved under a name.
    #[error("no baseline is called {name:?} in {}", folder.display())]
    NoBaseline {
        /// As typed.
        name: String,
        /// Where they are kept.
        folder: PathBuf,
        /// Those that are there.
        known: Vec<String>,
    },
    /// A baseline's name is a folder's.
    #[error("{name:?} is no name for a baseline: letters, digits, `.`, `_` and `-` are")]
    NoBaselineName {
        /// As typed.
        name: String,
    },
    /// `--fail-on` names a path, or a number of it, that isn't in the recordings.
    #[error("--fail-on {gate:?}: not every recording has that")]
    NoSuchGate {
        /// As typed.
        gate: String,
        /// Paths that are there, the likeliest first.
        known: Vec<String>,
    },
    /// `--fail-on` limits memory, which was not recorded.
    #[error("--fail-on {gate:?}: memory was not recorded on both sides")]
    NoMemoryGate {
        /// As typed.
        gate: String,
    },
    /// `--fail-on` limits what a benchmark doesn't have.
    #[error("--fail-on {gate:?}: benchmarks have no limit but on p50, the median")]
    NoBenchmarkGate {
        /// As typed.
        gate: String,
        /// The same limit on the median.
        instead: String,
    },
    /// A comparison has no such form.
    #[error("{}: a comparison is no {}", path.display(), path.extension().unwrap_or_default().display())]
    NoComparisonEnding {
        /// As typed.
        path: PathBuf,
    },
    /// `--output` ends in something that no format is known by.
    #[error("{}: unknown file type", path.display())]
    UnknownEnding {
        /// As typed.
        path: PathBuf,
    },
    /// Neither `--format` nor `--output` says what to export to.
    #[error("no format is named")]
    NoFormat,
    /// `--output` ends in something that no format of an export is known by.
    #[error("{}: unknown file type", path.display())]
    UnknownExport {
        /// As typed.
        path: PathBuf,
    },
    /// Bytes that are no text would go to a terminal.
    #[error("{format} is no text for a terminal")]
    Binary {
        /// The format's name.
        format: &'static str,
        /// An ending of its files.
        ending: &'static str,
    },
    /// `--output` of an export is the recording, or lies in it.
    #[error("{} is the recording itself; recordings are not overwritten", path.display())]
    IsRecording {
        /// As typed.
        path: PathBuf,
    },
    /// `--tree` with a format that has no tree.
    #[error("--tree draws text; {format} has no tree")]
    NoTree {
        /// The format's name.
        format: &'static str,
    },
    /// No program shows a file.
    #[error("cannot show {}: {source}", path.display())]
    Browser {
        /// What was to be shown.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// What was to be counted could not be.
    #[error(transparent)]
    Ops(#[from] OpsError),
    /// A recording could not be read.
    #[error(transparent)]
    Reading(#[from] ReadError),
    /// `run` failed by itself, before the program was started.
    #[error(transparent)]
    BeforeStart(Box<CliError>),
}

impl CliError {
    /// The error for a failed write to standard output.
    pub fn from_output(source: io::Error) -> Self {
        if source.kind() == io::ErrorKind::BrokenPipe {
            Self::BrokenPipe
        } else {
            Self::Output {
                target: "standard output".to_owned(),
                source,
            }
        }
    }

    /// The error for a recording that could not be exported.
    pub fn from_export(error: ExportError) -> Self {
        match error {
            ExportError::Reading(source) => Self::Reading(source),
            ExportError::Output(source) => Self::from_output(source),
            ExportError::File { path, source } => Self::Output {
                target: path.display().to_string(),
                source,
            },
            ExportError::Itself { path } => Self::IsRecording { path },
            other => Self::Output {
                target: "the export".to_owned(),
                source: io::Error::other(other),
            },
        }
    }

    /// The exit code it leads to.
    pub fn code(&self) -> i32 {
        match self {
            Self::BrokenPipe => OK,
            Self::Output { .. }
            | Self::Browser { .. }
            | Self::RecordingExists { .. }
            | Self::RecordingBusy { .. }
            | Self::NotARecording { .. }
            | Self::Protected { .. }
            | Self::NotDeleted { .. } => ERROR,
            Self::NoFormat
            | Self::UnknownExport { .. }
            | Self::Binary { .. }
            | Self::IsRecording { .. }
            | Self::NoMetric { .. }
            | Self::Job(_)
            | Self::NoRow { .. }
            | Self::NothingToCompare { .. }
            | Self::NoBaseline { .. }
            | Self::NoBaselineName { .. }
            | Self::NoSuchGate { .. }
            | Self::NoMemoryGate { .. }
            | Self::NoBenchmarkGate { .. }
            | Self::NoComparisonEnding { .. }
            | Self::UnknownEnding { .. }
            | Self::NoTree { .. }
            | Self::NoRecordingName { .. }
            | Self::NoPageName { .. }
            | Self::NoPage { .. }
            | Self::NobodyToAsk { .. }
            | Self::NoSuchOption { .. } => USAGE,
            Self::Reading(_) | Self::NoneHere => UNREADABLE,
            Self::Bench(error) => error.code(),
            Self::Ops(error) => error.code(),
            Self::ProgramMissing { .. } | Self::ProgramNotOnPath { .. } => NOT_FOUND,
            Self::NotExecutable { .. }
            | Self::InterpreterMissing { .. }
            | Self::Notebook { .. } => NOT_EXECUTABLE,
            Self::NoPython { .. } | Self::Start { .. } | Self::BeforeStart(_) => RUN_FAILED,
        }
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Bench(error) => error.hint(),
            Self::NoSuchOption { near, .. } => {
                let own = "ptions of your own script go after its name";
                Some(match near {
                    Some(near) => format!("did you mean {near}? O{own}"),
                    None => format!("o{own}; `laptime run --help` has those of laptime run"),
                })
            }
            Self::RecordingBusy { .. } => {
                Some("wait for its end, or give another --output".to_owned())
            }
            Self::RecordingExists { .. } => {
                Some("pass --force to replace it, or another --output".to_owned())
            }
            Self::NoneHere => Some("`laptime run SCRIPT` makes one; or name it: laptime report FILE".to_owned()),
            Self::NoPage { .. } => Some("leave out the format, or name a file: -o FILE".to_owned()),
            Self::NobodyToAsk { instead } => Some(instead.clone()),
            Self::Job(error) => error.hint(),
            Self::NoMetric { known, .. } if known.is_empty() => {
                Some("record one with `lt.metric(\"test_acc\", 0.93)`".to_owned())
            }
            Self::NoRow { near, .. } => Some(match near {
                Some(near) => format!("did you mean {near}?"),
                None => "a pattern is a name such as `forward`, or a path such as `step/*` or `**/forward`"
                    .to_owned(),
            }),
            Self::NothingToCompare { path } => {
                let are_benchmarks = OtherFile::of_schema(path) == Some(OtherFile::Benchmarks);
                let (ending, several) = if are_benchmarks {
                    ("json", "measurements")
                } else {
                    ("lap", "runs")
                };
                Some(format!(
                    "laptime compare {} NEW.{ending}; several {several} a side: laptime compare base-*.{ending} \
                     --new new-*.{ending}",
                    quoted(path)
                ))
            }
            Self::NoBaseline { name, known, .. } if known.is_empty() => Some(format!(
                "save one: laptime compare --save-baseline {name} RECORDING..."
            )),
            Self::NoBaseline { known, .. } => Some(format!("baselines: {}", known.join(", "))),
            Self::NoMemoryGate { .. } => Some(
                "laptime run --memory counts what every lap allocates: record both sides with it".to_owned(),
            ),
            Self::NoBenchmarkGate { instead, .. } => Some(format!("--fail-on '{instead}'")),
            Self::NoSuchGate { known, .. } => Some(format!("paths here: {}", known.join(", "))),
            Self::NoComparisonEnding { .. } => Some("endings are .txt, .md, .json, .html".to_owned()),
            Self::NoMetric { known, .. } => Some(format!("metrics here: {}", known.join(", "))),
            Self::Browser { path, .. } => Some(format!(
                "the file is written: open {} in a browser, or name one in the variable BROWSER",
                path.display()
            )),
            Self::UnknownEnding { .. } => Some(format!(
                "endings are {}; name the format with --format",
                ENDINGS.map(|(ending, _)| ending).join(", ")
            )),
            Self::NoFormat => Some(format!(
                "name one with --format: {}; or an --output that ends in {}",
                ExportFormat::NAMES.map(|(name, _)| name).join(", "),
                ExportFormat::ENDINGS.map(|(ending, _)| ending).join(", ")
            )),
            Self::UnknownExport { .. } => Some(format!(
                "endings are {}; or name the format with --format: {}",
                ExportFormat::ENDINGS.map(|(ending, _)| ending).join(", "),
                ExportFormat::NAMES.map(|(name, _)| name).join(", ")
            )),
            Self::Binary { ending, .. } => Some(format!("write it to a file: -o NAME{ending}")),
            Self::NoTree { .. } => Some("leave out --tree, or write text".to_owned()),
            Self::NotARecording { .. } | Self::IsRecording { .. } => Some("pass another --output".to_owned()),
            Self::NoRecordingName { near, .. } => Some(format!("did you mean {}?", quoted(near))),
            Self::NoPageName { path } => {
                let page = quoted(&path.with_extension("html"));
                Some(format!("did you mean --html {page}?"))
            }
            Self::NotExecutable { program, source } => Some(scripts::not_executable(program, source)),
            Self::InterpreterMissing { program, interpreter } => Some(scripts::without_interpreter(
                program,
                interpreter.as_deref(),
            )),
            Self::Notebook { program } => Some(format!(
                "in a cell: `with lt.record({:?}) as rec:` around the work; docs/tasks/notebook.md shows how",
                program.with_extension("lap").display().to_string()
            )),
            Self::ProgramMissing { program } | Self::ProgramNotOnPath { program } => {
                scripts::instead(program)
            }
            Self::NoPython { .. } => Some(
                "name the interpreter: `laptime run /path/to/python SCRIPT`, or activate its environment"
                    .to_owned(),
            ),
            Self::Reading(error) => of_reading(error),
            Self::BeforeStart(error) => error.hint(),
            Self::Ops(error) => error.hint(),
            _ => None,
        }
    }

    /// Writes the message and the hint; nothing for a closed pipe.
    pub fn show(&self, err: &mut Outlet<'_>) {
        if matches!(self, Self::BrokenPipe) {
            return;
        }
        let text = format!("laptime: error: {self}");
        if matches!(self, Self::Ops(OpsError::NotCounted { .. })) {
            say_lines(err, text);
        } else {
            say(err, text);
        }
        if let Some(hint) = self.hint() {
            say(err, format_args!("hint: {hint}"));
        }
    }
}

/// What can be done about a file that can't be read.
fn of_reading(error: &ReadError) -> Option<String> {
    let instead = || recordings::instead(error.path());
    Some(match error {
        _ if error.is_damage() => "pass --salvage to read what is intact".to_owned(),
        _ if error.is_no_recording() => instead(),
        ReadError::NoBenchmarks { path, is } => recordings::no_benchmarks(path, *is),
        _ if error.is_newer() => "update Laptime to read it".to_owned(),
        ReadError::Read { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
            "a recording is its owner's: read it as that user, or let them hand it on".to_owned()
        }
        ReadError::Damaged {
            source: Damage::Changed { .. },
            ..
        } => "something writes that file: read it again when that is done".to_owned(),
        ReadError::Read { .. } | ReadError::Damaged { .. } => instead(),
        _ => return None,
    })
}
