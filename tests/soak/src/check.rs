//! Compares what a killed program left with what it is known to have done.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use laptime_core::format::process::{
    OpenSpan, PREFIX_LEN, ProcessHeader, open_spans, window_offset,
};
use laptime_core::format::record::Record;
use laptime_core::format::window::{WINDOW_LEN, Window};
use laptime_core::{PathId, RunInfo, Span, SpanFlags};

use crate::sequence::{Name, finished, finished_span, open};
use crate::truth::{Line, THREADS, Truth};

/// What one or several recordings held.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Kills after which there was a span.
    pub kills_with_spans: u64,
    spans: u64,
    missing: u64,
    lost: u64,
    open: u64,
    unnamed: u64,
}

impl Outcome {
    /// Whether the kill came after the first span.
    pub fn has_spans(&self) -> bool {
        self.spans > 0
    }

    /// Adds another.
    pub fn add(&mut self, other: &Self) {
        self.kills_with_spans += u64::from(other.has_spans());
        self.spans += other.spans;
        self.missing += other.missing;
        self.lost += other.lost;
        self.open += other.open;
        self.unnamed += other.unnamed;
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{} kills hit a running recording; {} spans read; {} finished spans missing (at most \
             one a thread is allowed); {} counted as lost; {} open spans named, {} not",
            self.kills_with_spans, self.spans, self.missing, self.lost, self.open, self.unnamed
        )
    }
}

/// Reads the recording with the format's own reader and compares.
pub fn check(folder: &Path, truth: &Path) -> Result<Outcome, String> {
    let truth = Truth::read(truth).map_err(|error| format!("truth page: {error}"))?;
    let has_begun = truth.iter().any(|line| line.begun > 0);
    let Some(bytes) = process_file(folder)? else {
        if has_begun {
            return Err("spans were recorded, but there is no process file".to_owned());
        }
        return Ok(Outcome::default());
    };
    if bytes.iter().all(|byte| *byte == 0) && !has_begun {
        // Killed between making the file and writing its first bytes.
        return Ok(Outcome::default());
    }
    let header = ProcessHeader::parse(&bytes).map_err(|error| error.to_string())?;
    if header.closed.is_some() {
        return Err("the file of a killed program says that it was closed".to_owned());
    }
    let content = Content::read(&bytes)?;
    let mut outcome = Outcome {
        lost: header.lost,
        ..Outcome::default()
    };
    let open = open_spans(&bytes[..bytes.len().min(PREFIX_LEN)]);
    for (thread, line) in truth.iter().enumerate() {
        let track = content.tracks.get(&format!("writer-{thread}")).copied();
        let at = |message| format!("thread {thread} ({line:?}): {message}");
        content
            .check_thread(track, line, &open, &mut outcome)
            .map_err(at)?;
    }
    // Three threads, the one that started them, and the recorder's own.
    if content.tracks.len() > THREADS + 2 {
        return Err(format!("tracks out of nowhere: {:?}", content.tracks));
    }
    Ok(outcome)
}

fn process_file(folder: &Path) -> Result<Option<Vec<u8>>, String> {
    let mut found = None;
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == RunInfo::FILE_NAME {
            let bytes = std::fs::read(&path).map_err(|error| error.to_string())?;
            RunInfo::from_json(&bytes).map_err(|error| format!("run.json: {error}"))?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "proc")
        {
            if found.is_some() {
                return Err("two process files of one process".to_owned());
            }
            found = Some(std::fs::read(&path).map_err(|error| error.to_string())?);
        }
    }
    Ok(found)
}

/// What stands in a process file.
#[derive(Default)]
struct Content {
    names: HashMap<PathId, Option<Name>>,
    paths: HashMap<PathId, Vec<String>>,
    tracks: HashMap<String, u32>,
    /// In order of their ends, per track.
    spans: HashMap<u32, Vec<Span>>,
}

impl Content {
    fn read(bytes: &[u8]) -> Result<Self, String> {
        let mut content = Self::default();
        let mut windows = Vec::new();
        for slot in 0.. {
            let offset = window_offset(slot);
            let Some(bytes) = bytes.get(offset as usize..) else {
                break;
            };
            let bytes = &bytes[..bytes.len().min(WINDOW_LEN)];
            let window = Window::parse(bytes, offset).map_err(|error| error.to_string())?;
            windows.extend(window);
        }
        windows.sort_by_key(|window| window.header.sequence);
        for window in &windows {
            content.read_window(window)?;
        }
        for (path, names) in &content.paths {
            content.names.insert(*path, Name::of_path(names));
        }
        Ok(content)
    }

