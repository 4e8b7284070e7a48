//! Recordings in which any number is as large, as small or as far away as a file can hold: each command ends as it
//! should, and what it writes can be read.

use std::fs;
use std::path::Path;

use laptime_core::format::process::window_offset;
use laptime_core::format::record::{Cursor, Record, encode};
use laptime_core::format::window::{COMMITTED_OFFSET, WINDOW_LEN, WindowHeader, seal};
use laptime_core::operations::{Cost, CostTally, StretchOperations};
use laptime_core::{
    CallSums, CalledFunction, DeviceMemory, DeviceMemorySpan, DevicePlace, DeviceReading,
    DeviceReadings, DeviceSample, DeviceSpan, DeviceTimes, DeviceWork, DeviceWorkKind,
    FunctionCalls, Operator, PathId, ProcessMemory, Runner, SampledStack, Span, SpanFlags,
    SpanMemory, SpanWork, StackFrame,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::place::Place;
use crate::recording;
use crate::scripted::{EPOCH_NS, MAIN, MS, Script, anchor};

/// Numbers of one record, from which it takes what it needs.
type Numbers = [u64; 8];

/// What numbers make of a record.
type Make = fn(&Numbers) -> Record<'static>;

const KINDS: &[Make] = &[
    |number| Record::Span(span(number)),
    |number| {
        Record::Span(Span::plain(
            path(number[0]),
            at(number[1]),
            number[2] % MS,
            MAIN,
        ))
    },
    |number| Record::Mark {
        path: path(number[0]),
        ticks: at(number[1]),
        track: track(number[2]),
    },
    |number| Record::Metric {
        path: path(number[0]),
        ticks: at(number[1]),
        value: f64::from_bits(number[2]),
        track: track(number[3]),
    },
    |number| {
        let mut anchor = anchor(number[0] % (1_000 * MS));
        anchor.ticks = at(number[1]);
        anchor.realtime_ns = number[2];
        Record::Anchor(anchor)
    },
    |number| Record::Sample {
        ticks: at(number[0]),
        resident_bytes: number[1],
        private: None,
    },
    |number| Record::Memory {
        ticks: at(number[0]),
        memory: ProcessMemory {
            bytes: number[1].cast_signed(),
            peak_bytes: number[2],
        },
    },
    |number| {
        Record::Operations(StretchOperations {
            stretch: (number[0] % 3) as u32,
            path: path(number[1]),
            tally: tally(number),
            device: "cpu",
            dtype: "float32",
        })
    },
    |number| Record::Ran {
        ticks: at(number[0]),
        stretch: (number[1] % 3) as u32,
    },
    |number| Record::Delay {
        ticks: at(number[0]),
        thread: thread(number[1]),
        delayed_ns: number[2],
    },
    |number| Record::Processors {
        ticks: at(number[0]),
        busy_ns: number[1],
        stolen_ns: number[2],
    },
    |number| Record::Module {
        path: path(number[0]),
        depth: number[1] as u32,
        class: "Linear",
    },
    |number| {
        Record::Frame(StackFrame {
            id: (number[0] % 4) as u32,
            parent: (number[1] % 4) as u32,
            function: 1 + (number[2] % 2) as u32,
            line: number[3] as u32,
        })
    },
    |number| {
        Record::Stack(SampledStack {
            ticks: at(number[0]),
            thread: thread(number[1]),
            frame: (number[2] % 4) as u32,
            is_running: number[3].is_multiple_of(2),
            has_interpreter: number[4].is_multiple_of(2),
            in_same_turn: number[5].is_multiple_of(2),
            others_ready: number[5].is_multiple_of(3),
            runner: Runner::Thread,
            within_ns: number[6],
            stands_for_ns: number[7],
        })
    },
    |number| {
        Record::Calls(FunctionCalls {
            path: path(number[0]),
            thread: thread(number[1]),
            caller: (number[2] % 3) as u32,
            function: 1,
            sums: CallSums {
                calls: number[3],
                primitive: number[4],
                own: number[5],
                total: number[6],
                primitive_from: number[7],
                total_from: number[2],
            },
        })
    },
    |number| {
        Record::Operator(Operator {
            ticks: at(number[0]),
            thread: thread(number[1]),
            name: 1,
            self_ns: number[2],
            total_ns: number[3],
        })
    },
    |number| {
        Record::DeviceWork(DeviceWork {
            ticks: at(number[0]),
            duration_ns: number[1],
            name: 1,
            kind: DeviceWorkKind::default(),
            device: 0,
            stream: number[2],
            launched: (at(number[3]), thread(number[4])),
        })
    },
    |number| {
        Record::DeviceSpan(DeviceSpan {
            path: path(number[0]),
            start: at(number[1]),
            duration: number[2] >> 2,
            track: track(number[3]),
            device: 0,
            stream: number[4],
            continues: number[5].is_multiple_of(5),
            times: Ok(DeviceTimes {
                duration_ns: number[6],
                launch_bound: number[7].is_multiple_of(2),
                place: Some(DevicePlace {
                    lag_ns: number[5],
                    tail_least_ns: number[4],
                    tail_most_ns: number[3],
                }),
            }),
        })
    },
    |number| {
        Record::DeviceMemory(DeviceMemorySpan {
            path: path(number[0]),
            start: at(number[1]),
            track: track(number[2]),
            device: 0,
            memory: DeviceMemory {
                net_bytes: number[3].cast_signed(),
                peak_least_bytes: number[4],
                peak_most_bytes: number[5],
                reserved_net_bytes: number[6].cast_signed(),
                reserved_peak_bytes: Some(number[7]),
            },
        })
    },
    |number| {
        let mut readings = DeviceReadings::default();
        for (index, reading) in DeviceReading::ALL.into_iter().enumerate() {
            readings.set(reading, number[1 + index % 7]);
        }
        Record::DeviceSample(DeviceSample {
            ticks: at(number[0]),
            device: 0,
            readings,
        })
    },
];

fn path(number: u64) -> PathId {
    PathId(2 + (number % 3) as u32)
}

fn track(number: u64) -> u32 {
    MAIN + (number % 2) as u32
}

fn thread(number: u64) -> u64 {
    40 + number % 2
}

/// Mostly in the run, else anywhere.
fn at(number: u64) -> u64 {
    match number % 8 {
        0 => number,
        _ => EPOCH_NS + number % (1_000 * MS),
    }
}

fn span(number: &Numbers) -> Span {
    Span {
        flags: SpanFlags(number[3] % (1 << 18)),
        process_ns: Some(number[4]),
        thread_ns: Some(number[5]),
        wall: Some(number[6]),
        memory: Some(SpanMemory {
            net_bytes: number[4].cast_signed(),
            peak_bytes: number[5],
        }),
        work: SpanWork {
            flop: Some(wide(number[6])),
            bytes: Some(wide(number[7])),
        },
        ..Span::plain(path(number[0]), at(number[1]), number[2], track(number[7]))
    }
}

fn wide(number: u64) -> u128 {
    u128::from(number) << (number % 65)
}

fn tally(number: &Numbers) -> CostTally {
    CostTally {
        counted: number[2],
        zero: number[3],
        uncounted: number[4],
        cost: Cost {
            mac: wide(number[5]),
            active_mac: wide(number[6]),
            executed_mac: wide(number[7]),
            other_flop: wide(number[2]),
            integer_op: wide(number[3]),
            transcendental: wide(number[4]),
            compare: wide(number[5]),
            bytes_read: wide(number[6]),
            bytes_written: wide(number[7]),
            communication_bytes: wide(number[2]),
        },
    }
}

/// At the ends of what there is, or of what a double tells apart.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![
        3 => 0..1_000 * MS,
        1 => any::<u64>(),
        3 => prop::sample::select(vec![
            0,
            1,
            u64::MAX,
            u64::MAX - 1,
            i64::MAX as u64,
            i64::MIN.cast_unsigned(),
            1 << 53,
            f64::INFINITY.to_bits(),
            f64::NEG_INFINITY.to_bits(),
            f64::NAN.to_bits(),
            f64::MAX.to_bits(),
            f64::MIN_POSITIVE.to_bits(),
        ]),
    ]
}

