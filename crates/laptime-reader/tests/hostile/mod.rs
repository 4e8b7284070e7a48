//! Process files that no program writes: what a reader must get through in time and memory that
//! grow with their bytes alone.

#![allow(dead_code, reason = "each test program uses its own part")]

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::Path;

use laptime_core::format::process::{ProcessHeader, START_CHECK_OFFSET, window_offset};
use laptime_core::format::record::{Cursor, Record, encode};
use laptime_core::format::window::{COMMITTED_OFFSET, HEADER_LEN, WINDOW_LEN, WindowHeader, seal};
use laptime_core::{Anchor, ClockKind, PathId, PathTable, Span};

const PID: u32 = 4_242;

fn anchor(at: u64) -> Anchor {
    Anchor {
        ticks: at,
        monotonic_ns: at,
        realtime_ns: at,
        boottime_ns: at,
    }
}

fn header() -> ProcessHeader {
    ProcessHeader {
        clock: ClockKind::Monotonic,
        pid: PID,
        parent_pid: 1,
        main_track: 1,
        boot_id: [7; 16],
        nominal_ns_per_tick: 1.0,
        anchor: anchor(1 << 40),
        process_started_boottime_ns: None,
        program: "hostile.py".into(),
        lost: 0,
        clamped: 0,
        closed: Some(anchor((1 << 40) + (1 << 35))),
        loss_reason: None,
        length: None,
    }
}

fn window_header(sequence: u64) -> WindowHeader {
    WindowHeader {
        pid: PID,
        stream: 1,
        sequence,
        boot: u64::from_le_bytes([7; 8]),
        anchor: anchor(1 << 40),
        lost: 0,
        track: 1,
    }
}

/// Writes records one after the other, into as many windows as they take.
struct Writer {
    bytes: Vec<u8>,
    records: Vec<u8>,
    cursor: Cursor,
    windows: u64,
}

impl Writer {
    fn new() -> Self {
        Self {
            bytes: header().to_bytes(),
            records: Vec::new(),
            cursor: window_header(0).cursor(),
            windows: 0,
        }
    }

    fn record(&mut self, record: &Record<'_>) {
        if self.records.len() > WINDOW_LEN - 20_000 {
            self.seal();
        }
        encode(&mut self.records, &mut self.cursor, record);
    }

    fn path(&mut self, id: u32, parent: u32, name: &str) {
        let (id, parent) = (PathId(id), PathId(parent));
        self.record(&Record::Path { id, parent, name });
    }

    fn span(&mut self, path: u32, start: u64, duration: u64) {
        let span = Span::plain(PathId(path), (1 << 40) + start, duration, 1);
        self.record(&Record::Span(span));
    }

    fn seal(&mut self) {
        let header = window_header(self.windows);
        let mut window = header.to_bytes().to_vec();
        window.append(&mut self.records);
        let length = window.len() - HEADER_LEN;
        window[COMMITTED_OFFSET..][..4].copy_from_slice(&(length as u32).to_le_bytes());
        seal(&mut window, length);
        self.bytes.resize(window_offset(self.windows) as usize, 0);
        self.bytes.append(&mut window);
        self.windows += 1;
        self.cursor = header.cursor();
    }

    fn finish(mut self) -> Vec<u8> {
        self.seal();
        self.bytes
    }
}

/// A chain of paths, each inside of the one before, with a span of each, the innermost first.
pub fn chain(levels: u32) -> Vec<u8> {
    let mut writer = Writer::new();
    for level in 0..levels {
        writer.path(level + 2, if level == 0 { 0 } else { level + 1 }, "n");
    }
    for level in (0..levels).rev() {
        let inset = u64::from(level) * 1_000;
        writer.span(level + 2, inset, (1 << 34) - 2 * inset);
    }
    writer.finish()
}

/// Sixty thousand paths below a long chain of long names.
pub fn long_names() -> Vec<u8> {
    let mut writer = Writer::new();
    for level in 0..500 {
        writer.path(
            level + 2,
            if level == 0 { 0 } else { level + 1 },
            &"x".repeat(30),
        );
    }
    for leaf in 502..62_000 {
        writer.path(leaf, 501, "leaf");
        writer.span(leaf, u64::from(leaf), 10);
    }
    writer.finish()
}

/// As many paths as there may be, each with a `<deep>` of its own.
pub fn wide_and_deep() -> Vec<u8> {
    let mut writer = Writer::new();
    let mut next = 2;
    for _ in 0..120 {
        let mut parent = 0;
        for level in 0..540 {
            writer.path(next, parent, if level == 0 { "root" } else { "n" });
            writer.span(next, u64::from(next), 5);
            parent = next;
            next += 1;
        }
    }
    assert!((next as usize) < PathTable::LIMIT);
    writer.finish()
}

/// Parents whose numbers are larger than their children's.
pub fn backwards() -> Vec<u8> {
    let mut writer = Writer::new();
    for id in (2..60_000).rev() {
        writer.path(id, if id == 59_999 { 0 } else { id + 1 }, "n");
    }
    writer.finish()
}

/// A file of 20 GiB that holds a few kilobytes.
pub fn sparse(path: &Path) {
    let bytes = chain(10);
    std::fs::write(path, &bytes).expect("a file");
    let file = OpenOptions::new().write(true).open(path).expect("the file");
    file.set_len(20 << 30).expect("room for a hole");
    let (mut last, slot) = (bytes[window_offset(0) as usize..].to_vec(), 300_000_u64);
    last[24..32].copy_from_slice(&slot.to_le_bytes());
    let length = last.len() - HEADER_LEN;
    seal(&mut last, length);
    file.write_all_at(&last, window_offset(slot))
        .expect("a window behind it");
}

/// Makes a file of one window another process's.
pub fn set_process_id(bytes: &mut [u8], pid: u32) {
    let window = window_offset(0) as usize;
    bytes[12..16].copy_from_slice(&pid.to_le_bytes());
    bytes[START_CHECK_OFFSET..][..8].fill(0);
    bytes[window + 16..window + 20].copy_from_slice(&pid.to_le_bytes());
    let length = bytes.len() - window - HEADER_LEN;
    seal(&mut bytes[window..], length);
}

/// Every file but the sparse one, by name.
pub fn files() -> [(&'static str, Vec<u8>); 5] {
    [
        ("chain", chain(6_000)),
        ("longest-chain", chain(65_000)),
        ("long-names", long_names()),
        ("wide-and-deep", wide_and_deep()),
        ("backwards", backwards()),
    ]
}
