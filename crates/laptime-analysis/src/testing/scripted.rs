//! A scripted process: spans at exact times, written as the recorder would write them.
//!
//! Tests of the reader, of this crate and of the report build recordings with it; nothing sleeps and
//! every duration is known. Ticks are nanoseconds of `CLOCK_MONOTONIC`; time 0 of a
//! script is [`EPOCH_NS`] there.

use std::collections::HashSet;

use laptime_core::format::process::{BLACK_BOX_OFFSET, ProcessHeader, SLOT_LEN};
use laptime_core::format::record::{Record, encode};
use laptime_core::format::window::{WINDOW_LEN, WindowHeader, seal};
use laptime_core::operations::{CostTally, StretchOperations};
use laptime_core::{Anchor, ClockKind, PathId, PathTable, Span, SpanFlags};

/// `CLOCK_MONOTONIC` at time 0 of a script.
pub const EPOCH_NS: u64 = 1_000_000_000_000;
/// A millisecond.
pub const MS: u64 = 1_000_000;
/// Latest time of a script: later ones are damage.
const MOST_NS: u64 = 1 << 60;
/// The main thread's track.
pub const MAIN: u32 = 1;

/// Returns all clocks at a time of the script.
pub fn anchor(at_ns: u64) -> Anchor {
    Anchor {
        ticks: EPOCH_NS + at_ns,
        monotonic_ns: EPOCH_NS + at_ns,
        realtime_ns: 1_700_000_000_000_000_000 + at_ns,
        boottime_ns: EPOCH_NS + at_ns,
    }
}

/// A record that owns its text.
#[derive(Debug, Clone)]
enum Entry {
    Span(Span),
    Mark(PathId, u64, u32),
    Metric(PathId, u64, u32, f64),
    Module(PathId, u32, String),
    Note(String, String),
    Operations(u32, PathId, CostTally, String, String),
    Ran(u32, u64),
    Name(u32, bool, u64, String),
    Observed(Record<'static>),
}

/// One process that is being written.
#[derive(Debug, Clone)]
pub struct Script {
    /// The file's header.
    pub header: ProcessHeader,
    /// Number of records in a window.
    pub per_window: usize,
    /// Whether windows are sealed.
    pub sealed: bool,
    paths: PathTable,
    entries: Vec<Entry>,
    open: Vec<(PathId, u32, u64)>,
}

impl Script {
    /// Creates a process that started at 0 and closed its recording at `end_ns`.
    pub fn new(pid: u32, end_ns: u64) -> Self {
        Self {
            header: ProcessHeader {
                clock: ClockKind::Monotonic,
                pid,
                parent_pid: 1,
                main_track: MAIN,
                boot_id: [7; 16],
                nominal_ns_per_tick: 1.0,
                anchor: anchor(0),
                process_started_boottime_ns: Some(EPOCH_NS),
                program: "train.py".into(),
                lost: 0,
                clamped: 0,
                closed: Some(anchor(end_ns)),
                loss_reason: None,
                length: None,
            },
            per_window: 1_000,
            sealed: true,
            paths: PathTable::new(),
            entries: Vec::new(),
            open: Vec::new(),
        }
    }

    /// Returns the tick of a moment of the run.
    pub fn ticks(&self, at_ns: u64) -> u64 {
        self.header.anchor.ticks + at_ns
    }

    /// Returns the number of a path, made where it is missing.
    pub fn path(&mut self, names: &[&str]) -> PathId {
        names
            .iter()
            .fold(PathId::ROOT, |at, name| self.paths.intern(at, name))
    }

    /// Adds a plain span of the main track.
    pub fn span(&mut self, names: &[&str], start_ns: u64, duration_ns: u64) {
        self.span_on(MAIN, names, start_ns, duration_ns, SpanFlags::NONE);
    }

    /// Adds a span.
    pub fn span_on(
        &mut self,
        track: u32,
        names: &[&str],
        start_ns: u64,
        duration_ns: u64,
        flags: SpanFlags,
    ) {
        let path = self.path(names);
        self.push(Span {
            flags,
            ..Span::plain(path, EPOCH_NS + start_ns, duration_ns, track)
        });
    }

    /// Adds a span with all its fields.
    pub fn push(&mut self, span: Span) {
        self.entries.push(Entry::Span(span));
    }

    /// Adds a mark.
    pub fn mark(&mut self, names: &[&str], at_ns: u64) {
        self.mark_on(MAIN, names, at_ns);
    }

    /// Adds a mark on another track.
    pub fn mark_on(&mut self, track: u32, names: &[&str], at_ns: u64) {
        let path = self.path(names);
        self.entries
            .push(Entry::Mark(path, EPOCH_NS + at_ns, track));
    }

    /// Adds a value of a metric.
    pub fn metric(&mut self, names: &[&str], at_ns: u64, value: f64) {
        let path = self.path(names);
        self.entries
            .push(Entry::Metric(path, EPOCH_NS + at_ns, MAIN, value));
    }

