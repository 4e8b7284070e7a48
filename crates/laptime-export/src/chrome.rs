//! Trace Event JSON, the object form: what Chrome's and Perfetto's page and many others open.
//!
//! | event | is |
//! |---|---|
//! | `X` | a span: `ts` and `dur` in µs with the nanoseconds as decimals; with `cat` `function` a call on consecutive samples of stacks |
//! | `i` | a mark; a metric's value that JSON has no number for |
//! | `C` | a metric, resident memory, counted memory |
//! | `M` | names of processes and lanes, and their order |
//!
//! `tid` is a lane ([`crate::lanes`]): a track's number, or one above all tracks. A span that ran
//! for another time than its bar shows has its `duration_ns` in `args`, and its `start_ns` where the bar
//! was moved. `baseTimeNanoseconds` is time zero since 1970.

use std::io;

use laptime_core::{ProcessMemory, Sampled, SpanFlags};

use crate::about::{About, Output};
use crate::lanes::{Kind, Lanes, Placed, label};
use crate::process::Process;
use crate::sink::{Moment, Sink};
use crate::span::SpanAt;
use crate::stacks::{self, Edge};
use crate::text::{Text, json, json_number, not_finite, push_microseconds};

/// Lanes of one track stand together in this order: room for those beside.
const ORDER_STEP: u64 = 1_000;
/// Lanes of timers stand after those of spans.
const TIMERS_AFTER: u64 = 500;
/// That of functions stands after these.
const FUNCTIONS_AFTER: u64 = 900;
/// Threads without laps stand after all with some.
const LAST_TRACK: u64 = 1_000_000;

/// Writes Trace Event JSON.
pub struct Chrome<'w> {
    text: Text<'w>,
    is_first: bool,
    lanes: Lanes,
    /// By path: the start of a span's event up to its lane.
    heads: Vec<String>,
}

impl<'w> Chrome<'w> {
    /// Begins the object.
    pub fn begin(out: Output<'w>, about: &About) -> Self {
        let mut text = Text::new(out);
        text.push("{\"displayTimeUnit\":\"ns\",\"baseTimeNanoseconds\":");
        text.number(about.zero_realtime_ns);
        text.push(",\"otherData\":{\"exporter\":\"laptime ");
        text.push(env!("CARGO_PKG_VERSION"));
        text.push("\",\"program\":");
        text.push(&json(&about.program));
        text.push("},\"traceEvents\":[\n");
        Self {
            text,
            is_first: true,
            lanes: Lanes::new(0),
            heads: Vec::new(),
        }
    }

    fn event(&mut self) {
        if !std::mem::take(&mut self.is_first) {
            self.text.push(",\n");
        }
    }

    fn metadata(&mut self, process: &Process, lane: u32, what: &str, key: &str, value: &str) {
        self.event();
        self.text
            .push(&format!("{{\"ph\":\"M\",\"name\":\"{what}\",\"pid\":"));
        self.text.number(process.number);
        self.text.push(",\"tid\":");
        self.text.number(lane);
        self.text
            .push(&format!(",\"args\":{{\"{key}\":{value}}}}}"));
    }

    fn name_lane(&mut self, process: &Process, track: u32, lane: u32, kind: Kind) {
        let name = label(&process.track_label(track), kind);
        self.metadata(process, lane, "thread_name", "name", &json(&name));
        let own = match kind {
            Kind::Spans => 0,
            Kind::Overlapping(number) => number as u64,
            Kind::Timers(number) => TIMERS_AFTER + number as u64,
        };
        // The main thread first.
        let track = u64::from(track) + 1;
        let track = if lane == process.main_track { 0 } else { track };
        self.order_lane(process, lane, track * ORDER_STEP + own);
    }

    fn order_lane(&mut self, process: &Process, lane: u32, order: u64) {
        let order = order.to_string();
        self.metadata(process, lane, "thread_sort_index", "sort_index", &order);
    }

    /// A lane for the functions of a thread, below those of its spans.
    fn functions_lane(&mut self, process: &Process, thread: u64) -> u32 {
        let lane = self.lanes.another();
        let name = format!("{} · {}", process.thread_label(thread), stacks::LANE);
        self.metadata(process, lane, "thread_name", "name", &json(&name));
        let track = match process.track_of(thread) {
            Some(track) if track == process.main_track => 0,
            Some(track) => u64::from(track) + 1,
            None => LAST_TRACK,
        };
        self.order_lane(process, lane, track * ORDER_STEP + FUNCTIONS_AFTER);
        lane
    }

    fn function(
        &mut self,
        process: &Process,
        sampled: &Sampled,
        lane: u32,
        bar: &stacks::Bar,
    ) -> io::Result<()> {
        let Some(function) = sampled.function_of(bar.call) else {
            return Ok(());
        };
        self.event();
        let (name, file) = (json(&function.name), json(&function.file));
        self.text.push(&format!(
            "{{\"ph\":\"X\",\"name\":{name},\"cat\":\"function\",\"pid\":{},\"tid\":{lane},\"ts\":",
            process.number,
        ));
        push_microseconds(&mut self.text.buffer, bar.start_ns);
        self.text.push(",\"dur\":");
        push_microseconds(&mut self.text.buffer, bar.end_ns - bar.start_ns);
        self.text.push(&format!(
            ",\"args\":{{\"file\":{file},\"samples\":{},\"waiting_ns\":{}}}}}",
            bar.samples, bar.waiting_ns,
        ));
        self.text.settle()
    }

