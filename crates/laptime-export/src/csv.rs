//! Finished spans as comma-separated values (RFC 4180), a row each; an absent number is empty.
//!
//! | column | holds |
//! |---|---|
//! | `path`, `name` | the path as it is printed, its own name |
//! | `start_ns`, `duration_ns` | since time zero; how long it ran |
//! | `pid`, `track`, `track_name` | the process, the thread or task |
//! | `flags` | what is unusual: bits, as in the recording's format |
//! | `process_ns`, `thread_ns`, `wall_ns` | CPU time, and from start to end where it was suspended |
//! | `memory_net_bytes`, `memory_peak_bytes` | host memory, where it was counted |
//! | `flop`, `bytes` | what the program says it did |

use std::io;

use laptime_core::csv_field;

use crate::about::Output;
use crate::process::Process;
use crate::sink::Sink;
use crate::span::SpanAt;
use crate::text::Text;

/// Names of the columns.
pub const HEADING: &str = "path,name,start_ns,duration_ns,pid,track,track_name,flags,process_ns,\
                       thread_ns,wall_ns,memory_net_bytes,memory_peak_bytes,flop,bytes\n";
/// The last seven, where a span carries none of them.
const NOTHING: &str = ",,,,,,,\n";

/// Writes rows of text.
pub struct Csv<'w> {
    text: Text<'w>,
    /// By path: its two fields.
    names: Vec<String>,
    /// The track of the last row, and what stands in the columns from `pid` to `track_name`.
    track: (Option<u32>, String),
}

impl<'w> Csv<'w> {
    /// Writes the heading.
    pub fn begin(out: Output<'w>) -> Self {
        let mut text = Text::new(out);
        text.push(HEADING);
        Self {
            text,
            names: Vec::new(),
            track: (None, String::new()),
        }
    }
}

impl Sink for Csv<'_> {
    fn process(&mut self, process: &Process) -> io::Result<()> {
        let names = process.names.iter();
        let names = names.map(|named| {
            let (path, name) = (csv_field(&named.path), csv_field(&named.name));
            format!("{path},{name},")
        });
        self.names = names.collect();
        self.track.0 = None;
        Ok(())
    }

    #[inline]
    fn span(&mut self, process: &Process, span: &SpanAt) -> io::Result<()> {
        if span.is_open {
            return Ok(());
        }
        if self.track.0 != Some(span.track) {
            let known = process.tracks.get(&span.track);
            let name = known.and_then(|known| known.name.as_deref());
            let name = csv_field(name.unwrap_or_default());
            let fields = format!(",{},{},{name},", process.pid, span.track);
            self.track = (Some(span.track), fields);
        }
        let names = self.names.get(span.path.index());
        let names = names.map_or(",,", String::as_str);
        self.text.buffer.extend_from_slice(names.as_bytes());
        self.text.number(span.start_ns);
        self.text.push(",");
        self.text.number(span.duration_ns);
        self.text.push(&self.track.1);
        self.text.number(span.flags.0);
        if span.is_plain() {
            self.text.push(NOTHING);
            return self.text.settle();
        }
        let memory = span.memory;
        let mut field = |number: Option<String>| {
            self.text.push(",");
            self.text.push(&number.unwrap_or_default());
        };
        for number in [span.process_ns, span.thread_ns, span.wall_ns] {
            field(number.map(|number| number.to_string()));
        }
        field(memory.map(|memory| memory.net_bytes.to_string()));
        field(memory.map(|memory| memory.peak_bytes.to_string()));
        field(span.work.flop.map(|flop| flop.to_string()));
        field(span.work.bytes.map(|bytes| bytes.to_string()));
        self.text.push("\n");
        self.text.settle()
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.text.finish()
    }
}
