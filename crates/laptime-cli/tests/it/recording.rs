//! Recordings with known contents, written byte by byte through the format.

#![allow(dead_code, reason = "the unit tests, which have it too, use a part")]

use std::fs;
use std::path::Path;

use laptime_core::format::process::{BLACK_BOX_OFFSET, ProcessHeader, SLOT_LEN};
use laptime_core::format::record::{Record, encode};
use laptime_core::format::window::{WINDOW_LEN, WindowHeader, seal};
use laptime_core::{Anchor, ClockKind, PathId, ProgramEnd, RunInfo, Span};

/// The program's process id.
pub const PID: u32 = 20;
/// Its main thread's track.
pub const TRACK: u32 = 1;
/// `step`.
pub const STEP: PathId = PathId(2);
/// `step/forward`.
pub const FORWARD: PathId = PathId(3);
/// Nanoseconds of one step.
pub const STEP_NS: u64 = 1_000_000;
/// When recording began, ticks and nanoseconds.
pub const BEGAN: u64 = 1_000_000_000;

/// All clocks at a moment of `CLOCK_MONOTONIC`.
pub fn anchor(monotonic_ns: u64) -> Anchor {
    Anchor {
        ticks: monotonic_ns,
        monotonic_ns,
        realtime_ns: monotonic_ns + 1_700_000_000_000_000_000,
        boottime_ns: monotonic_ns,
    }
}

/// A process that recorded nothing yet.
pub fn header(pid: u32) -> ProcessHeader {
    ProcessHeader {
        clock: ClockKind::Monotonic,
        pid,
        parent_pid: 1,
        main_track: TRACK,
        boot_id: [7; 16],
        nominal_ns_per_tick: 1.0,
        anchor: anchor(BEGAN),
        process_started_boottime_ns: None,
        program: "train.py".into(),
        lost: 0,
        clamped: 0,
        closed: None,
        loss_reason: None,
        length: None,
    }
}

/// A run of `train.py` that ended well.
pub fn run(steps: u64) -> RunInfo {
    RunInfo {
        format: 1,
        laptime: "0.1.0".into(),
        program: "train.py".into(),
        started_monotonic_ns: BEGAN,
        started_realtime_ns: BEGAN + 1_700_000_000_000_000_000,
        boot_id: "07".repeat(16),
        pid: Some(PID),
        keeper: None,
        end: Some(ProgramEnd {
            monotonic_ns: BEGAN + steps * STEP_NS,
            code: Some(0),
            signal: None,
        }),
        unrecorded: Vec::new(),
        processes: None,
    }
}

/// The slot of a window that holds steps `from..to`, each half forward.
pub fn window(sequence: u64, from: u64, to: u64, sealed: bool) -> Vec<u8> {
    let steps: Vec<(u64, u64)> = (from..to).map(|_| (STEP_NS, STEP_NS / 2)).collect();
    window_of(sequence, BEGAN + from * STEP_NS, &steps, &[], sealed)
}

/// The slot of a window that holds notes, and steps that each took so long, and their forward.
pub fn window_of(
    sequence: u64,
    began: u64,
    steps: &[(u64, u64)],
    notes: &[(&str, &str)],
    sealed: bool,
) -> Vec<u8> {
    let header = WindowHeader {
        pid: PID,
        stream: 1,
        sequence,
        boot: u64::from_le_bytes([7; 8]),
        anchor: anchor(began),
        lost: 0,
        track: TRACK,
    };
    let mut cursor = header.cursor();
    let mut records = Vec::new();
    for (id, parent, name) in [(STEP, PathId::ROOT, "step"), (FORWARD, STEP, "forward")] {
        encode(
            &mut records,
            &mut cursor,
            &Record::Path { id, parent, name },
        );
    }
    for (code, message) in notes {
        encode(&mut records, &mut cursor, &Record::Note { code, message });
    }
    let mut start = began;
    for (step, forward) in steps {
        for span in [
            Span::plain(FORWARD, start, *forward, TRACK),
            Span::plain(STEP, start, *step, TRACK),
        ] {
            encode(&mut records, &mut cursor, &Record::Span(span));
        }
        start += step;
    }
    encode(&mut records, &mut cursor, &Record::Anchor(anchor(start)));
    let mut bytes = header.to_bytes().to_vec();
    bytes[8..12].copy_from_slice(&(records.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&records);
    bytes.resize(WINDOW_LEN, 0);
    if sealed {
        seal(&mut bytes, records.len());
    }
    bytes
}

/// A whole process file: steps `0..steps` in sealed windows of 100.
pub fn process(steps: u64) -> Vec<u8> {
    let end = Some(anchor(BEGAN + steps * STEP_NS));
    let mut bytes = ProcessHeader {
        closed: end,
        ..header(PID)
    }
    .to_bytes();
    for (sequence, from) in (0..steps).step_by(100).enumerate() {
        bytes.extend(window(sequence as u64, from, (from + 100).min(steps), true));
    }
    bytes
}

/// A recording's folder with that one process.
pub fn folder(at: &Path, steps: u64) {
    fs::create_dir(at).unwrap();
    fs::write(at.join("run.json"), run(steps).to_json()).unwrap();
    fs::write(at.join(format!("{PID}-ab.proc")), process(steps)).unwrap();
}

/// A recording of steps that took so long, each with its forward, and of what was noted.
pub fn folder_of(at: &Path, steps: &[(u64, u64)], notes: &[(&str, &str)]) {
    let total: u64 = steps.iter().map(|(step, _)| step).sum();
    let mut bytes = ProcessHeader {
        closed: Some(anchor(BEGAN + total)),
        ..header(PID)
    }
    .to_bytes();
    let mut began = BEGAN;
    for (sequence, steps) in steps.chunks(100).enumerate() {
        bytes.extend(window_of(sequence as u64, began, steps, notes, true));
        began += steps.iter().map(|(step, _)| step).sum::<u64>();
    }
    let mut run = run(0);
    run.end = run.end.map(|end| ProgramEnd {
        monotonic_ns: BEGAN + total,
        ..end
    });
    fs::create_dir(at).unwrap();
    fs::write(at.join("run.json"), run.to_json()).unwrap();
    fs::write(at.join(format!("{PID}-ab.proc")), bytes).unwrap();
}

/// Notes in a file's black box that `forward` inside `step` is open.
pub fn open_forward(bytes: &mut [u8]) {
    let slot = &mut bytes[BLACK_BOX_OFFSET..BLACK_BOX_OFFSET + SLOT_LEN];
    slot[0..4].copy_from_slice(&3_u32.to_le_bytes());
    slot[4..8].copy_from_slice(&TRACK.to_le_bytes());
    for (entry, path) in [(1, STEP), (2, FORWARD)] {
        let at = 16 + entry * 16;
        slot[at..at + 4].copy_from_slice(&path.0.to_le_bytes());
        slot[at + 8..at + 16].copy_from_slice(&BEGAN.to_le_bytes());
    }
}