    /// A counter's value, or an instant for what JSON has no number for.
    fn counter(&mut self, process: &Process, name: &str, at_ns: u64, value: f64) -> io::Result<()> {
        self.event();
        let number = json_number(value);
        let (kind, shown) = match &number {
            Some(number) => ("\"C\"", number.clone()),
            None => ("\"i\",\"s\":\"p\"", format!("\"{}\"", not_finite(value))),
        };
        self.text
            .push(&format!("{{\"ph\":{kind},\"name\":{name},\"pid\":"));
        self.text.number(process.number);
        self.text.push(",\"tid\":");
        self.text.number(process.main_track);
        self.text.push(",\"ts\":");
        push_microseconds(&mut self.text.buffer, at_ns);
        self.text
            .push(&format!(",\"args\":{{\"value\":{shown}}}}}"));
        self.text.settle()
    }

    /// What a span says besides when and for how long.
    #[cold]
    fn args(&mut self, process: &Process, span: &SpanAt, placed: &Placed) {
        let mut args: Vec<String> = Vec::new();
        if span.flags.is_apart() {
            let path = &process.named(span.path).path;
            args.push(format!("\"path\":{}", json(path)));
        }
        if placed.start_ns != span.start_ns {
            args.push(format!("\"start_ns\":{}", span.start_ns));
        }
        if placed.end_ns - placed.start_ns != span.duration_ns {
            args.push(format!("\"duration_ns\":{}", span.duration_ns));
        }
        let carried = span.carried();
        args.extend(carried.map(|(name, number)| format!("\"{name}\":{number}")));
        let flags: Vec<&str> = span.flag_names().collect();
        if !flags.is_empty() {
            args.push(format!("\"flags\":\"{}\"", flags.join(", ")));
        }
        if !args.is_empty() {
            self.text.push(&format!(",\"args\":{{{}}}", args.join(",")));
        }
    }
}

impl Sink for Chrome<'_> {
    fn process(&mut self, process: &Process) -> io::Result<()> {
        let used = process.used_tracks();
        let last = process.tracks.keys().last().copied();
        self.lanes = Lanes::new(last.unwrap_or(0).max(process.main_track));
        let heads = process.names.iter().map(|named| {
            let (name, pid) = (json(&named.name), process.number);
            format!("{{\"ph\":\"X\",\"name\":{name},\"cat\":\"lap\",\"pid\":{pid},\"tid\":")
        });
        self.heads = heads.collect();
        let name = json(&process.label());
        let track = process.main_track;
        self.metadata(process, track, "process_name", "name", &name);
        for track in used {
            self.name_lane(process, track, track, Kind::Spans);
        }
        self.text.settle()
    }

    #[inline]
    fn span(&mut self, process: &Process, span: &SpanAt) -> io::Result<()> {
        let depth = process.named(span.path).depth;
        let placed = self.lanes.place(span, depth);
        if let Some(kind @ (Kind::Overlapping(_) | Kind::Timers(_))) = placed.is_new {
            self.name_lane(process, span.track, placed.lane, kind);
        }
        self.event();
        let head = self.heads.get(span.path.index());
        let head = head.map_or("{\"ph\":\"X\",\"tid\":", String::as_str);
        self.text.buffer.extend_from_slice(head.as_bytes());
        self.text.number(placed.lane);
        self.text.push(",\"ts\":");
        push_microseconds(&mut self.text.buffer, placed.start_ns);
        self.text.push(",\"dur\":");
        let duration_ns = placed.end_ns - placed.start_ns;
        push_microseconds(&mut self.text.buffer, duration_ns);
        let is_exact = placed.start_ns == span.start_ns && duration_ns == span.duration_ns;
        if !is_exact || span.flags != SpanFlags::NONE || span.is_open {
            self.args(process, span, &placed);
        }
        self.text.push("}");
        self.text.settle()
    }

    fn mark(&mut self, process: &Process, at: &Moment) -> io::Result<()> {
        self.event();
        let named = process.named(at.path);
        self.text.push("{\"ph\":\"i\",\"s\":\"t\",\"name\":");
        self.text.push(&json(&named.name));
        self.text.push(",\"cat\":\"mark\",\"pid\":");
        self.text.number(process.number);
        self.text.push(",\"tid\":");
        self.text.number(at.track);
        self.text.push(",\"ts\":");
        push_microseconds(&mut self.text.buffer, at.at_ns);
        self.text
            .push(&format!(",\"args\":{{\"path\":{}}}}}", json(&named.path)));
        self.text.settle()
    }

    fn metric(&mut self, process: &Process, at: &Moment, value: f64) -> io::Result<()> {
        let name = json(&process.named(at.path).path);
        self.counter(process, &name, at.at_ns, value)
    }

    fn resident(&mut self, process: &Process, at_ns: u64, bytes: u64) -> io::Result<()> {
        self.counter(process, "\"resident memory, bytes\"", at_ns, bytes as f64)
    }

    fn memory(&mut self, process: &Process, at_ns: u64, memory: ProcessMemory) -> io::Result<()> {
        let name = "\"counted memory, bytes\"";
        self.counter(process, name, at_ns, memory.bytes as f64)
    }

    fn sampled(&mut self, process: &Process, sampled: &Sampled) -> io::Result<()> {
        for (thread, samples) in stacks::by_thread(sampled) {
            let lane = self.functions_lane(process, thread);
            stacks::edges(process, sampled, &samples, |edge| match edge {
                Edge::Begin(..) => Ok(()),
                Edge::End(bar) => self.function(process, sampled, lane, &bar),
            })?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        let mut text = self.text;
        text.push("\n]}\n");
        text.finish()
    }
}
