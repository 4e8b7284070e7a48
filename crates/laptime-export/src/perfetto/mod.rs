//! Perfetto's own format: a stream of `TracePacket`s, protocol buffers written by a few lines of ours.
//!
//! A span is a `SLICE_BEGIN` and a `SLICE_END` on its lane's track ([`crate::lanes`]). Packets may
//! stand in any order of time, but of those at the same nanosecond the order counts: so the
//! spans of one window are gathered and written as they nest. Names are interned, by path.
//! Timestamps are nanoseconds since the recording's time zero; a clock snapshot says when that was.

mod order;
mod schema;
mod wire;

use std::collections::{BTreeSet, HashMap};
use std::io;

use laptime_core::{PathId, ProcessMemory, Sampled, SpanFlags};

use self::order::{Bar, Edge, in_order};
use self::schema::{annotation, clock, event, interned, packet, track};
use self::wire::{bytes, double, integer, message, text};
use crate::about::{About, Output};
use crate::lanes::{Kind, Lanes, label};
use crate::process::Process;
use crate::sink::{Moment, Sink};
use crate::span::SpanAt;
use crate::stacks::{self, Edge as Call};
use crate::text::{Text, not_finite};

/// The one sequence of packets that we write.
const SEQUENCE: u64 = 1;
/// Bars that are gathered at most: of a window there are a third as many.
const MOST_GATHERED: usize = 1 << 16;
/// Lanes of timers stand after those of spans.
const TIMERS_AFTER: u64 = 1 << 20;
/// Functions stand after those.
const FUNCTIONS_AFTER: u64 = 1 << 24;
/// Counters stand after all lanes.
const COUNTERS_AFTER: u64 = 1 << 30;

/// Writes packets.
pub struct Perfetto<'w> {
    out: Text<'w>,
    /// The packet and the event that are being written.
    packet: Vec<u8>,
    event: Vec<u8>,
    lanes: Lanes,
    gathered: Vec<Bar>,
    /// What spans say besides, of those gathered.
    annotations: Vec<Vec<u8>>,
    /// Numbers of tracks are unique in the trace.
    last_uuid: u64,
    process_uuid: u64,
    uuids: HashMap<u32, u64>,
    counters: HashMap<String, u64>,
    /// Interned names before those of this process.
    first_name: u64,
}

impl<'w> Perfetto<'w> {
    /// Writes what time zero is.
    pub fn begin(out: Output<'w>, about: &About) -> io::Result<Self> {
        let mut perfetto = Self {
            out: Text::new(out),
            packet: Vec::new(),
            event: Vec::new(),
            lanes: Lanes::new(0),
            gathered: Vec::new(),
            annotations: Vec::new(),
            last_uuid: 0,
            process_uuid: 0,
            uuids: HashMap::new(),
            counters: HashMap::new(),
            first_name: 1,
        };
        message(&mut perfetto.packet, packet::CLOCK_SNAPSHOT, |snapshot| {
            for (id, at) in [
                (clock::BOOTTIME, 0),
                (clock::REALTIME, about.zero_realtime_ns),
            ] {
                message(snapshot, clock::CLOCKS, |one| {
                    integer(one, clock::ID, id);
                    integer(one, clock::TIMESTAMP, at);
                });
            }
            integer(snapshot, clock::PRIMARY, clock::BOOTTIME);
        });
        let cleared = packet::STATE_CLEARED;
        integer(&mut perfetto.packet, packet::SEQUENCE_FLAGS, cleared);
        perfetto.end_packet()?;
        Ok(perfetto)
    }

    fn end_packet(&mut self) -> io::Result<()> {
        integer(&mut self.packet, packet::SEQUENCE_ID, SEQUENCE);
        bytes(&mut self.out.buffer, schema::PACKET, &self.packet);
        self.packet.clear();
        self.out.settle()
    }

    fn track(&mut self, fill: impl FnOnce(&mut Vec<u8>)) -> io::Result<u64> {
        self.last_uuid += 1;
        let uuid = self.last_uuid;
        message(&mut self.packet, packet::TRACK_DESCRIPTOR, |track| {
            integer(track, track::UUID, uuid);
            fill(track);
        });
        self.end_packet()?;
        Ok(uuid)
    }

