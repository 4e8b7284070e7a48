//! What reading costs: 10 million spans from window bytes to a summary.
//!
//! The goal is at most 15 ns of CPU a span. divan prints the time of the whole and spans
//! per second; `ns a span` is 1000 over the Mitem/s column. Windows are made before the
//! clock starts and are read from memory, since opening files is the caller's part.

#![allow(missing_docs)]

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use laptime_analysis::{Analyzer, Options};
use laptime_core::format::process::{ProcessHeader, window_offset};
use laptime_core::format::record::{Record, encode};
use laptime_core::format::window::{WINDOW_LEN, WindowHeader, seal};
use laptime_core::{Anchor, ClockKind, PathId, PathTable, Span};
use laptime_reader::ProcessReader;

const SPANS: usize = 10_000_000;

fn main() {
    divan::main();
}

struct File {
    prefix: Vec<u8>,
    windows: Vec<Vec<u8>>,
    spans: usize,
}

/// A file of nested spans: per step, `width` children of different lengths, then the step.
fn file(width: u32) -> File {
    let anchor = |ticks: u64| Anchor {
        ticks,
        monotonic_ns: ticks * 2 / 5,
        realtime_ns: ticks * 2 / 5,
        boottime_ns: ticks * 2 / 5,
    };
    let mut paths = PathTable::new();
    let step = paths.intern(PathId::ROOT, "work");
    let children: Vec<PathId> = (0..width)
        .map(|index| paths.intern(step, &format!("part {index}")))
        .collect();
    let (mut now, mut random) = (1_000_000_u64, 0x9e37_79b9_7f4a_7c15_u64);
    let (mut windows, mut spans) = (Vec::new(), 0);
    while spans < SPANS {
        let header = WindowHeader {
            pid: 7,
            stream: 1,
            sequence: windows.len() as u64,
            boot: u64::from_le_bytes([9; 8]),
            anchor: anchor(now),
            lost: 0,
            track: 1,
        };
        let (mut records, mut cursor) = (Vec::new(), header.cursor());
        for (id, entry) in paths.iter().filter(|(id, _)| *id != PathId::OVERFLOW) {
            let (parent, name) = (entry.parent, &*entry.name);
            encode(
                &mut records,
                &mut cursor,
                &Record::Path { id, parent, name },
            );
        }
        while records.len() < WINDOW_LEN - 4_096 {
            let start = now;
            for child in &children {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                // Over four octaves, as real spans of one path vary.
                let duration = 500 + (random % 1_000) * (1 << (random >> 60 & 3));
                let span = Span::plain(*child, now, duration, 1);
                encode(&mut records, &mut cursor, &Record::Span(span));
                now += duration + 40;
                spans += 1;
            }
            let span = Span::plain(step, start, now - start, 1);
            encode(&mut records, &mut cursor, &Record::Span(span));
            now += 100;
            spans += 1;
        }
        let mut window = header.to_bytes().to_vec();
        window.extend_from_slice(&records);
        seal(&mut window, records.len());
        windows.push(window);
    }
    let header = ProcessHeader {
        clock: ClockKind::Tsc,
        pid: 7,
        parent_pid: 1,
        main_track: 1,
        boot_id: [9; 16],
        nominal_ns_per_tick: 0.4,
        anchor: anchor(0),
        process_started_boottime_ns: None,
        program: "bench".into(),
        lost: 0,
        clamped: 0,
        closed: Some(anchor(now)),
        loss_reason: None,
        length: None,
    };
    File {
        prefix: header.to_bytes(),
        windows,
        spans,
    }
}

#[divan::bench(args = [4, 100], sample_count = 10)]
fn ten_million_spans(bencher: Bencher, paths: u32) {
    let file = file(paths);
    bencher.counter(ItemsCount::new(file.spans)).bench(|| {
        let mut analyzer = Analyzer::new(Options::default());
        let mut reader = ProcessReader::begin(&file.prefix, "7.proc").expect("a header");
        let key = analyzer.process(reader.facts());
        for (index, window) in file.windows.iter().enumerate() {
            let mut pass = analyzer.first_pass(key);
            reader
                .window(black_box(window), window_offset(index as u64), &mut pass)
                .expect("whole windows");
        }
        analyzer.end(key, reader.facts());
        analyzer.finish()
    });
}
