//! Records of every kind, and the definitions that they need: the slow way into a window.

use laptime_core::format::record::{Cursor, DEVICE_SPAN_MAX, Record, encode, encode_device_span};
use laptime_core::{DeviceSpan, PathId, Runner, SampledStack, Span, SpanFlags};

use crate::registry::{self, Registry};
use crate::writer::Writer;

impl Writer {
    /// Writes a plain span and returns its duration in ticks.
    #[inline(always)]
    #[allow(clippy::inline_always)] // the hot path of every span
    pub fn plain_span(&mut self, path: u32, start: u64, end: u64, track: u32) -> u64 {
        match self.try_plain_span(path, start, end, track) {
            Some(duration) => duration,
            None => self.slow_plain_span(path, start, end, track),
        }
    }

    /// Writes a span of any kind.
    pub fn span(&mut self, span: &Span) {
        if span.flags == SpanFlags::NONE {
            self.plain_span(span.path.0, span.start, span.end(), span.track);
        } else {
            self.record(&Record::Span(*span));
        }
    }

    #[cold]
    #[inline(never)]
    fn slow_plain_span(&mut self, path: u32, start: u64, end: u64, track: u32) -> u64 {
        let duration = end.checked_sub(start).unwrap_or_else(|| {
            registry::count_clamped();
            0
        });
        let span = Span::plain(PathId(path), end - duration, duration, track);
        self.record(&Record::Span(span));
        duration
    }

    /// Writes the time of a span on a device.
    pub fn device_span(&mut self, span: &DeviceSpan) {
        if self.cursor.track == span.track && self.defines(span.path) {
            let cursor = self.cursor;
            let encode = |room: &mut [u8; DEVICE_SPAN_MAX]| encode_device_span(room, &cursor, span);
            if self.append_by(encode) {
                return;
            }
        }
        self.record(&Record::DeviceSpan(*span));
    }

    /// Writes any record but a sampled stack, after the definitions that it needs.
    #[cold]
    pub fn record(&mut self, record: &Record<'_>) {
        self.record_after(record, |_, _, _| {});
    }

    /// Writes a record after what `define` appends: definitions that the window lacks, which is
    /// told by the number of the writer's window. Returns the bytes that this took.
    #[cold]
    pub fn record_after(
        &mut self,
        record: &Record<'_>,
        mut define: impl FnMut(u32, &mut Vec<u8>, &mut Cursor),
    ) -> usize {
        registry::expect_open();
        if let Record::Span(span) = record {
            self.note_end(span.end());
        }
        let path = match record {
            Record::Span(span) => Some(span.path),
            Record::Mark { path, .. }
            | Record::Metric { path, .. }
            | Record::Module { path, .. } => Some(*path),
            Record::Operations(operations) => Some(operations.path),
            Record::DeviceSpan(span) => Some(span.path),
            Record::DeviceMemory(span) => Some(span.path),
            Record::Calls(calls) => Some(calls.path).filter(|path| *path != PathId::ROOT),
            Record::Stack(SampledStack {
                runner: Runner::Task { path, .. },
                ..
            }) => Some(*path).filter(|path| *path != PathId::ROOT),
            _ => None,
        };
        let mut bytes = self.take_scratch();
        // The last try starts in an empty window that isn't short; what does not fit there is lost.
        for _ in 0..3 {
            bytes.clear();
            let mut cursor = self.cursor;
            if let Some(path) = path {
                self.define(path, &mut bytes, &mut cursor);
            }
            define(self.generation(), &mut bytes, &mut cursor);
            encode(&mut bytes, &mut cursor, record);
            if self.append(&bytes) {
                self.cursor = cursor;
                let written = bytes.len();
                self.give_scratch(bytes);
                return written;
            }
            self.refill();
        }
        registry::count_lost(1);
        self.give_scratch(bytes);
        0
    }

    /// Writes the definition of a path that was just opened, so that the black box can name it.
    #[cold]
    pub fn define_now(&mut self, path: PathId) {
        if self.window().is_none() {
            return;
        }
        let mut bytes = Vec::new();
        let mut cursor = self.cursor;
        self.define(path, &mut bytes, &mut cursor);
        if !self.append(&bytes) {
            // Defined with its first record, in the next window.
            self.forget_defined();
        }
    }

    /// Writes the definition of a path that existed before the file did.
    pub fn define_for_file(&mut self, path: PathId) {
        let mut bytes = Vec::new();
        let mut cursor = self.cursor;
        self.define(path, &mut bytes, &mut cursor);
        if !self.append(&bytes) {
            self.refill();
            self.define_now(path);
        }
    }

    fn define(&mut self, path: PathId, bytes: &mut Vec<u8>, cursor: &mut Cursor) {
        if self.defines(path) {
            return;
        }
        let mut missing = Vec::new();
        registry::with(|registry| {
            let mut at = path;
            while let Some(entry) = registry.paths.0.get(at)
                && !self.defines(at)
            {
                self.note_defined(at);
                missing.push((at, entry.clone()));
                at = entry.parent;
            }
        });
        for (id, entry) in missing.iter().rev() {
            let definition = Record::Path {
                id: *id,
                parent: entry.parent,
                name: &entry.name,
            };
            encode(bytes, cursor, &definition);
        }
    }

    /// Retires the window and takes a fresh one.
    fn refill(&mut self) {
        registry::with(|registry| self.refill_from(registry));
    }

    /// Retires the window and takes a fresh one, with the registry at hand.
    pub fn refill_from(&mut self, registry: &mut Registry) {
        if let Some(full) = self.take_window() {
            registry.retire(full);
        }
        let (window, header) = registry.take_window(self.cursor.track);
        self.begin(window, &header);
    }
}
