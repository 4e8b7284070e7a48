//! Writes a large recording: a million spans of a training, and a hundred thousand samples of the
//! functions that it is in, 30 calls deep. `large_recording FOLDER`.

#![allow(dead_code, reason = "of the scripted process a part is used")]

use std::path::Path;

use laptime_core::format::process::window_offset;
use laptime_core::format::record::Record;
use laptime_core::{ProgramEnd, RunInfo, Runner, SampledStack, StackFrame};

#[path = "../../../../crates/laptime-analysis/src/testing/scripted.rs"]
mod scripted;

use scripted::{EPOCH_NS, MAIN, MS, Script};

const STEPS: u64 = 250_000;
const STEP_NS: u64 = 4 * MS;
const SAMPLES: u64 = 100_000;
/// The system's id of the thread, as a script numbers its first track.
const THREAD: u64 = 41;
/// Chains of calls that are seen, each of so many functions.
const CHAINS: u32 = 100;
const DEPTH: u32 = 30;
/// Every chain begins with these calls.
const SHARED: u32 = 8;

fn main() {
    let folder = std::env::args().nth(1).expect("a folder to write into");
    let length_ns = STEPS * STEP_NS;
    let mut script = Script::new(7, length_ns);
    script.per_window = 1_800;
    script.name_track(MAIN, false, "MainThread");
    functions(&mut script);
    for sample in 0..SAMPLES {
        // Odd strides, so that samples fall on every part of a step.
        let at_ns = sample * (length_ns / SAMPLES) + sample * 7_919 % STEP_NS;
        let chain = (sample * sample % u64::from(CHAINS)) as u32;
        script.observed(Record::Stack(SampledStack {
            ticks: EPOCH_NS + at_ns,
            thread: THREAD,
            frame: frame(chain, DEPTH - 1 - (sample % 5) as u32),
            is_running: true,
            has_interpreter: true,
            in_same_turn: false,
            others_ready: false,
            runner: Runner::Thread,
            within_ns: 0,
            stands_for_ns: length_ns / SAMPLES,
        }));
    }
    for step in 0..STEPS {
        let at_ns = step * STEP_NS;
        let slow_ns = step * step % 97 * 1_000;
        script.span(&["step", "data"], at_ns, MS);
        script.span(&["step", "forward"], at_ns + MS, MS + slow_ns);
        script.span(&["step", "backward"], at_ns + 2 * MS + slow_ns, MS);
        script.span(&["step"], at_ns, 3 * MS + MS / 2 + slow_ns);
    }
    write(Path::new(&folder), &script, length_ns);
}

/// Names the functions, in 20 files of the program and of a package, and the lines that call them.
fn functions(script: &mut Script) {
    for chain in 0..CHAINS {
        for depth in 0..DEPTH {
            let id = frame(chain, depth);
            let name: &'static str = format!("function_{id}").leak();
            let file: &'static str = match depth % 3 {
                0 => format!("part_{}.py", chain % 20).leak(),
                _ => format!("site-packages/package/part_{}.py", chain % 20).leak(),
            };
            if depth >= SHARED || chain == 0 {
                script.observed(Record::Function { id, name, file });
                script.observed(Record::Frame(StackFrame {
                    id,
                    parent: depth.checked_sub(1).map_or(0, |above| frame(chain, above)),
                    function: id,
                    line: 10 + depth,
                }));
            }
        }
    }
}

/// The number of a chain's call, and of its function; the shared ones are the first chain's.
fn frame(chain: u32, depth: u32) -> u32 {
    let chain = if depth < SHARED { 0 } else { chain };
    1 + chain * DEPTH + depth
}

fn write(folder: &Path, script: &Script, length_ns: u64) {
    std::fs::create_dir(folder).expect("a new folder");
    let mut bytes = script.prefix();
    for (place, window) in (0..).zip(script.windows()) {
        bytes.resize(window_offset(place) as usize, 0);
        bytes.extend(window);
    }
    std::fs::write(folder.join("7-ab.proc"), bytes).expect("the process file");
    let run = RunInfo {
        format: 1,
        laptime: env!("CARGO_PKG_VERSION").into(),
        program: "train.py".into(),
        started_monotonic_ns: EPOCH_NS,
        started_realtime_ns: 1_700_000_000_000_000_000,
        boot_id: "07".repeat(16),
        pid: Some(7),
        keeper: None,
        end: Some(ProgramEnd {
            monotonic_ns: EPOCH_NS + length_ns,
            code: Some(0),
            signal: None,
        }),
        unrecorded: Vec::new(),
        processes: None,
    };
    std::fs::write(folder.join(RunInfo::FILE_NAME), run.to_json()).expect("the run's file");
}