    /// A lane as a track of the process: a thread's where the system's id is known.
    fn lane(
        &mut self,
        process: &Process,
        of: u32,
        lane: u32,
        kind: Kind,
        tid: Option<u64>,
    ) -> io::Result<()> {
        let name = label(&process.track_label(of), kind);
        let parent = self.process_uuid;
        let own = match kind {
            Kind::Spans => 0,
            Kind::Overlapping(number) => number as u64,
            Kind::Timers(number) => TIMERS_AFTER + number as u64,
        };
        let number = u64::from(process.number);
        let uuid = self.track(|track| {
            integer(track, track::PARENT, parent);
            integer(track, track::RANK, own);
            text(track, track::NAME, &name);
            if let Some(tid) = tid {
                message(track, track::THREAD, |thread| {
                    integer(thread, track::PID, number);
                    integer(thread, track::TID, tid);
                    text(thread, track::THREAD_NAME, &name);
                });
            }
        })?;
        self.uuids.insert(lane, uuid);
        Ok(())
    }

    fn counter(&mut self, name: &str, is_bytes: bool) -> io::Result<u64> {
        if let Some(uuid) = self.counters.get(name) {
            return Ok(*uuid);
        }
        let parent = self.process_uuid;
        let rank = COUNTERS_AFTER + self.counters.len() as u64;
        let uuid = self.track(|track| {
            integer(track, track::PARENT, parent);
            integer(track, track::RANK, rank);
            text(track, track::NAME, name);
            message(track, track::COUNTER, |counter| {
                if is_bytes {
                    integer(counter, track::UNIT, track::BYTES);
                }
            });
        })?;
        self.counters.insert(name.to_owned(), uuid);
        Ok(uuid)
    }

    /// Interns names, from the next number on.
    fn intern<'n>(&mut self, names: impl Iterator<Item = &'n str>) -> io::Result<()> {
        let first = self.first_name;
        message(&mut self.packet, packet::INTERNED_DATA, |data| {
            for (id, name) in (first..).zip(names) {
                message(data, interned::EVENT_NAMES, |one| {
                    integer(one, interned::ID, id);
                    text(one, interned::NAME, name);
                });
            }
        });
        let needs = packet::NEEDS_STATE;
        integer(&mut self.packet, packet::SEQUENCE_FLAGS, needs);
        self.end_packet()
    }

    /// One end of a call on consecutive samples.
    fn call(&mut self, sampled: &Sampled, uuid: u64, edge: Call) -> io::Result<()> {
        match edge {
            Call::Begin(call, at_ns) => {
                self.begin_event(event::BEGIN, uuid);
                let known = sampled.calls.get(call as usize);
                self.name_by(known.map_or(0, |call| call.function));
                if let Some(function) = sampled.function_of(call) {
                    message(&mut self.event, event::ANNOTATIONS, |one| {
                        text(one, annotation::STRING, &function.file);
                        text(one, annotation::NAME, "file");
                    });
                }
                self.end_event(at_ns)
            }
            Call::End(bar) => {
                self.begin_event(event::END, uuid);
                for (name, number) in [("samples", bar.samples), ("waiting_ns", bar.waiting_ns)] {
                    message(&mut self.event, event::ANNOTATIONS, |one| {
                        integer(one, annotation::UNSIGNED, number);
                        text(one, annotation::NAME, name);
                    });
                }
                self.end_event(bar.end_ns)
            }
        }
    }

    /// Writes the packet of the event that was begun.
    fn end_event(&mut self, at_ns: u64) -> io::Result<()> {
        integer(&mut self.packet, packet::TIMESTAMP, at_ns);
        let needs = packet::NEEDS_STATE;
        integer(&mut self.packet, packet::SEQUENCE_FLAGS, needs);
        bytes(&mut self.packet, packet::TRACK_EVENT, &self.event);
        self.event.clear();
        self.end_packet()
    }

    fn begin_event(&mut self, kind: u64, uuid: u64) {
        integer(&mut self.event, event::TYPE, kind);
        integer(&mut self.event, event::TRACK, uuid);
    }

    fn name(&mut self, path: PathId) {
        self.name_by(path.0);
    }

    /// By its place among the names that were interned last.
    fn name_by(&mut self, place: u32) {
        let id = self.first_name + u64::from(place);
        integer(&mut self.event, event::NAME_ID, id);
    }

    fn uuid(&self, lane: u32) -> u64 {
        let uuid = self.uuids.get(&lane).copied();
        uuid.unwrap_or(self.process_uuid)
    }

    fn bytes_counter(&mut self, name: &str, at_ns: u64, bytes: i64) -> io::Result<()> {
        let uuid = self.counter(name, true)?;
        self.begin_event(event::COUNTER, uuid);
        integer(&mut self.event, event::COUNTER_VALUE, bytes as u64);
        self.end_event(at_ns)
    }
}

