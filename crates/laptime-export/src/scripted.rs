//! A scripted process: records at exact ticks, which are nanoseconds since time zero, told to a format.

use std::io::Write;
use std::sync::{Arc, Mutex};

use laptime_core::format::process::{OpenSpan, ProcessHeader};
use laptime_core::format::reader::Visit;
use laptime_core::format::record::Record;
use laptime_core::{
    Anchor, Anchors, ClockKind, PathId, PathTable, ProcessFacts, Sampled, Span, SpanFlags,
};

use crate::{About, Export, Format, Survey};

/// The main thread's track.
pub const MAIN: u32 = 1;

/// All that a process recorded.
#[derive(Debug, Clone)]
pub struct Script {
    pub pid: u32,
    pub paths: PathTable,
    pub records: Vec<Record<'static>>,
    pub open: Vec<OpenSpan>,
    pub sampled: Sampled,
}

impl Script {
    pub fn new(pid: u32) -> Self {
        Self {
            pid,
            paths: PathTable::new(),
            records: Vec::new(),
            open: Vec::new(),
            sampled: Sampled::default(),
        }
    }

    pub fn path(&mut self, names: &[&str]) -> PathId {
        names
            .iter()
            .fold(PathId::ROOT, |at, name| self.paths.intern(at, name))
    }

    pub fn span(&mut self, names: &[&str], start: u64, end: u64) {
        self.span_on(MAIN, names, start, end, SpanFlags::NONE);
    }

    pub fn span_on(&mut self, track: u32, names: &[&str], start: u64, end: u64, flags: SpanFlags) {
        let path = self.path(names);
        let plain = Span::plain(path, start, end - start, track);
        self.records.push(Record::Span(Span { flags, ..plain }));
    }

    pub fn metric(&mut self, names: &[&str], ticks: u64, value: f64) {
        let (path, track) = (self.path(names), MAIN);
        self.records.push(Record::Metric {
            path,
            ticks,
            value,
            track,
        });
    }

    pub fn mark(&mut self, names: &[&str], ticks: u64) {
        let (path, track) = (self.path(names), MAIN);
        self.records.push(Record::Mark { path, ticks, track });
    }

    pub fn leave_open(&mut self, names: &[&str], start: u64) {
        let (path, track) = (self.path(names), MAIN);
        self.open.push(OpenSpan { path, track, start });
    }

    fn facts(&self) -> ProcessFacts {
        let header = ProcessHeader {
            clock: ClockKind::Monotonic,
            pid: self.pid,
            parent_pid: 1,
            main_track: MAIN,
            boot_id: [7; 16],
            nominal_ns_per_tick: 1.0,
            anchor: Anchor::default(),
            process_started_boottime_ns: None,
            program: "train.py".into(),
            lost: 0,
            clamped: 0,
            closed: None,
            loss_reason: None,
            length: None,
        };
        ProcessFacts {
            file: String::new(),
            file_bytes: None,
            anchors: Anchors::new(&header),
            header,
            open: self.open.clone(),
            folded_spans: 0,
            recursive_spans: 0,
            overflowed_spans: 0,
            empty_windows: 0,
            is_running: false,
        }
    }
}

/// Bytes that are looked at once they are written.
#[derive(Clone, Default)]
pub struct Shared(pub Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What a format makes of processes, which end at `end_ns`.
pub fn exported(format: Format, scripts: &[Script], end_ns: u64) -> Vec<u8> {
    let out = Shared::default();
    let about = About {
        program: "train.py".into(),
        zero_realtime_ns: 1_700_000_000_000_000_000,
        zero_ns: 0,
    };
    let mut export = Export::new(format, Box::new(out.clone()), about).unwrap();
    for script in scripts {
        tell(&mut export, script, end_ns);
    }
    export.finish().unwrap();
    out.0.lock().unwrap().clone()
}

/// Tells an export of one process.
pub fn tell(export: &mut Export<'_>, script: &Script, end_ns: u64) {
    let mut survey = Survey::default();
    for record in &script.records {
        survey.other(*record);
    }
    let facts = script.facts();
    let passes = export.process(
        &facts,
        &script.paths,
        survey,
        script.sampled.clone(),
        end_ns,
    );
    for number in 0..passes.unwrap() {
        let mut pass = export.pass(number).unwrap();
        for record in &script.records {
            pass.other(*record);
        }
        pass.finish().unwrap();
    }
}