    /// Adds the operations of a stretch at a path, each time it runs.
    pub fn operations(&mut self, stretch: u32, names: &[&str], tally: CostTally, dtype: &str) {
        let path = self.path(names);
        let entry = Entry::Operations(stretch, path, tally, "cpu".into(), dtype.into());
        self.entries.push(entry);
    }

    /// Adds a run of a stretch whose operations are known.
    pub fn ran(&mut self, stretch: u32, at_ns: u64) {
        self.entries.push(Entry::Ran(stretch, EPOCH_NS + at_ns));
    }

    /// Adds how long a track's thread, as [`Self::name_track`] numbers it, was kept from a CPU until a moment.
    pub fn delayed(&mut self, track: u32, at_ns: u64, delayed_ns: u64) {
        let thread = 40 + u64::from(track);
        self.observed(Record::Delay {
            ticks: EPOCH_NS + at_ns,
            thread,
            delayed_ns,
        });
    }

    /// Adds how long the machine's processors were busy, or stolen by a host, until a moment.
    pub fn processors(&mut self, at_ns: u64, busy_ns: u64, stolen_ns: u64) {
        self.observed(Record::Processors {
            ticks: EPOCH_NS + at_ns,
            busy_ns,
            stolen_ns,
        });
    }

    /// Adds a record of the recorder itself.
    pub fn observed(&mut self, record: Record<'static>) {
        self.entries.push(Entry::Observed(record));
    }

    /// Adds a note.
    pub fn note(&mut self, code: &str, message: &str) {
        self.entries.push(Entry::Note(code.into(), message.into()));
    }

    /// Takes all notes back.
    pub fn forget_notes(&mut self) {
        self.entries
            .retain(|entry| !matches!(entry, Entry::Note(..)));
    }

    /// Adds that a path is that of a network's module.
    pub fn module(&mut self, names: &[&str], depth: u32, class: &str) {
        let path = self.path(names);
        self.entries.push(Entry::Module(path, depth, class.into()));
    }

    /// Names a track.
    pub fn name_track(&mut self, track: u32, is_task: bool, name: &str) {
        self.entries.push(Entry::Name(
            track,
            is_task,
            40 + u64::from(track),
            name.into(),
        ));
    }

    /// Leaves a span open in the black box, outermost first per track.
    pub fn leave_open(&mut self, track: u32, names: &[&str], start_ns: u64) {
        let path = self.path(names);
        self.open.push((path, track, EPOCH_NS + start_ns));
    }

    /// Lets the process die: nothing is closed or sealed.
    pub fn killed(&mut self) {
        self.header.closed = None;
        self.sealed = false;
    }

    /// Returns the first bytes of the file.
    pub fn prefix(&self) -> Vec<u8> {
        let mut bytes = self.header.to_bytes();
        let mut tracks: Vec<u32> = self.open.iter().map(|(_, track, _)| *track).collect();
        tracks.dedup();
        for (slot, track) in tracks.into_iter().enumerate() {
            let slot = &mut bytes[BLACK_BOX_OFFSET + slot * SLOT_LEN..][..SLOT_LEN];
            let mut depth = 1_u32;
            for (path, _, start) in self.open.iter().filter(|(_, on, _)| *on == track) {
                let entry = &mut slot[16 + depth as usize * 16..][..16];
                entry[0..4].copy_from_slice(&path.0.to_le_bytes());
                entry[8..16].copy_from_slice(&start.to_le_bytes());
                depth += 1;
            }
            slot[0..4].copy_from_slice(&depth.to_le_bytes());
            slot[4..8].copy_from_slice(&track.to_le_bytes());
        }
        bytes
    }

    /// Returns the windows of the file, each track in windows of its own, in order of opening.
    pub fn windows(&self) -> Vec<Vec<u8>> {
        let mut by_track: Vec<(u32, Vec<&Entry>)> = Vec::new();
        for entry in &self.entries {
            let track = match entry {
                Entry::Span(span) => span.track,
                Entry::Mark(_, _, track) | Entry::Metric(_, _, track, _) => *track,
                _ => MAIN,
            };
            match by_track.iter_mut().find(|(known, _)| *known == track) {
                Some((_, entries)) => entries.push(entry),
                None => by_track.push((track, vec![entry])),
            }
        }
        let mut windows = Vec::new();
        for (track, mut entries) in by_track {
            entries.sort_by_key(|entry| match entry {
                Entry::Span(span) => span.end(),
                Entry::Mark(_, ticks, _) | Entry::Metric(_, ticks, _, _) | Entry::Ran(_, ticks) => {
                    *ticks
                }
                Entry::Note(..)
                | Entry::Name(..)
                | Entry::Module(..)
                | Entry::Operations(..)
                | Entry::Observed(_) => 0,
            });
            // A track opens its next window when the one before is full.
            let mut opened = self.header.anchor;
            for chunk in entries.chunks(self.per_window) {
                windows.push((opened, track, chunk.to_vec()));
                if let Some(Entry::Span(last)) = chunk.last()
                    && let Some(at_ns) = last.end().checked_sub(EPOCH_NS)
                    && at_ns < MOST_NS
                {
                    opened = anchor(at_ns);
                }
            }
        }
        if windows.is_empty() && !self.open.is_empty() {
            windows.push((self.header.anchor, MAIN, Vec::new()));
        }
        windows.sort_by_key(|(opened, ..)| opened.ticks);
        (0..)
            .zip(windows)
            .map(|(sequence, (opened, track, entries))| {
                self.window(track, sequence, opened, &entries)
            })
            .collect()
    }