/// What a span says besides when and for how long, as fields of its event.
#[cold]
fn annotations(process: &Process, span: &SpanAt, start_ns: u64, drawn_ns: u64) -> Vec<u8> {
    let mut out = Vec::new();
    let mut note = |name: &str, fill: &dyn Fn(&mut Vec<u8>)| {
        message(&mut out, event::ANNOTATIONS, |one| {
            fill(one);
            text(one, annotation::NAME, name);
        });
    };
    if span.flags.is_apart() {
        let path = &process.named(span.path).path;
        note("path", &|one| text(one, annotation::STRING, path));
    }
    if start_ns != span.start_ns {
        let ns = span.start_ns;
        note("start_ns", &|one| integer(one, annotation::UNSIGNED, ns));
    }
    if drawn_ns != span.duration_ns {
        let ns = span.duration_ns;
        note("duration_ns", &|one| integer(one, annotation::UNSIGNED, ns));
    }
    for (name, number) in span.carried() {
        // What no integer of the format holds is told to 16 digits.
        note(name, &|one| match i64::try_from(number) {
            Ok(number) => integer(one, annotation::SIGNED, number as u64),
            Err(_) => double(one, annotation::DOUBLE, number as f64),
        });
    }
    let flags: Vec<&str> = span.flag_names().collect();
    if !flags.is_empty() {
        note("flags", &|one| {
            text(one, annotation::STRING, &flags.join(", "));
        });
    }
    out
}

