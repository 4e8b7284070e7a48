//! From a recording on disk to its summary, in one or two passes over its windows.

use std::path::Path;

use laptime_analysis::{AnalysisError, Analyzer, Options, ProcessKey, Summary};
use laptime_core::Warning;
use laptime_core::format::process::BLACK_BOX_OFFSET;
use laptime_core::format::window::WINDOW_LEN;

use super::{Opened, ProcessFile, SourceError};

/// How a recording is read.
#[derive(Debug, Clone, Copy, Default)]
pub struct SourceOptions {
    /// Damage becomes a warning, and what is intact is read.
    pub salvage: bool,
    /// Whether each process's rows are told by themselves too.
    pub by_process: bool,
}

/// Sums up the recording at `path`: a folder, a packed file, a process file or a reference.
///
/// **Cost** one 64 KiB buffer, however long the recording is.
///
/// ```
/// use laptime_cli::source::{SourceOptions, summarize};
///
/// let error = summarize("no/such.lap".as_ref(), &SourceOptions::default()).unwrap_err();
/// assert_eq!(error.to_string(), "no/such.lap: no such file");
/// ```
///
/// **Errors** when nothing is there, when it is no recording or a newer one, or, without
/// `salvage`, when it is damaged; with the file and the offset.
pub fn summarize(path: &Path, options: &SourceOptions) -> Result<Summary, SourceError> {
    let opened = Opened::open(path, options.salvage)?;
    let mut analyzer = Analyzer::new(Options {
        run: opened.run.clone(),
        strict: !options.salvage,
        by_process: options.by_process,
    });
    for error in &opened.left_out {
        analyzer.warn(damage(error));
    }
    let mut keys = Vec::new();
    for file in &opened.processes {
        match begin(&mut analyzer, file, opened.is_file_alone()) {
            Ok(Some(key)) => keys.push((file, key)),
            Ok(None) => analyzer.warn(Warning::new(
                "process-not-begun",
                format!("{} ended before its recording began", file.name),
            )),
            Err(error) if options.salvage && error.is_damage() => analyzer.warn(damage(&error)),
            Err(error) => return Err(error),
        }
    }
    feed(&mut analyzer, &keys)?;
    if analyzer.wants_second_pass() {
        analyzer.begin_second_pass();
        feed(&mut analyzer, &keys)?;
    }
    Ok(analyzer.finish())
}

/// Starts a process's file; `None` for one that was made and never written.
fn begin(
    analyzer: &mut Analyzer,
    file: &ProcessFile,
    is_alone: bool,
) -> Result<Option<ProcessKey>, SourceError> {
    let prefix = file.prefix()?;
    let header = &prefix[..prefix.len().min(BLACK_BOX_OFFSET)];
    if !is_alone && header.iter().all(|byte| *byte == 0) {
        return Ok(None);
    }
    analyzer
        .process(&prefix, &file.name)
        .map(Some)
        .map_err(|error| located(file, error))
}

fn feed(analyzer: &mut Analyzer, keys: &[(&ProcessFile, ProcessKey)]) -> Result<(), SourceError> {
    let mut slot = vec![0; WINDOW_LEN];
    for (file, key) in keys {
        for offset in file.slots() {
            // The second pass needs few of them.
            if !analyzer.wants_window(*key, offset) {
                continue;
            }
            let length = file.read(offset, &mut slot)?;
            if length == 0 {
                break;
            }
            analyzer
                .window(*key, &slot[..length], offset)
                .map_err(|error| located(file, error))?;
        }
    }
    Ok(())
}

/// The same error, with the file's whole path.
pub fn located(file: &ProcessFile, error: AnalysisError) -> SourceError {
    let path = file.path().to_owned();
    match error {
        AnalysisError::Format { source, .. } => SourceError::Format { path, source },
        source => SourceError::Analysis { path, source },
    }
}

fn damage(error: &SourceError) -> Warning {
    Warning::new("damaged", format!("{error}; left out"))
}

#[cfg(test)]
#[path = "summarize_tests.rs"]
mod tests;
