//! From a recording on disk to its page: the summary's tables and one timeline per process.

use std::path::Path;

use laptime_analysis::{LaneBudget, LaneReader, ProcessLanes, Summary};
use laptime_core::Unavailable;
use laptime_core::format::process::BLACK_BOX_OFFSET;
use laptime_report::html::{self, Page, TimelinePanel};
use laptime_report::{Document, View};

use super::summarize::located;
use super::{Opened, ProcessFile, SourceError, SourceOptions};

/// Processes that get a panel; a page with more would hold nobody's attention.
const MOST_PANELS: usize = 64;
/// Tracks that a process has room for at least, however many processes there are.
const LEAST_TRACKS: usize = 8;

/// The page of the recording at `path`, whose summary is known.
///
/// **Cost** 32 bytes per span, up to a bound; beyond it short neighbours are merged.
///
/// **Errors** as [`super::summarize`] does.
pub fn page(
    path: &Path,
    options: &SourceOptions,
    summary: &Summary,
    view: &View,
) -> Result<String, SourceError> {
    let opened = Opened::open(path, options.salvage)?;
    let mut panels = panels(&opened, options.salvage)?;
    let mut notes = Vec::new();
    if opened.processes.len() > MOST_PANELS {
        notes.push(format!(
            "{} further processes are not drawn",
            opened.processes.len() - MOST_PANELS
        ));
    }
    if let Some(last) = panels.last_mut() {
        last.notes.append(&mut notes);
    }
    let why = panels
        .is_empty()
        .then(|| Unavailable("the recording holds no span".to_owned()));
    Ok(html::render(&Page {
        title: summary.program.clone(),
        documents: vec![Document::new(summary, view)],
        panels,
        why,
        size: None,
    }))
}

fn panels(opened: &Opened, salvage: bool) -> Result<Vec<TimelinePanel>, SourceError> {
    let drawn = &opened.processes[..opened.processes.len().min(MOST_PANELS)];
    let whole = LaneBudget::default();
    let budget = LaneBudget {
        bars: whole.bars / drawn.len().max(1),
        tracks: (whole.tracks / drawn.len().max(1)).max(LEAST_TRACKS),
    };
    let mut readers = Vec::new();
    for file in drawn {
        match read(file, budget) {
            Ok(Some(reader)) => readers.push(reader),
            Ok(None) => {}
            // What is intact is drawn; the summary warns of the rest.
            Err(error) if salvage && error.is_damage() => {}
            Err(error) => return Err(error),
        }
    }
    let started = readers
        .iter()
        .map(|reader| reader.header().anchor.monotonic_ns);
    let origin_ns = opened
        .run
        .as_ref()
        .map(|run| run.started_monotonic_ns)
        .into_iter()
        .chain(started)
        .min()
        .unwrap_or(0);
    Ok(readers
        .into_iter()
        .map(|reader| {
            let title = format!(
                "{} · process {}",
                reader.header().program,
                reader.header().pid
            );
            (title, reader.finish(origin_ns))
        })
        .filter(|(_, process)| holds_something(process))
        .map(|(title, process)| TimelinePanel::of_process(title, process))
        .collect())
}

fn holds_something(process: &ProcessLanes) -> bool {
    !process.lanes.is_empty()
}

/// Reads one process; `None` for a file that was made and never written.
fn read(file: &ProcessFile, budget: LaneBudget) -> Result<Option<LaneReader>, SourceError> {
    let prefix = file.prefix()?;
    if prefix.iter().take(BLACK_BOX_OFFSET).all(|byte| *byte == 0) {
        return Ok(None);
    }
    let mut reader =
        LaneReader::new(&prefix, &file.name, budget).map_err(|error| located(file, error))?;
    file.windows(|bytes, offset| {
        reader
            .window(bytes, offset)
            .map_err(|error| located(file, error))
    })?;
    Ok(Some(reader))
}
