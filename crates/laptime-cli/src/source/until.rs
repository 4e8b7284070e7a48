//! When a metric of a recording on disk reached a threshold, in two passes over its windows.

use std::path::Path;

use laptime_analysis::{Summary, Until, UntilReader, UntilSummary};
use laptime_core::FormatError;
use laptime_core::format::process::BLACK_BOX_OFFSET;

use super::{Opened, ProcessFile, SourceError, SourceOptions};

/// What is done with a window.
type Pass = fn(&mut UntilReader, &[u8], u64) -> Result<(), FormatError>;

/// The answer of the recording at `path`, whose summary is known.
///
/// **Cost** as [`summarize`](super::summarize); damage that `salvage` leaves out is left out here.
pub fn until(
    path: &Path,
    options: &SourceOptions,
    question: &Until,
    summary: &Summary,
) -> Result<UntilSummary, SourceError> {
    let opened = Opened::open(path, options.salvage)?;
    let mut readers = Vec::new();
    for file in &opened.processes {
        let prefix = file.prefix()?;
        let is_begun = prefix[..prefix.len().min(BLACK_BOX_OFFSET)]
            .iter()
            .any(|byte| *byte != 0);
        let reader = UntilReader::new(&prefix, question).map_err(|source| located(file, source));
        let mut reader = match reader {
            Ok(reader) => reader,
            Err(_) if !is_begun || options.salvage => continue,
            Err(error) => return Err(error),
        };
        feed(file, &mut reader, UntilReader::search, options.salvage)?;
        if reader.has_values() {
            feed(file, &mut reader, UntilReader::count, options.salvage)?;
        }
        readers.push(reader);
    }
    let began = summary.processes.iter().find(|process| process.is_main);
    let started = summary.run.as_ref().map(|run| run.started_monotonic_ns);
    let start_ns = started.or(began.map(|main| main.started_monotonic_ns));
    Ok(UntilReader::answer(
        question,
        &readers,
        start_ns.unwrap_or(0),
    ))
}

fn feed(
    file: &ProcessFile,
    reader: &mut UntilReader,
    pass: Pass,
    salvage: bool,
) -> Result<(), SourceError> {
    file.windows(|bytes, offset| match pass(reader, bytes, offset) {
        Err(_) if salvage => Ok(()),
        done => done.map_err(|source| located(file, source)),
    })
}

fn located(file: &ProcessFile, source: FormatError) -> SourceError {
    SourceError::Format {
        path: file.path().to_owned(),
        source,
    }
}
