//! Size of a recording, and CPU time of reading and aggregating it.

use std::path::Path;

use laptime_analysis::{Analyzer, Options};
use laptime_core::format::process::{PREFIX_LEN, window_offset};
use laptime_core::format::window::WINDOW_LEN;

/// Spans in the recording that is read.
const SPANS: u32 = 10_000_000;

/// Bytes a span on disk, and nanoseconds of CPU a span to aggregate.
pub fn measure(scratch: &Path) -> (f64, f64) {
    let recording = laptime::record(scratch.join("read.lap")).expect("a recording");
    // Four laps a step of a few hundred ns each: durations vary as a program's do.
    for step in 0..SPANS / 5 {
        let _step = laptime::lap!("step");
        lap_of(&laptime::lap!("data"), step % 16);
        lap_of(&laptime::lap!("forward"), step % 64);
        lap_of(&laptime::lap!("backward"), step % 128);
        lap_of(&laptime::lap!("optimizer"), step % 32);
    }
    let folder = recording.finish().expect("a finished recording");
    let file = std::fs::read_dir(&folder)
        .expect("the folder")
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|extension| extension == "proc"))
        .expect("a process file");
    let bytes = std::fs::read(file).expect("its bytes");
    let start = laptime_recorder::clock::thread_ns();
    let mut analyzer = Analyzer::new(Options::default());
    let process = analyzer
        .process(&bytes[..PREFIX_LEN], "bench")
        .expect("a header");
    loop {
        for index in 0.. {
            let offset = window_offset(index);
            let Some(slot) = bytes.get(offset as usize..) else {
                break;
            };
            if analyzer.wants_window(process, offset) {
                let slot = &slot[..slot.len().min(WINDOW_LEN)];
                analyzer.window(process, slot, offset).expect("a window");
            }
        }
        if !analyzer.wants_second_pass() {
            break;
        }
        analyzer.begin_second_pass();
    }
    let summary = analyzer.finish();
    let elapsed = laptime_recorder::clock::thread_ns() - start;
    let counted: u64 = summary.rows.iter().filter_map(|row| row.count).sum();
    assert!(counted >= u64::from(SPANS), "{counted} spans read");
    let per_span = f64::from(SPANS);
    (bytes.len() as f64 / per_span, elapsed as f64 / per_span)
}

fn lap_of(_lap: &laptime::Lap, work: u32) {
    for item in 0..work {
        std::hint::black_box(item);
    }
}