impl Sink for Perfetto<'_> {
    fn process(&mut self, process: &Process) -> io::Result<()> {
        let last = process.tracks.keys().last().copied();
        self.lanes = Lanes::new(last.unwrap_or(0).max(process.main_track));
        self.uuids.clear();
        self.counters.clear();
        let label = process.label();
        let number = u64::from(process.number);
        self.process_uuid = self.track(|track| {
            text(track, track::NAME, &label);
            integer(track, track::CHILD_ORDERING, track::EXPLICIT);
            message(track, track::PROCESS, |one| {
                integer(one, track::PID, number);
                text(one, track::PROCESS_NAME, &label);
            });
        })?;
        // The system gives the id of a thread that ended to another one.
        let mut taken = BTreeSet::new();
        for of in process.used_tracks() {
            let known = process.tracks.get(&of);
            let thread = known.filter(|known| !known.is_task && known.thread > 0);
            let tid = thread.map(|known| known.thread);
            let tid = tid.filter(|tid| taken.insert(*tid) && *tid < 1 << 31);
            self.lane(process, of, of, Kind::Spans, tid)?;
        }
        self.intern(process.names.iter().map(|named| named.name.as_str()))
    }

    #[inline]
    fn span(&mut self, process: &Process, span: &SpanAt) -> io::Result<()> {
        let depth = process.named(span.path).depth;
        let placed = self.lanes.place(span, depth);
        if let Some(kind) = placed.is_new
            && !self.uuids.contains_key(&placed.lane)
        {
            self.lane(process, span.track, placed.lane, kind, None)?;
        }
        let drawn_ns = placed.end_ns - placed.start_ns;
        let is_exact = placed.start_ns == span.start_ns && drawn_ns == span.duration_ns;
        let mut notes = None;
        if !is_exact || span.flags != SpanFlags::NONE || span.is_open {
            self.annotations
                .push(annotations(process, span, placed.start_ns, drawn_ns));
            notes = Some(self.annotations.len() as u32 - 1);
        }
        self.gathered.push(Bar {
            lane: placed.lane,
            depth: depth as u32,
            start_ns: placed.start_ns,
            end_ns: placed.end_ns,
            path: span.path,
            notes,
            is_open: span.is_open,
        });
        if self.gathered.len() >= MOST_GATHERED {
            self.window_end(process)?;
        }
        Ok(())
    }

    fn window_end(&mut self, process: &Process) -> io::Result<()> {
        let mut gathered = std::mem::take(&mut self.gathered);
        let notes = std::mem::take(&mut self.annotations);
        let (mut lane, mut uuid) = (process.main_track, self.uuid(process.main_track));
        for edge in in_order(&mut gathered) {
            let bar = edge.bar();
            if bar.lane != lane {
                (lane, uuid) = (bar.lane, self.uuid(bar.lane));
            }
            match edge {
                Edge::Begin(bar) => {
                    self.begin_event(event::BEGIN, uuid);
                    self.name(bar.path);
                    let notes = bar.notes.and_then(|index| notes.get(index as usize));
                    if let Some(notes) = notes {
                        self.event.extend_from_slice(notes);
                    }
                    self.end_event(bar.start_ns)?;
                }
                // What was open at the end has no end.
                Edge::End(bar) if bar.is_open => {}
                Edge::End(bar) => {
                    self.begin_event(event::END, uuid);
                    self.end_event(bar.end_ns)?;
                }
            }
        }
        gathered.clear();
        self.gathered = gathered;
        Ok(())
    }

    fn pass_end(&mut self, process: &Process, _: usize) -> io::Result<()> {
        self.window_end(process)?;
        self.first_name += process.names.len() as u64;
        Ok(())
    }

    fn mark(&mut self, _: &Process, at: &Moment) -> io::Result<()> {
        let uuid = self.uuid(at.track);
        self.begin_event(event::INSTANT, uuid);
        self.name(at.path);
        self.end_event(at.at_ns)
    }

    fn metric(&mut self, process: &Process, at: &Moment, value: f64) -> io::Result<()> {
        if value.is_finite() {
            let uuid = self.counter(&process.named(at.path).path, false)?;
            self.begin_event(event::COUNTER, uuid);
            double(&mut self.event, event::DOUBLE_VALUE, value);
        } else {
            // A curve can't show it.
            let uuid = self.uuid(at.track);
            self.begin_event(event::INSTANT, uuid);
            self.name(at.path);
            message(&mut self.event, event::ANNOTATIONS, |one| {
                text(one, annotation::STRING, not_finite(value));
                text(one, annotation::NAME, "value");
            });
        }
        self.end_event(at.at_ns)
    }

    fn resident(&mut self, _: &Process, at_ns: u64, bytes: u64) -> io::Result<()> {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        self.bytes_counter("resident memory", at_ns, bytes)
    }

    fn memory(&mut self, _: &Process, at_ns: u64, memory: ProcessMemory) -> io::Result<()> {
        self.bytes_counter("counted memory", at_ns, memory.bytes)
    }

    fn sampled(&mut self, process: &Process, sampled: &Sampled) -> io::Result<()> {
        self.intern(sampled.functions.iter().map(|one| one.name.as_str()))?;
        for (thread, samples) in stacks::by_thread(sampled) {
            let name = format!("{} · {}", process.thread_label(thread), stacks::LANE);
            let parent = self.process_uuid;
            let uuid = self.track(|track| {
                integer(track, track::PARENT, parent);
                integer(track, track::RANK, FUNCTIONS_AFTER);
                text(track, track::NAME, &name);
            })?;
            stacks::edges(process, sampled, &samples, |edge| {
                self.call(sampled, uuid, edge)
            })?;
        }
        self.first_name += sampled.functions.len() as u64;
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.out.finish()
    }
}
