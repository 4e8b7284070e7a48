//! Reading one process, window by window: checked, in one clock, with paths of the reader's.
//!
//! [`ProcessReader`] takes bytes from anywhere: a file on disk, a snapshot of the running
//! process, a test. [`RecordedProcess`] is one with its file.

use laptime_core::anchor::Anchor;
use laptime_core::format::process::{
    BLACK_BOX_OFFSET, OpenSpan, ProcessHeader, check_end, open_spans, window_offset,
};
use laptime_core::format::reader::{Visit, VisitProcess};
use laptime_core::format::record::Record;
use laptime_core::format::window::{HEADER_LEN, WINDOW_LEN, Window, WindowState};
use laptime_core::{
    Anchors, PathId, PathTable, ProcessFacts, Runner, SampledStack, Span, SpanFlags,
};

use crate::files::{OpenFile, ProcessFile};
use crate::paths::{CheckedPaths, Told};
use crate::read_windows::ReadWindows;
use crate::{Damage, ReadError};

/// Reads the windows of one process.
#[derive(Debug, Clone)]
pub struct ProcessReader {
    pub(crate) facts: ProcessFacts,
    pub(crate) paths: CheckedPaths,
    /// Whether all windows were read once, and told their anchors.
    pub(crate) is_again: bool,
    pub(crate) windows: ReadWindows,
}

impl ProcessReader {
    /// Begins with the first bytes of a file; `name` is the file's.
    ///
    /// **Errors** when they are not the start of a process's file.
    pub fn begin(prefix: &[u8], name: &str) -> Result<Self, Damage> {
        let header = ProcessHeader::parse(prefix)?;
        Ok(Self::new(header, name, open_spans(prefix)))
    }

    pub(crate) fn new(header: ProcessHeader, name: &str, open: Vec<OpenSpan>) -> Self {
        Self {
            facts: ProcessFacts {
                file: name.to_owned(),
                file_bytes: None,
                anchors: Anchors::new(&header),
                header,
                open,
                folded_spans: 0,
                recursive_spans: 0,
                overflowed_spans: 0,
                empty_windows: 0,
                is_running: false,
            },
            paths: CheckedPaths::new(),
            is_again: false,
            windows: ReadWindows::default(),
        }
    }

    /// Whether the first bytes of a file were ever written: a process may end before its recording begins.
    pub fn is_begun(prefix: &[u8]) -> bool {
        let header = &prefix[..prefix.len().min(BLACK_BOX_OFFSET)];
        header.iter().any(|byte| *byte != 0)
    }

