//! Sampled stacks to start from: written here, and those that a program left.

use laptime_core::format::process::window_offset;
use laptime_core::format::record::{Cursor, Record, encode};
use laptime_core::format::window::{HEADER_LEN, WINDOW_LEN, Window};
use laptime_core::{PathId, Runner, SampledStack, Span, StackFrame};

/// A packed recording with stacks.
const RECORDED: &[u8] =
    include_bytes!("../../crates/laptime-cli/tests/fixtures/version-1-stacks.lap");
/// Bytes of a packed recording are in blocks: a file's header, then its contents.
const BLOCK: usize = 512;
/// Every length of a seed is tried, so not all of what a program left is one.
const MOST_RECORDED: usize = 800;

/// Stacks of two threads in two laps: one that can't be read, a frame without a function and one
/// that calls itself among them.
pub fn written() -> Vec<u8> {
    let start = 1_u64 << 40;
    let named = |track, thread, name| Record::TrackName {
        track,
        is_task: false,
        thread,
        name,
    };
    let path = |id, parent, name| Record::Path {
        id: PathId(id),
        parent: PathId(parent),
        name,
    };
    let function = |id, name, file| Record::Function { id, name, file };
    let frame = |id, parent, function, line| {
        Record::Frame(StackFrame {
            id,
            parent,
            function,
            line,
        })
    };
    let stack = |after, thread, frame| {
        Record::Stack(SampledStack {
            ticks: start + after,
            thread,
            frame,
            is_running: frame % 2 == 0,
            has_interpreter: frame % 3 == 0,
            in_same_turn: frame % 5 == 0,
            others_ready: frame % 7 == 0,
            runner: match frame {
                1 => Runner::Thread,
                2 => Runner::Task {
                    track: 2,
                    path: PathId(3),
                },
                _ => Runner::Unknown,
            },
            within_ns: 200,
            stands_for_ns: 10_000,
        })
    };
    let records = [
        named(1, 4_242, ""),
        named(2, 4_243, "loader\n"),
        path(2, 0, "step"),
        path(3, 2, "data"),
        function(1, "<module>", "train.py"),
        function(2, "Loader.decode.<locals>.<listcomp>", "/a/b\u{202e}.py"),
        frame(1, 0, 1, 12),
        frame(2, 1, 2, 0),
        frame(3, 2, 9, 1),
        frame(4, 4, 2, 7),
        stack(20_000, 4_242, 2),
        stack(30_000, 4_242, 3),
        Record::Span(Span::plain(PathId(3), start + 10_000, 25_000, 1)),
        stack(40_000, 4_242, 4),
        stack(40_000, 4_243, 2),
        stack(50_000, 4_242, 0),
        stack(60_000, 0, 0),
        Record::Span(Span::plain(PathId(2), start + 5_000, 60_000, 1)),
        stack(70_000, 4_242, 1),
        stack(70_000, 4_999, 77),
        Record::Span(Span::plain(PathId(2), start + 30_000, 50_000, 2)),
    ];
    let mut bytes = Vec::new();
    let mut cursor = Cursor {
        last: start,
        track: 1,
    };
    for record in &records {
        encode(&mut bytes, &mut cursor, record);
    }
    bytes
}

/// The first records of the window that a program's sampler wrote.
pub fn recorded() -> Vec<u8> {
    let process = process();
    let windows = (0..).map(window_offset).map(|offset| offset as usize);
    for at in windows.take_while(|at| *at < process.len()) {
        let bytes = &process[at..process.len().min(at + WINDOW_LEN)];
        let Ok(Some(window)) = Window::parse(bytes, at as u64) else {
            continue;
        };
        let mut has_stacks = false;
        let read = window.for_each(|record| has_stacks |= matches!(record, Record::Stack(_)));
        if read.is_ok() && has_stacks {
            return bytes[HEADER_LEN..][..window.len().min(MOST_RECORDED)].to_vec();
        }
    }
    vec![]
}

/// The process file in the packed recording.
fn process() -> &'static [u8] {
    let mut rest = RECORDED;
    while let Some((header, contents)) = rest.split_at_checked(BLOCK) {
        let text = |bytes: &'static [u8]| std::str::from_utf8(bytes).unwrap_or_default();
        let name = text(&header[..100]).trim_end_matches('\0');
        let size = text(&header[124..135]);
        let size = usize::from_str_radix(size, 8).unwrap_or_default();
        if name.ends_with(".proc") {
            return &contents[..size];
        }
        rest = contents
            .get(size.next_multiple_of(BLOCK)..)
            .unwrap_or_default();
    }
    &[]
}
