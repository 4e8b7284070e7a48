//! Well-formed inputs to start from: one of every record, header and document.

use std::io::Cursor;

use laptime_core::format::process::{BLACK_BOX_OFFSET, ProcessHeader, window_offset};
use laptime_core::format::record::{Record, encode};
use laptime_core::format::window::{COMMITTED_OFFSET, HEADER_LEN, WINDOW_LEN, WindowHeader, seal};
use laptime_core::run::FORMAT_VERSION;
use laptime_core::{
    Anchor, ClockKind, DeviceMemory, DeviceMemorySpan, DevicePlace, DeviceReading, DeviceReadings,
    DeviceSample, DeviceSpan, DeviceTimes, DeviceWork, DeviceWorkKind, Holds, InputSizes,
    NoDeviceTime, Operator, PathId, PrivateMemory, ProgramEnd, RunInfo, Span, SpanFlags,
};
use laptime_ops::Formulas;
use laptime_report::json::operations;
use laptime_report::tables::operations::Subject;

use crate::stack_seeds;

/// The seeds of one reader, by its name.
pub fn of(reader: &str) -> Vec<Vec<u8>> {
    match reader {
        "process" => vec![process()],
        "window" => vec![window(true), window(false)],
        "records" => vec![records(), stack_seeds::written(), stack_seeds::recorded()],
        "summary" => vec![
            records(),
            deep_records(),
            stack_seeds::written(),
            stack_seeds::recorded(),
        ],
        "run" => vec![run()],
        "onnx" => vec![onnx_layers(), onnx_control()],
        "counts" => vec![counts()],
        _ => vec![],
    }
}

/// Records of paths nested deeper than a reader tells apart.
fn deep_records() -> Vec<u8> {
    let bytes = crate::hostile::chain(4_000);
    let first = window_offset(0) as usize + HEADER_LEN;
    bytes[first..bytes.len().min(first + WINDOW_LEN - HEADER_LEN)].to_vec()
}

/// An ONNX file of layers: sizes open and computed, a weight, a function, attention.
fn onnx_layers() -> Vec<u8> {
    use crate::onnx_file as file;
    let call = file::domain("own");
    let heads = [file::int("q_num_heads", 2), file::int("kv_num_heads", 1)];
    let body = [file::node_message(
        "Gemm",
        "a w",
        "b",
        &[file::reference("transB", "turn")],
    )];
    let graph = [
        file::input("x", 1, &[file::Size::Named("batch"), file::Size::Is(8)]),
        file::weight("w", &[8, 8]),
        file::row("zero", &[0]),
        file::row("rest", &[2, -1]),
        file::node(
            "Layer",
            "x w",
            "h",
            &[call, file::int("turn", 1), file::name("/a/a.0/L")],
        ),
        file::node("Shape", "h", "s", &[]),
        file::node("Gather", "s zero", "b", &[]),
        file::node("Concat", "b rest", "t", &[file::int("axis", 0)]),
        file::node("Reshape", "h t", "q", &[]),
        file::node("Transpose", "q", "k", &[file::ints("perm", &[0, 2, 1])]),
        file::node("Attention", "q q q", "y", &heads),
        file::node(
            "Einsum",
            "y y",
            "z",
            &[file::text("equation", "...ij,...kj->...ik")],
        ),
        file::output("z"),
    ];
    file::model(&graph, &[file::function("Layer", "a w", "b", &body)])
}

/// The counts of that file, as JSON.
fn counts() -> Vec<u8> {
    let file = Cursor::new(onnx_layers());
    let dims = [("batch".to_owned(), 3)];
    let counts = laptime_onnx::count(file, &dims, Formulas::standard()).expect("a good file");
    let subject = Subject {
        name: "layers".to_owned(),
        inputs: vec![Subject::input("x", &[3, 8], "float32")],
        how: "from shapes".to_owned(),
    };
    operations::render(&counts, &subject, None)
        .into_string()
        .into_bytes()
}