    /// Settles the clock's rate by windows of a file that was never closed, before they are read.
    ///
    /// The rate is measured to the latest anchor of a window that was still written when the
    /// process ended: there every writer stopped.
    pub fn settle<'b>(&mut self, windows: impl IntoIterator<Item = (u64, &'b [u8])>) {
        let windows = windows.into_iter();
        let anchors = windows.filter_map(|(offset, slot)| last_anchor(slot, offset));
        if let Some(last) = anchors.max_by_key(|anchor| anchor.ticks) {
            self.settle_on(last);
        }
    }

    /// Reads the process as one that did not close its file, where how it did is damaged.
    fn forget_end(&mut self) {
        self.facts.header.forget_end();
        self.facts.anchors = Anchors::new(&self.facts.header);
    }

    fn settle_on(&mut self, last: Anchor) {
        let header = &self.facts.header;
        if header.closed.is_none() && last.ticks > header.anchor.ticks {
            self.facts.anchors.settle(last);
        }
    }

    /// Hands out the records of the window in a slot; `None` for a slot that was never used. What is read again is
    /// what was read first.
    ///
    /// **Errors** at damage; what stood before it was handed out.
    pub fn window(
        &mut self,
        slot: &[u8],
        offset: u64,
        visit: &mut impl VisitProcess,
    ) -> Result<Option<WindowState>, Damage> {
        let mut window = Window::parse(slot, offset)?;
        if self.is_again {
            window = self.windows.again(window, offset)?;
        }
        let Some(window) = window else {
            return Ok(None);
        };
        if !self.is_again {
            self.windows.keep(&window, offset);
        }
        self.check(&window, offset)?;
        visit.window(&window.header, window.state, offset);
        let mut checked = Checked {
            facts: &mut self.facts,
            paths: &mut self.paths,
            is_again: self.is_again,
            wrong: None,
            visit,
        };
        checked.anchor(window.header.anchor);
        window.visit(&mut checked)?;
        match checked.wrong {
            None => Ok(Some(window.state)),
            Some((path, what)) => Err(Damage::Path {
                offset,
                path: path.0,
                what,
            }),
        }
    }

    fn check(&self, window: &Window<'_>, offset: u64) -> Result<(), Damage> {
        let header = &self.facts.header;
        let boot = header.boot_id.first_chunk().copied();
        let boot = boot.map_or(0, u64::from_le_bytes);
        if window.header.boot != boot {
            return Err(Damage::OtherBoot {
                offset,
                found: window.header.boot,
                expected: boot,
            });
        }
        if window.header.pid != header.pid {
            return Err(Damage::OtherProcess {
                offset,
                found: window.header.pid,
                expected: header.pid,
            });
        }
        let expected = (offset - window_offset(0)) / WINDOW_LEN as u64;
        if self.facts.file_bytes.is_some() && window.header.sequence != expected {
            return Err(Damage::OtherPlace {
                offset,
                found: window.header.sequence,
                expected,
            });
        }
        Ok(())
    }

    pub(crate) fn add_anchor(&mut self, anchor: Anchor) {
        self.facts.anchors.add(anchor);
    }

    /// All windows were read: what follows reads them again, and learns nothing new of them.
    pub fn end_pass(&mut self) {
        self.is_again = true;
        self.windows.sort();
    }

    /// Who the process is.
    pub fn header(&self) -> &ProcessHeader {
        &self.facts.header
    }

    /// The paths told so far.
    pub fn paths(&self) -> &PathTable {
        self.paths.table()
    }

    /// What is known of the process by now, the spans that were open at its end included.
    pub fn facts(&self) -> ProcessFacts {
        ProcessFacts {
            open: self.open_among(&self.facts.open),
            ..self.facts.clone()
        }
    }

    /// Open spans of the file's, with our paths; without those whose path no window defines so far,
    /// those inside of `<deep>`, and those that other threads began when the file had been closed.
    pub fn open_among(&self, spans: &[OpenSpan]) -> Vec<OpenSpan> {
        let ended = self
            .facts
            .header
            .closed
            .map_or(u64::MAX, |closed| closed.ticks);
        let known = |span: &OpenSpan| match self.paths.of(span.path) {
            Some(Told::Own(path)) if span.start < ended => Some(OpenSpan { path, ..*span }),
            _ => None,
        };
        spans.iter().filter_map(known).collect()
    }
}

/// The latest anchor of a window that was never sealed.
fn last_anchor(slot: &[u8], offset: u64) -> Option<Anchor> {
    let window = Window::parse(slot, offset).ok().flatten()?;
    if window.state == WindowState::Sealed {
        return None;
    }
    let mut last = window.header.anchor;
    // Damage in it is told when it is read.
    let _ = window.for_each(|record| {
        if let Record::Anchor(anchor) = record
            && anchor.ticks > last.ticks
        {
            last = anchor;
        }
    });
    Some(last)
}

/// Between the bytes and a visitor: checks paths, numbers them and keeps the anchors.
struct Checked<'r, V> {
    facts: &'r mut ProcessFacts,
    paths: &'r mut CheckedPaths,
    is_again: bool,
    wrong: Option<(PathId, &'static str)>,
    visit: &'r mut V,
}

