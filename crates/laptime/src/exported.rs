//! A recording on disk in the format of another tool.
//!
//! The reader hands out the records of one process after the other, and the exporter writes what
//! comes. A file takes its name when it is whole: what was there before stays until then.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use laptime_analysis::{ProcessState, ProcessSummary, Summary};
use laptime_core::Warning;
pub use laptime_export::Format as ExportFormat;
use laptime_export::{About, Export, Survey};
use laptime_reader::{ReadError, RecordedProcess, RecordingFiles};
use laptime_recorder::output::{Output, is_inside};
use laptime_report::sentences::doubts::in_words;

use crate::recorded::Recorded;

/// Warnings that are about what an export holds, by their codes.
const ABOUT_RECORDS: [&str; 18] = [
    "clamped-durations",
    "copied-process",
    "damaged",
    "deep-recursion",
    "doubtful-clock",
    "doubtful-run",
    "empty-windows",
    "lost-spans",
    "nominal-clock",
    "not-closed",
    "process-not-begun",
    "reference",
    "too-deep",
    "too-many-paths",
    "truncated",
    "uneven-clock",
    "unreadable-file",
    "workers-ended",
];

/// What was exported.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Exported {
    /// Finished spans that were written.
    pub spans: u64,
    /// What is missing or doubtful.
    pub warnings: Vec<Warning>,
}

/// Why a recording could not be exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The recording could not be read.
    #[error(transparent)]
    Reading(#[from] ReadError),
    /// The output could not be written.
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
    /// A file could not be written; what was there before is there still.
    #[error("cannot write {}: {source}", path.display())]
    File {
        /// As given.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The file to write is the recording, or would lie in its folder.
    #[error("{} is the recording itself or lies in its folder: write somewhere else", path.display())]
    Itself {
        /// As given.
        path: PathBuf,
    },
}

impl Recorded {
    /// Writes the recording in the format of another tool.
    ///
    /// ```
    /// # let place = tempfile::tempdir()?;
    /// let recording = laptime::record(place.path().join("train.lap"))?.finish()?;
    /// let mut trace = Vec::new();
    /// let recorded = laptime::Recorded::new(&recording);
    /// recorded.export(laptime::ExportFormat::Chrome, &mut trace)?;
    /// assert!(trace.starts_with(b"{\"displayTimeUnit\":\"ns\""));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// **Cost** memory for one window's spans and the tables of paths and tracks, however long the
    /// recording is.
    ///
    /// **Errors** as [`crate::open`] says, and when the output refuses.
    pub fn export(&self, format: ExportFormat, out: impl Write) -> Result<Exported, ExportError> {
        let before = stamps(&self.path);
        let (analyzer, _) = self.analyzed()?;
        let sampled = if format.has_stacks() {
            analyzer.samples()
        } else {
            Vec::new()
        };
        let summary = analyzer.finish();
        let (files, mut processes) = self.begin()?;
        let mut export = Export::new(format, Box::new(out), about(&files, &processes, &summary))?;
        let mut sampled = sampled.into_iter();
        for process in &mut processes {
            let sampled = sampled.next().unwrap_or_default();
            let mut survey = Survey::default();
            process.read(&mut survey)?;
            let facts = process.reader.facts();
            let known = summary.processes.iter();
            let mut known = known.filter(|known| known.file == facts.file);
            let end_ns = known.next().map(|known| known.ended_monotonic_ns);
            let end_ns = end_ns.unwrap_or(facts.anchors.last().monotonic_ns);
            let passes = export.process(&facts, process.reader.paths(), survey, sampled, end_ns)?;
            for number in 0..passes {
                if let Some(mut pass) = export.pass(number) {
                    process.read(&mut pass)?;
                    pass.finish()?;
                }
            }
        }
        let spans = export.spans();
        export.finish()?;
        let is_running = |one: &ProcessSummary| one.state == ProcessState::Running;
        if !summary.processes.iter().any(is_running) && stamps(&self.path) != before {
            let changed = format!("{} changed while it was read", self.path.display());
            return Err(io::Error::other(changed).into());
        }
        let laps_only = laps_only(format, &summary);
        let doubts = summary.warnings.iter();
        let about = doubts.filter(|doubt| ABOUT_RECORDS.contains(&doubt.code()));
        let warnings = about.map(in_words).chain(laps_only).collect();
        Ok(Exported { spans, warnings })
    }

    /// Writes the recording into a file, which takes the place of one that is there.
    ///
    /// **Errors** as [`Self::export`]; the file is as it was then.
    pub fn export_file(&self, format: ExportFormat, path: &Path) -> Result<Exported, ExportError> {
        let of_file = |source| ExportError::File {
            path: path.to_owned(),
            source,
        };
        if is_inside(path, &self.path) {
            return Err(ExportError::Itself {
                path: path.to_owned(),
            });
        }
        let named = |error| match error {
            ExportError::Output(source) => of_file(source),
            other => other,
        };
        let output = Output::to(path).map_err(of_file)?;
        let exported = self.export(format, output.file()).map_err(named)?;
        output.finish().map_err(of_file)?;
        Ok(exported)
    }
}

/// That counted calls are not in the file, where it could have shown sampled functions.
fn laps_only(format: ExportFormat, summary: &Summary) -> Option<Warning> {
    let functions = summary.functions.as_ref()?;
    let is_counted = functions.exact.is_some() && functions.sample_count == 0;
    (is_counted && format.has_stacks()).then(|| {
        let message = format!(
            "calls were counted, but no stack was sampled: {} shows the laps alone. The format pstats has \
             the calls; `laptime run` without --calls samples stacks",
            format.name(),
        );
        Warning::new("calls-left-out", message)
    })
}

/// The files of a recording: their names, lengths and when each was written last. It is read more than once.
fn stamps(recording: &Path) -> Vec<(OsString, u64, Option<SystemTime>)> {
    let stamp = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_owned();
        let found = fs::metadata(path).ok()?;
        Some((name, found.len(), found.modified().ok()))
    };
    let Ok(entries) = fs::read_dir(recording) else {
        return stamp(recording).into_iter().collect();
    };
    let paths = entries.flatten().map(|entry| entry.path());
    let files = paths.filter(|path| path.extension().is_some_and(|is| is == "proc"));
    let mut stamps: Vec<_> = files.filter_map(|path| stamp(&path)).collect();
    stamps.sort();
    stamps
}

/// The run as a whole.
fn about(files: &RecordingFiles, processes: &[RecordedProcess], summary: &Summary) -> About {
    let zero_ns = files.zero_ns(processes);
    let of_run = files.run.as_ref().map(|run| run.started_realtime_ns);
    let of_process = processes.first().map(|process| {
        let anchor = process.reader.header().anchor;
        let since_ns = anchor.monotonic_ns.saturating_sub(zero_ns);
        anchor.realtime_ns.saturating_sub(since_ns)
    });
    About {
        program: summary.program.clone(),
        zero_realtime_ns: of_run.or(of_process).unwrap_or(0),
        zero_ns,
    }
}