    fn window(&self, track: u32, sequence: u64, opened: Anchor, entries: &[&Entry]) -> Vec<u8> {
        let header = WindowHeader {
            pid: self.header.pid,
            stream: track,
            sequence,
            boot: u64::from_le_bytes([7; 8]),
            anchor: opened,
            lost: 0,
            track,
        };
        let (mut records, mut cursor) = (Vec::new(), header.cursor());
        let mut defined = HashSet::new();
        let opened = self.open.iter().map(|(path, _, _)| *path);
        let used = entries.iter().filter_map(|entry| match entry {
            Entry::Span(span) => Some(span.path),
            Entry::Mark(path, ..)
            | Entry::Metric(path, ..)
            | Entry::Module(path, ..)
            | Entry::Operations(_, path, ..) => Some(*path),
            _ => None,
        });
        for path in opened.chain(used) {
            let mut missing = Vec::new();
            let mut at = path;
            while let Some(entry) = self.paths.get(at).filter(|_| defined.insert(at)) {
                missing.push((at, entry));
                at = entry.parent;
            }
            for (id, entry) in missing.into_iter().rev() {
                let name = &*entry.name;
                let record = Record::Path {
                    id,
                    parent: entry.parent,
                    name,
                };
                encode(&mut records, &mut cursor, &record);
            }
        }
        for entry in entries {
            let record = match entry {
                Entry::Span(span) => Record::Span(*span),
                Entry::Mark(path, ticks, track) => Record::Mark {
                    path: *path,
                    ticks: *ticks,
                    track: *track,
                },
                Entry::Metric(path, ticks, track, value) => Record::Metric {
                    path: *path,
                    ticks: *ticks,
                    value: *value,
                    track: *track,
                },
                Entry::Operations(stretch, path, tally, device, dtype) => {
                    Record::Operations(StretchOperations {
                        stretch: *stretch,
                        path: *path,
                        tally: *tally,
                        device,
                        dtype,
                    })
                }
                Entry::Ran(stretch, ticks) => Record::Ran {
                    ticks: *ticks,
                    stretch: *stretch,
                },
                Entry::Observed(record) => *record,
                Entry::Note(code, message) => Record::Note { code, message },
                Entry::Module(path, depth, class) => Record::Module {
                    path: *path,
                    depth: *depth,
                    class,
                },
                Entry::Name(track, is_task, thread, name) => Record::TrackName {
                    track: *track,
                    is_task: *is_task,
                    thread: *thread,
                    name,
                },
            };
            encode(&mut records, &mut cursor, &record);
        }
        let mut bytes = header.to_bytes().to_vec();
        bytes[8..12].copy_from_slice(&(records.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&records);
        assert!(
            bytes.len() <= WINDOW_LEN,
            "a script's window must fit: lower per_window"
        );
        if self.sealed {
            seal(&mut bytes, records.len());
        }
        bytes
    }
}

/// Returns a training run: `steps` steps of 20 ms (the first `slow` ones take 80 ms), an evaluation after every
/// 25, in a process that takes 2 s to start and 50 ms to end.
pub fn training(steps: u64, slow: u64) -> Script {
    let mut script = Script::new(4_242, 0);
    let mut now = 2_000 * MS;
    for step in 0..steps {
        if step % 25 == 0 {
            script.mark(&["epoch"], now);
        }
        let slowdown = if step < slow { 4 } else { 1 };
        let jitter = (step * 7_919 % 100) * 2_000;
        let start = now;
        let mut part = |name: &str, ns: u64| {
            let ns = ns * slowdown + jitter;
            script.span(&["step", name], now, ns);
            now += ns;
        };
        part("data", 1_500_000);
        part("forward", 6 * MS);
        part("backward", 9 * MS);
        part("optimizer", 3 * MS);
        now += 500_000 * slowdown;
        script.span(&["step"], start, now - start);
        now += 50_000;
        if step % 25 == 24 {
            script.span(&["evaluation", "forward"], now + MS, 12 * MS);
            script.span(&["evaluation"], now, 14 * MS);
            now += 14 * MS;
            script.metric(&["test_acc"], now, 1.0 - 0.5 / (step as f64 / 25.0 + 1.0));
        }
    }
    now += 50 * MS;
    script.header.closed = Some(anchor(now));
    script
}