impl<V: VisitProcess> Checked<'_, V> {
    fn anchor(&mut self, anchor: Anchor) {
        if !self.is_again {
            self.facts.anchors.add(anchor);
        }
    }

    #[cold]
    fn span(&mut self, span: &Span) {
        if span.flags.has(SpanFlags::INSIDE) {
            let count = if span.path == PathId::OVERFLOW {
                &mut self.facts.overflowed_spans
            } else {
                &mut self.facts.recursive_spans
            };
            *count += u64::from(!self.is_again);
            return;
        }
        let path = match self.paths.of(span.path) {
            // Its time is in that of the span around it, unless that ran elsewhere.
            Some(Told::Inside(_)) if !span.flags.is_apart() => {
                self.facts.folded_spans += u64::from(!self.is_again);
                return;
            }
            Some(told) => told.path(),
            None => {
                self.wrong.get_or_insert((span.path, "uses the undefined"));
                return;
            }
        };
        self.visit.other(Record::Span(Span { path, ..*span }));
    }

    fn path(&mut self, path: PathId) -> Option<PathId> {
        let told = self.paths.of(path);
        if told.is_none() {
            self.wrong.get_or_insert((path, "uses the undefined"));
        }
        told.map(Told::path)
    }
}

impl<'a, V: VisitProcess> Visit<'a> for Checked<'_, V> {
    #[inline(always)]
    #[allow(clippy::inline_always)] // the innermost loop of reading
    fn plain_span(&mut self, path: PathId, start: u64, duration: u64, track: u32) {
        match self.paths.own(path) {
            Some(path) => self.visit.plain_span(path, start, duration, track),
            None => self.span(&Span::plain(path, start, duration, track)),
        }
    }

    fn other(&mut self, mut record: Record<'a>) {
        match &mut record {
            Record::Span(span) => return self.span(span),
            Record::Path { id, parent, name } => {
                match self.paths.define(*id, *parent, name) {
                    Ok(Some(new)) => tell_path(self.paths, new, self.visit),
                    Ok(None) => {}
                    Err(wrong) => {
                        self.wrong.get_or_insert(wrong);
                    }
                }
                return;
            }
            Record::Anchor(anchor) => return self.anchor(*anchor),
            Record::Mark { path, .. }
            | Record::Metric { path, .. }
            | Record::Module { path, .. }
            | Record::Stack(SampledStack {
                runner: Runner::Task { path, .. },
                ..
            }) => match self.path(*path) {
                Some(known) => *path = known,
                None => return,
            },
            Record::DeviceMemory(span) => match self.path(span.path) {
                Some(known) => span.path = known,
                None => return,
            },
            Record::Operations(operations) => match self.path(operations.path) {
                Some(known) => operations.path = known,
                None => return,
            },
            Record::Calls(calls) => match self.path(calls.path) {
                Some(known) => calls.path = known,
                None => return,
            },
            _ => {}
        }
        self.visit.other(record);
    }
}

/// Tells a visitor of a path by our numbers.
pub(crate) fn tell_path(paths: &CheckedPaths, id: PathId, visit: &mut impl VisitProcess) {
    if let Some(entry) = paths.table().get(id) {
        visit.other(Record::Path {
            id,
            parent: entry.parent,
            name: &entry.name,
        });
    }
}

/// A process of a recording on disk.
#[derive(Debug, Clone)]
pub struct RecordedProcess {
    /// The process's bytes.
    pub file: ProcessFile,
    /// What was read of the file.
    pub reader: ProcessReader,
    /// What was left out of them, where damage is no error.
    pub left_out: Vec<Damage>,
    salvage: bool,
}

impl RecordedProcess {
    /// Begins to read a file. `None` for one that was made and never written.
    ///
    /// **Errors** when it is no process's file. With `salvage`, damage of windows is no error later.
    pub fn begin(file: ProcessFile, salvage: bool) -> Result<Option<Self>, ReadError> {
        let open = file.open()?;
        let prefix = open.prefix()?;
        if !ProcessReader::is_begun(&prefix) {
            return Ok(None);
        }
        let mut reader =
            ProcessReader::begin(&prefix, &file.name).map_err(|source| damaged(&file, source))?;
        let mut left_out = Vec::new();
        match check_end(&prefix) {
            Ok(()) => {}
            Err(damage) if salvage => {
                reader.forget_end();
                left_out.push(damage.into());
            }
            Err(damage) => return Err(damaged(&file, damage.into())),
        }
        if reader.header().closed.is_none()
            && let Some(last) = last_of_all(&open)?
        {
            reader.settle_on(last);
        }
        reader.facts.file_bytes = Some(file.length);
        Ok(Some(Self {
            file,
            reader,
            left_out,
            salvage,
        }))
    }

