//! JSON lines: everything that a recording holds, one object a line.
//!
//! | `type` | fields besides `pid` |
//! |---|---|
//! | `recording` | `program`, `exporter`, `zero_realtime_ns`: time zero since 1970; no `pid`, the first line |
//! | `process` | `parent_pid`, `program`, `main_track` |
//! | `track` | `track`, `name` or null, `kind`: `thread` or `task`, `thread`: the system's id or null |
//! | `span` | `path`, `name`, `start_ns`, `duration_ns`, `track`; where it has them `flags`, `process_ns`, `thread_ns`, `wall_ns`, `memory_net_bytes`, `memory_peak_bytes`, `flop`, `bytes` |
//! | `open` | as `span`: still open when the process ended; its duration is up to then |
//! | `mark` | `path`, `name`, `at_ns`, `track` |
//! | `metric` | as `mark`, and `value`: a number, or null with `text`: `NaN`, `Infinity`, `-Infinity` |
//! | `resident` | `at_ns`, `bytes`: resident memory |
//! | `memory` | `at_ns`, `bytes`, `peak_bytes`: counted memory |
//!
//! Moments are since time zero. Spans come in the order of their ends per thread.

use std::io;

use laptime_core::{PathId, ProcessMemory};

use crate::about::{About, Output};
use crate::process::Process;
use crate::sink::{Moment, Sink};
use crate::span::SpanAt;
use crate::text::{Text, json, json_number, not_finite};

/// Writes JSON lines.
pub struct JsonLines<'w> {
    text: Text<'w>,
    /// By path: `"path":…,"name":…`, up to the first moment.
    names: Vec<String>,
}

impl<'w> JsonLines<'w> {
    /// Writes the first line.
    pub fn begin(out: Output<'w>, about: &About) -> Self {
        let mut text = Text::new(out);
        text.push(&format!(
            "{{\"type\":\"recording\",\"program\":{},\"exporter\":\"laptime {}\",\"zero_realtime_ns\":{}}}\n",
            json(&about.program),
            env!("CARGO_PKG_VERSION"),
            about.zero_realtime_ns,
        ));
        Self {
            text,
            names: Vec::new(),
        }
    }

    fn begin_line(&mut self, kind: &str, pid: u32) {
        self.text.push("{\"type\":\"");
        self.text.push(kind);
        self.text.push("\",\"pid\":");
        self.text.number(pid);
    }

    fn field(&mut self, name: &str, number: impl itoa::Integer) {
        self.text.push(",\"");
        self.text.push(name);
        self.text.push("\":");
        self.text.number(number);
    }

    fn named(&mut self, path: PathId) {
        let names = self.names.get(path.index());
        let names = names.map_or("", String::as_str);
        self.text.buffer.extend_from_slice(names.as_bytes());
    }

    fn end_line(&mut self) -> io::Result<()> {
        self.text.push("}\n");
        self.text.settle()
    }

    fn moment(&mut self, process: &Process, kind: &str, at: &Moment) {
        self.begin_line(kind, process.pid);
        self.named(at.path);
        self.field("at_ns", at.at_ns);
        self.field("track", at.track);
    }
}

impl Sink for JsonLines<'_> {
    fn process(&mut self, process: &Process) -> io::Result<()> {
        let names = process.names.iter().map(|named| {
            let (path, name) = (json(&named.path), json(&named.name));
            format!(",\"path\":{path},\"name\":{name}")
        });
        self.names = names.collect();
        self.begin_line("process", process.pid);
        self.field("parent_pid", process.parent_pid);
        self.field("main_track", process.main_track);
        self.text
            .push(&format!(",\"program\":{}", json(&process.program)));
        self.end_line()?;
        for (number, track) in &process.tracks {
            let kind = if track.is_task { "task" } else { "thread" };
            let name = track.name.as_deref().map_or("null".to_owned(), json);
            let thread = Some(track.thread).filter(|thread| *thread > 0);
            let thread = thread.map_or("null".to_owned(), |thread| thread.to_string());
            self.begin_line("track", process.pid);
            self.field("track", *number);
            self.text.push(&format!(
                ",\"name\":{name},\"kind\":\"{kind}\",\"thread\":{thread}"
            ));
            self.end_line()?;
        }
        Ok(())
    }

    #[inline]
    fn span(&mut self, process: &Process, span: &SpanAt) -> io::Result<()> {
        self.begin_line(if span.is_open { "open" } else { "span" }, process.pid);
        self.named(span.path);
        self.field("start_ns", span.start_ns);
        self.field("duration_ns", span.duration_ns);
        self.field("track", span.track);
        if !span.is_plain() {
            if span.flags.0 != 0 {
                self.field("flags", span.flags.0);
            }
            for (name, number) in span.carried() {
                self.field(name, number);
            }
        }
        self.end_line()
    }

    fn mark(&mut self, process: &Process, at: &Moment) -> io::Result<()> {
        self.moment(process, "mark", at);
        self.end_line()
    }

    fn metric(&mut self, process: &Process, at: &Moment, value: f64) -> io::Result<()> {
        self.moment(process, "metric", at);
        let shown = match json_number(value) {
            Some(number) => format!(",\"value\":{number}"),
            None => format!(",\"value\":null,\"text\":\"{}\"", not_finite(value)),
        };
        self.text.push(&shown);
        self.end_line()
    }

    fn resident(&mut self, process: &Process, at_ns: u64, bytes: u64) -> io::Result<()> {
        self.begin_line("resident", process.pid);
        self.field("at_ns", at_ns);
        self.field("bytes", bytes);
        self.end_line()
    }

    fn memory(&mut self, process: &Process, at_ns: u64, memory: ProcessMemory) -> io::Result<()> {
        self.begin_line("memory", process.pid);
        self.field("at_ns", at_ns);
        self.field("bytes", memory.bytes);
        self.field("peak_bytes", memory.peak_bytes);
        self.end_line()
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.text.finish()
    }
}