    fn read_window(&mut self, window: &Window<'_>) -> Result<(), String> {
        let mut defined = vec![PathId::ROOT];
        let mut wrong = None;
        let outcome = window.for_each(|record| match record {
            Record::Path { id, parent, name } => {
                if !defined.contains(&parent) {
                    wrong = Some(format!("{id:?} is defined before its parent {parent:?}"));
                }
                defined.push(id);
                let mut names = self.paths.get(&parent).cloned().unwrap_or_default();
                names.push(name.to_owned());
                let known = self.paths.entry(id).or_insert_with(|| names.clone());
                if *known != names {
                    wrong = Some(format!("{id:?} is {known:?} and {names:?}"));
                }
            }
            Record::Span(span) => {
                if span.flags != SpanFlags::NONE {
                    wrong = Some(format!("an unusual span: {span:?}"));
                }
                self.spans.entry(span.track).or_default().push(span);
            }
            Record::TrackName { track, name, .. } => {
                self.tracks.insert(name.to_owned(), track);
            }
            _ => {}
        });
        outcome.map_err(|error| error.to_string())?;
        wrong.map_or(Ok(()), Err)
    }

    fn check_thread(
        &self,
        track: Option<u32>,
        line: &Line,
        open_spans: &[OpenSpan],
        outcome: &mut Outcome,
    ) -> Result<(), String> {
        let none = Vec::new();
        let spans = track
            .and_then(|track| self.spans.get(&track))
            .unwrap_or(&none);
        let found = spans.len() as u64;
        let (least, most) = (finished(line.done), finished(line.begun));
        if found > most {
            return Err(format!("{found} spans read, only {most} were ever closed"));
        }
        if found + 1 + outcome.lost < least {
            return Err(format!("{found} spans read of {least} that had finished"));
        }
        outcome.missing += least.saturating_sub(found);
        outcome.spans += found;
        if outcome.lost == 0 {
            self.check_spans(spans, line)?;
        }
        self.check_open(track, line, open_spans, outcome)
    }

    /// Every span is the one that finished at its place, and the durations are the true ones.
    fn check_spans(&self, spans: &[Span], line: &Line) -> Result<(), String> {
        let (mut sum, mut last_end) = (0, 0);
        for (index, span) in spans.iter().enumerate() {
            let expected = finished_span(index as u64);
            let name = self.names.get(&span.path).copied().flatten();
            if name != Some(expected) {
                return Err(format!("span {index} is {name:?}, expected {expected:?}"));
            }
            if span.end() < last_end {
                return Err(format!("span {index} ends before the one before it"));
            }
            last_end = span.end();
            sum += span.duration;
        }
        let count = spans.len() as u64;
        // The last span's sum may not have been noted before the kill.
        if count <= finished(line.done) && sum != line.sum(count) {
            let truth = line.sum(count);
            return Err(format!(
                "{count} durations sum up to {sum}, truly to {truth}"
            ));
        }
        Ok(())
    }

    /// The black box holds the stack before or after the operation that was under way.
    fn check_open(
        &self,
        track: Option<u32>,
        line: &Line,
        open_spans: &[OpenSpan],
        outcome: &mut Outcome,
    ) -> Result<(), String> {
        let Some(track) = track else { return Ok(()) };
        let mine: Vec<&OpenSpan> = open_spans
            .iter()
            .filter(|open| open.track == track)
            .collect();
        let names: Vec<Option<Name>> = mine
            .iter()
            .map(|open| self.names.get(&open.path).copied().flatten())
            .collect();
        outcome.open += names.iter().filter(|name| name.is_some()).count() as u64;
        outcome.unnamed += names.iter().filter(|name| name.is_none()).count() as u64;
        // An open path whose definition did not reach a window before the kill has no name.
        let agrees = |expected: Vec<Name>| {
            expected.len() == names.len()
                && names
                    .iter()
                    .zip(&expected)
                    .all(|(name, expected)| name.is_none_or(|name| name == *expected))
        };
        if !agrees(open(line.done)) && !agrees(open(line.begun)) {
            return Err(format!(
                "open in the black box: {names:?}, truly {:?} or {:?}",
                open(line.done),
                open(line.begun)
            ));
        }
        if let Some(wrong) = mine.windows(2).find(|pair| pair[1].start < pair[0].start) {
            return Err(format!("an open child is older than its parent: {wrong:?}"));
        }
        Ok(())
    }
}