/// An ONNX file of branches and loops.
fn onnx_control() -> Vec<u8> {
    use crate::onnx_file as file;
    let square = |of: &str, gives: &str| file::node("MatMul", &format!("{of} w"), gives, &[]);
    let round = [
        file::input("i", 7, &[]),
        file::input("on", 9, &[]),
        file::input("state", 1, &[file::Size::Open, file::Size::Is(4)]),
        square("state", "left"),
        file::node("Concat", "state row", "next", &[file::int("axis", 0)]),
        file::output("true"),
        file::output("next"),
        file::output("left"),
    ];
    let step = [
        file::floats("sum", &[4, 4]),
        file::floats("each", &[4]),
        file::node("Add", "sum each", "more", &[]),
        file::output("more"),
    ];
    let ways = [
        file::body("then_branch", &[square("sum", "a"), file::output("a")]),
        file::body("else_branch", &[square("x", "b"), file::output("b")]),
    ];
    let graph = [
        file::floats("x", &[4, 4]),
        file::weight("w", &[4, 4]),
        file::weight("row", &[1, 4]),
        file::scalar("three", 7, 3),
        file::scalar("true", 9, 1),
        file::input("is", 9, &[]),
        file::node("Loop", "three true x", "y z", &[file::body("body", &round)]),
        file::node(
            "Scan",
            "x y",
            "sum",
            &[file::int("num_scan_inputs", 1), file::body("body", &step)],
        ),
        file::node("If", "is", "end", &ways),
        file::output("end"),
    ];
    file::model(&graph, &[])
}

const ANCHOR: Anchor = Anchor {
    ticks: 1 << 40,
    monotonic_ns: 2_000_000_000,
    realtime_ns: 1_700_000_000_000_000_000,
    boottime_ns: 3_000_000_000,
};

/// A header of a process that was killed with two spans open; only as much of the black box
/// as that takes.
pub fn process() -> Vec<u8> {
    let header = ProcessHeader {
        clock: ClockKind::Tsc,
        pid: 4_242,
        parent_pid: 4_000,
        main_track: 1,
        boot_id: *b"0123456789abcdef",
        nominal_ns_per_tick: 0.43,
        anchor: ANCHOR,
        process_started_boottime_ns: Some(2_990_000_000),
        program: "train.py".into(),
        lost: 3,
        clamped: 1,
        closed: None,
        loss_reason: Some(28),
        length: None,
    };
    let mut bytes = header.to_bytes();
    let mut place = BLACK_BOX_OFFSET;
    for (word, value) in [3_u32, 1, 0, 0].into_iter().enumerate() {
        bytes[place + 4 * word..][..4].copy_from_slice(&value.to_le_bytes());
    }
    for (path, start) in [(0_u32, 0_u64), (2, 5_000), (3, 6_000)] {
        place += 16;
        bytes[place..place + 4].copy_from_slice(&path.to_le_bytes());
        bytes[place + 8..place + 16].copy_from_slice(&start.to_le_bytes());
    }
    bytes.truncate(BLACK_BOX_OFFSET + 1_024);
    bytes
}

/// The header of the first window of that process.
pub fn window_header() -> WindowHeader {
    WindowHeader {
        pid: 4_242,
        stream: 1,
        sequence: 0,
        boot: 7,
        anchor: ANCHOR,
        lost: 0,
        track: 1,
    }
}

/// A window with every kind of record, sealed or still open.
fn window(sealed: bool) -> Vec<u8> {
    let records = records();
    let mut bytes = window_header().to_bytes().to_vec();
    bytes.extend_from_slice(&records);
    bytes[COMMITTED_OFFSET..][..4].copy_from_slice(&(records.len() as u32).to_le_bytes());
    if sealed {
        seal(&mut bytes, records.len());
    }
    debug_assert_eq!(bytes.len(), HEADER_LEN + records.len());
    bytes
}

/// A span on the device of the path that [`records`] defines.
fn device_span(times: Result<DeviceTimes, NoDeviceTime>) -> Record<'static> {
    Record::DeviceSpan(DeviceSpan {
        path: PathId(3),
        start: (1 << 40) + 40,
        duration: 300,
        track: 1,
        device: 0,
        stream: 7,
        continues: times.is_err(),
        times,
    })
}

/// What a device told, each number another one.
fn device_sample() -> Record<'static> {
    let mut readings = DeviceReadings::default();
    for reading in DeviceReading::ALL {
        readings.set(reading, 7 + 300 * reading as u64);
    }
    Record::DeviceSample(DeviceSample {
        ticks: (1 << 40) + 60,
        device: 0,
        readings,
    })
}