/// What names what the records speak of.
const NAMES: &[Record<'static>] = &[
    Record::Path {
        id: PathId(2),
        parent: PathId::ROOT,
        name: "step",
    },
    Record::Path {
        id: PathId(3),
        parent: PathId(2),
        name: "forward",
    },
    Record::Path {
        id: PathId(4),
        parent: PathId::ROOT,
        name: "loss",
    },
    Record::OperatorName {
        id: 1,
        name: "aten::mm",
    },
    Record::Function {
        id: 1,
        name: "run",
        file: "a.py",
    },
    Record::Function {
        id: 2,
        name: "main",
        file: "a.py",
    },
    Record::CalledFunction(CalledFunction {
        id: 1,
        line: u32::MAX,
        name: "run",
        file: "a.py",
    }),
    Record::DeviceName {
        device: 0,
        uuid: "GPU-0",
        name: "H200",
    },
];

fn write(folder: &Path, records: &[(usize, Numbers)]) {
    fs::create_dir(folder).unwrap();
    let script = Script::new(7, 2_000 * MS);
    let header = WindowHeader {
        pid: 7,
        stream: 1,
        sequence: 0,
        boot: u64::from_le_bytes([7; 8]),
        anchor: anchor(0),
        lost: 0,
        track: MAIN,
    };
    let mut window = header.to_bytes().to_vec();
    let before = window.len();
    let mut cursor = Cursor {
        last: EPOCH_NS,
        track: MAIN,
    };
    for record in NAMES {
        encode(&mut window, &mut cursor, record);
    }
    for (kind, numbers) in records {
        encode(&mut window, &mut cursor, &KINDS[*kind](numbers));
    }
    assert!(window.len() < WINDOW_LEN);
    let written = window.len() - before;
    window[COMMITTED_OFFSET..][..4].copy_from_slice(&(written as u32).to_le_bytes());
    seal(&mut window, written);
    let mut bytes = script.prefix();
    bytes.resize(window_offset(0) as usize, 0);
    bytes.extend(window);
    fs::write(folder.join("7-ab.proc"), bytes).unwrap();
    let run = recording::run(1).to_json();
    fs::write(folder.join(laptime_core::RunInfo::FILE_NAME), run).unwrap();
}