    /// Hands out the records of all windows that `visit` wants.
    ///
    /// **Cost** one buffer of a window's size, however long the file is.
    ///
    /// **Errors** at damage, unless it is to be left out, and when the system refuses to read.
    pub fn read(&mut self, visit: &mut impl VisitProcess) -> Result<(), ReadError> {
        if self.reader.is_again {
            return self.read_again(visit);
        }
        let file = self.file.clone();
        let open = file.open()?;
        let (mut bytes, mut at) = (vec![0; WINDOW_LEN], window_offset(0));
        let (mut empty, mut empty_before) = (0, 0);
        while let Some(offset) = open.next_slot(at) {
            empty += (offset - at) / WINDOW_LEN as u64;
            at = offset + WINDOW_LEN as u64;
            if visit.wants(offset) {
                let length = open.read(offset, &mut bytes)?;
                let outcome = self.reader.window(&bytes[..length], offset, visit);
                match self.judge(outcome)? {
                    None => empty += 1,
                    Some(_) => empty_before = empty,
                }
            }
        }
        empty += self.file.length.saturating_sub(at) / WINDOW_LEN as u64;
        let is_closed = self.reader.header().closed.is_some();
        self.reader.facts.empty_windows = if is_closed { empty } else { empty_before };
        self.reader.end_pass();
        Ok(())
    }

    fn read_again(&mut self, visit: &mut impl VisitProcess) -> Result<(), ReadError> {
        let file = self.file.clone();
        let open = file.open()?;
        let mut bytes = vec![0; WINDOW_LEN];
        for index in 0.. {
            let Some(offset) = self.reader.windows.start(index) else {
                break;
            };
            if visit.wants(offset) {
                let length = open.read(offset, &mut bytes)?;
                let outcome = self.reader.window(&bytes[..length], offset, visit);
                self.judge(outcome)?;
            }
        }
        Ok(())
    }

    /// What came of a window, unless it ends the reading; one left out by damage counts as read.
    pub(crate) fn judge(
        &mut self,
        outcome: Result<Option<WindowState>, Damage>,
    ) -> Result<Option<WindowState>, ReadError> {
        match outcome {
            Ok(state) => Ok(state),
            Err(damage) if self.salvage && !matches!(damage, Damage::Changed { .. }) => {
                if !self.reader.is_again {
                    self.left_out.push(damage);
                }
                Ok(Some(WindowState::Truncated))
            }
            Err(source) => Err(damaged(&self.file, source)),
        }
    }
}

/// The latest anchor of all windows that were never sealed. Of the others only the headers are read.
fn last_of_all(open: &OpenFile<'_>) -> Result<Option<Anchor>, ReadError> {
    let (mut bytes, mut at) = (vec![0; WINDOW_LEN], window_offset(0));
    let mut last = None::<Anchor>;
    while let Some(offset) = open.next_slot(at) {
        at = offset + WINDOW_LEN as u64;
        let length = open.read(offset, &mut bytes[..HEADER_LEN])?;
        if Window::is_unsealed(&bytes[..length]) {
            let length = open.read(offset, &mut bytes)?;
            let found = last_anchor(&bytes[..length], offset);
            last = last
                .into_iter()
                .chain(found)
                .max_by_key(|anchor| anchor.ticks);
        }
    }
    Ok(last)
}

/// Damage, with the place of the file.
pub(crate) fn damaged(file: &ProcessFile, source: Damage) -> ReadError {
    ReadError::Damaged {
        path: file.path().to_owned(),
        source,
    }
}

#[cfg(test)]
#[path = "process_tests.rs"]
mod tests;