/// One of every record.
fn records() -> Vec<u8> {
    let start = 1_u64 << 40;
    let plain = |path, at, duration, track| Span::plain(PathId(path), at, duration, track);
    let all = [
        Record::TrackName {
            track: 1,
            is_task: false,
            thread: 4_242,
            name: "MainThread",
        },
        Record::Path {
            id: PathId(2),
            parent: PathId::ROOT,
            name: "step",
        },
        Record::Path {
            id: PathId(3),
            parent: PathId(2),
            name: "forward/\n\u{1b}[31m",
        },
        Record::Span(plain(3, start + 10, 20, 1)),
        Record::Span(plain(3, start + 40, 300, 1)),
        Record::Span(plain(2, start + 5, 400, 1)),
        Record::Span(plain(3, start + 1_000, 70_000, 2)),
        Record::Span(Span {
            flags: SpanFlags::CONTINUES,
            ..plain(2, start + 80_000, 5, 1)
        }),
        Record::Span(Span {
            flags: SpanFlags::PROCESS_TIME
                .with(SpanFlags::THREAD_TIME)
                .with(SpanFlags::SUSPENDED),
            process_ns: Some(9),
            thread_ns: Some(8),
            wall: Some(900),
            ..plain(2, start + 90_000, 500, 1)
        }),
        Record::Mark {
            path: PathId(3),
            ticks: start + 100_000,
            track: 1,
        },
        Record::Metric {
            path: PathId(2),
            ticks: start + 100_001,
            value: f64::NAN,
            track: 1,
        },
        Record::Anchor(ANCHOR),
        Record::Sample {
            ticks: start + 100_002,
            resident_bytes: 1 << 30,
            private: Some(PrivateMemory {
                resident_bytes: 1 << 29,
                reserved_bytes: 1 << 31,
            }),
        },
        Record::InputSizes(InputSizes {
            ticks: start + 100_002,
            track: 1,
            tensor: 0,
            holds: Holds::Integers,
            sizes: [1, 12].into_iter().collect(),
        }),
        Record::Delay {
            ticks: start + 100_003,
            thread: 4_242,
            delayed_ns: 3_000_000,
        },
        Record::Processors {
            ticks: start + 100_004,
            busy_ns: 5_000_000_000,
            stolen_ns: 10_000_000,
        },
        Record::OperatorName {
            id: 1,
            name: "aten::addmm",
        },
        Record::Operator(Operator {
            ticks: start + 12,
            thread: 4_242,
            name: 1,
            self_ns: 3,
            total_ns: 7,
        }),
        Record::DeviceWork(DeviceWork {
            ticks: start + 20,
            duration_ns: 100,
            name: 1,
            kind: DeviceWorkKind::Copy,
            device: 0,
            stream: 7,
            launched: (start + 12, 4_242),
        }),
        device_span(Ok(DeviceTimes {
            duration_ns: 1_200,
            launch_bound: true,
            place: Some(DevicePlace {
                lag_ns: 20,
                tail_least_ns: 3,
                tail_most_ns: 9,
            }),
        })),
        device_span(Err(NoDeviceTime::Captured)),
        Record::DeviceMemory(DeviceMemorySpan {
            path: PathId(3),
            start: start + 40,
            track: 1,
            device: 0,
            memory: DeviceMemory {
                net_bytes: -512,
                peak_least_bytes: 2_048,
                peak_most_bytes: 4_096,
                reserved_net_bytes: 2 << 20,
                reserved_peak_bytes: Some(20 << 20),
            },
        }),
        Record::DeviceName {
            device: 0,
            uuid: "GPU-fafafafa-fafa-fafa-fafa-fafafafafa00",
            name: "Fake GPU 0",
        },
        device_sample(),
        Record::DeviceLacks {
            device: 0,
            reading: DeviceReading::Energy as u64,
            why: "the GPU does not tell it",
        },
        Record::Note {
            code: "device-active",
            message: "torch used cuda:0",
        },
    ];
    let mut bytes = Vec::new();
    let mut cursor = laptime_core::format::record::Cursor {
        last: start,
        track: 1,
    };
    for record in &all {
        encode(&mut bytes, &mut cursor, record);
    }
    bytes
}

fn run() -> Vec<u8> {
    let info = RunInfo {
        format: FORMAT_VERSION,
        laptime: "0.1.0".into(),
        program: "train.py".into(),
        started_monotonic_ns: 5,
        started_realtime_ns: 6,
        boot_id: "b".into(),
        pid: Some(7),
        keeper: None,
        end: Some(ProgramEnd {
            monotonic_ns: 8,
            code: Some(3),
            signal: None,
        }),
        unrecorded: vec!["python3.9".into()],
        processes: None,
    };
    info.to_json()
}