const COMMANDS: &[&[&str]] = &[
    &["report", "a.lap"],
    &["report", "a.lap", "--by", "process"],
    &["report", "a.lap", "--functions"],
    &["report", "a.lap", "--kernels"],
    &["report", "a.lap", "--until", "loss < 0.1"],
    &["report", "a.lap", "-f", "markdown"],
    &["report", "a.lap", "-f", "json"],
    &["report", "a.lap", "-f", "csv"],
    &["report", "a.lap", "-f", "html"],
    &["compare", "a.lap", "b.lap", "--all"],
    &["compare", "a.lap", "b.lap", "-f", "json"],
    &["compare", "a.lap", "b.lap", "-f", "html"],
    &["export", "a.lap", "-f", "chrome"],
    &["export", "a.lap", "-f", "speedscope"],
    &["export", "a.lap", "-f", "collapsed"],
];

/// The same ones each time, so that what was found once is found again; `LAPTIME_TEST_EXTREMES=N` tries so many others.
fn tried() -> ProptestConfig {
    let wish = std::env::var("LAPTIME_TEST_EXTREMES");
    match wish.ok().and_then(|wish| wish.parse().ok()) {
        Some(cases) => ProptestConfig::with_cases(cases),
        None => ProptestConfig {
            rng_seed: RngSeed::Fixed(20_261_129),
            ..ProptestConfig::with_cases(24)
        },
    }
}

proptest! {
    #![proptest_config(tried())]
    #[test]
    fn no_number_of_a_recording_ends_a_command(
        of_a in vec((0..KINDS.len(), prop::array::uniform8(number())), 1..60),
        of_b in vec((0..KINDS.len(), prop::array::uniform8(number())), 1..60),
    ) {
        let place = Place::new();
        write(&place.path().join("a.lap"), &of_a);
        write(&place.path().join("b.lap"), &of_b);
        for command in COMMANDS {
            let output = place.command().args(*command).output().unwrap();
            let code = output.status.code();
            let said = String::from_utf8_lossy(&output.stderr);
            // Its checker asks what numbers say that a program can have; here they are beyond what is told apart.
            let is_judged = said.contains("contradicts itself");
            let has_ended = code.is_some_and(|code| code < 70);
            prop_assert!(has_ended || is_judged, "{command:?}: {code:?} {said}");
            prop_assert!(!said.contains("damaged"), "{command:?}: {said}");
            let written = String::from_utf8(output.stdout).unwrap();
            let whole = match *command.last().unwrap() {
                "json" | "chrome" | "speedscope" => vec![written.trim()],
                _ => vec![],
            };
            for one in whole.iter().filter(|one| !one.is_empty()) {
                let read = serde_json::from_str::<serde_json::Value>(one);
                prop_assert!(read.is_ok(), "{command:?}: {read:?}");
            }
        }
    }
}
