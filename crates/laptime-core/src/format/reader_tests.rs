use super::*;
use crate::device_memory::{DeviceMemory, DeviceMemorySpan};
use crate::device_sample::{DeviceReading, DeviceReadings, DeviceSample};
use crate::device_span::{DevicePlace, DeviceSpan, DeviceTimes, NoDeviceTime};
use crate::format::record::{DEVICE_SPAN_MAX, encode, encode_device_span, with_payload};
use crate::format::varint::push;
use crate::input_sizes::{Holds, InputSizes};
use crate::memory::PrivateMemory;
use proptest::prelude::*;

const START: Cursor = Cursor {
    last: 1_000_000,
    track: 0,
};

fn read(bytes: &[u8]) -> (Vec<Record<'_>>, Option<FormatError>) {
    let mut reader = RecordReader::new(bytes, 0, START);
    let mut records = Vec::new();
    for record in &mut reader {
        match record {
            Ok(record) => records.push(record),
            Err(error) => return (records, Some(error)),
        }
    }
    (records, None)
}

fn span() -> impl Strategy<Value = Record<'static>> {
    let flags = prop_oneof![Just(0_u64), 0_u64..4_096];
    (
        2_u32..60_000,
        0_u64..1 << 55,
        any::<u32>(),
        flags,
        0_u32..4,
        any::<u32>(),
    )
        .prop_map(|(path, start, duration, flags, track, cpu)| {
            let flags = SpanFlags(flags);
            let carried = |flag, value| flags.has(flag).then_some(value);
            Record::Span(Span {
                path: PathId(path),
                start,
                duration: u64::from(duration),
                track,
                flags,
                process_ns: carried(SpanFlags::PROCESS_TIME, u64::from(cpu)),
                thread_ns: carried(SpanFlags::THREAD_TIME, 7),
                wall: carried(SpanFlags::SUSPENDED, u64::from(duration) * 2),
                memory: flags.has(SpanFlags::MEMORY).then_some(SpanMemory {
                    net_bytes: -i64::from(cpu) * 1_000,
                    peak_bytes: u64::from(duration),
                }),
                work: SpanWork {
                    flop: flags.has(SpanFlags::FLOP).then_some(u128::from(cpu) << 50),
                    bytes: flags.has(SpanFlags::BYTES).then_some(u128::from(track)),
                },
            })
        })
}
/// Sizes of memory and of tensors.
fn sizes() -> impl Strategy<Value = Record<'static>> {
    let sample = any::<(u64, Option<(u64, u64)>)>().prop_map(|(resident_bytes, private)| {
        let private = private.map(|(resident_bytes, reserved_bytes)| PrivateMemory {
            resident_bytes,
            reserved_bytes,
        });
        Record::Sample {
            ticks: 9,
            resident_bytes,
            private,
        }
    });
    let sizes = prop::collection::vec(any::<u32>(), 0..6);
    let input = (0_u32..4, 0_u64..4, sizes).prop_map(|(tensor, holds, sizes)| {
        Record::InputSizes(InputSizes {
            ticks: 7,
            track: tensor,
            tensor,
            holds: Holds::of_code(holds),
            sizes: sizes.into_iter().map(u64::from).collect(),
        })
    });
    prop_oneof![sample, input]
}

fn other() -> impl Strategy<Value = Record<'static>> {
    let ticks = any::<u64>();
    prop_oneof![
        (2_u32..60_000, 0_u32..60_000).prop_map(|(id, parent)| Record::Path {
            id: PathId(id),
            parent: PathId(parent),
            name: "a/b \u{1f600}\n",
        }),
        (any::<u32>(), ticks).prop_map(|(stretch, ticks)| Record::Ran { ticks, stretch }),
        (
            any::<u32>(),
            2_u32..60_000,
            any::<u64>(),
            any::<[u128; 10]>()
        )
            .prop_map(|(stretch, path, calls, costs)| {
                Record::Operations(StretchOperations {
                    stretch,
                    path: PathId(path),
                    tally: CostTally {
                        counted: calls,
                        zero: calls / 3,
                        uncounted: calls / 7,
                        cost: Cost::from_columns(costs),
                    },
                    device: "cuda:0",
                    dtype: "bfloat16",
                })
            }),
        (2_u32..60_000, ticks, 0_u32..4).prop_map(|(path, ticks, track)| Record::Mark {
            path: PathId(path),
            ticks,
            track
        }),
        (2_u32..60_000, any::<i32>(), 0_u32..4).prop_map(|(path, value, track)| Record::Metric {
            path: PathId(path),
            ticks: 5,
            value: f64::from(value) / 3.0,
            track
        }),
        any::<u64>().prop_map(|ticks| Record::Anchor(Anchor {
            ticks,
            monotonic_ns: 1,
            realtime_ns: u64::MAX,
            boottime_ns: 3
        })),
        sizes(),
        (ticks, any::<u64>(), any::<u64>()).prop_map(|(ticks, thread, delayed_ns)| {
            Record::Delay {
                ticks,
                thread,
                delayed_ns,
            }
        }),
        (ticks, any::<u64>(), any::<u64>()).prop_map(|(ticks, busy_ns, stolen_ns)| {
            Record::Processors {
                ticks,
                busy_ns,
                stolen_ns,
            }
        }),
        any::<i64>().prop_map(|bytes| Record::Memory {
            ticks: 9,
            memory: ProcessMemory {
                bytes,
                peak_bytes: bytes.unsigned_abs(),
            },
        }),
        Just(Record::TrackName {
            track: 3,
            is_task: true,
            thread: 99,
            name: "worker"
        }),
        (2_u32..60_000, any::<u32>()).prop_map(|(path, depth)| Record::Module {
            path: PathId(path),
            depth,
            class: "Conv2d"
        }),
        Just(Record::Note {
            code: "device-active",
            message: "torch used cuda:0"
        }),
    ]
}

fn device() -> impl Strategy<Value = Record<'static>> {
    prop_oneof![
        any::<(u64, u32, [Option<u64>; 10])>().prop_map(|(ticks, device, told)| {
            let mut readings = DeviceReadings::default();
            for (reading, value) in DeviceReading::ALL.into_iter().zip(told) {
                if let Some(value) = value {
                    readings.set(reading, value);
                }
            }
            Record::DeviceSample(DeviceSample {
                ticks,
                device,
                readings,
            })
        }),
        any::<u32>().prop_map(|device| Record::DeviceName {
            device,
            uuid: "GPU-fafafafa-fafa",
            name: "Fake GPU\n",
        }),
        any::<(u32, u64)>().prop_map(|(device, reading)| Record::DeviceLacks {
            device,
            reading,
            why: "the GPU does not tell it",
        }),
    ]
}

fn span_on_device() -> impl Strategy<Value = Record<'static>> {
    prop_oneof![
        (
            1_u32..60_000,
            any::<[u64; 3]>(),
            any::<[i64; 2]>(),
            any::<(u32, Option<u32>)>()
        )
            .prop_map(|(path, numbers, nets, (device, reserved))| {
                let [start, peak_least_bytes, peak_most_bytes] = numbers;
                Record::DeviceMemory(DeviceMemorySpan {
                    path: PathId(path),
                    start,
                    track: 1,
                    device,
                    memory: DeviceMemory {
                        net_bytes: nets[0],
                        peak_least_bytes,
                        peak_most_bytes,
                        reserved_net_bytes: nets[1],
                        reserved_peak_bytes: reserved.map(u64::from),
                    },
                })
            }),
        (1_u32..60_000, any::<[u64; 6]>(), any::<u32>(), 0_u64..12).prop_map(
            |(path, numbers, device, told)| {
                let [start, duration, stream, ns, lag_ns, tail_least_ns] = numbers;
                let place = (told & 1 != 0).then_some(DevicePlace {
                    lag_ns,
                    tail_least_ns,
                    tail_most_ns: lag_ns ^ tail_least_ns,
                });
                let times = DeviceTimes {
                    duration_ns: ns,
                    launch_bound: told & 2 != 0,
                    place,
                };
                Record::DeviceSpan(DeviceSpan {
                    path: PathId(path),
                    start,
                    duration,
                    track: 1,
                    device,
                    stream,
                    continues: told % 3 == 0,
                    times: if told < 4 {
                        Ok(times)
                    } else {
                        Err(NoDeviceTime::of(told - 4))
                    },
                })
            },
        ),
    ]
}

fn runner() -> impl Strategy<Value = Runner> {
    let task = |(track, path)| Runner::Task {
        track,
        path: PathId(path),
    };
    prop_oneof![
        Just(Runner::Unknown),
        Just(Runner::Thread),
        (any::<u32>(), 0_u32..60_000).prop_map(task),
    ]
}

fn stack() -> impl Strategy<Value = Record<'static>> {
    let ticks = any::<u64>();
    prop_oneof![
        any::<u32>().prop_map(|id| Record::Function {
            id,
            name: "Digits.__getitem__",
            file: "/home/me/data loader.py"
        }),
        any::<[u32; 4]>().prop_map(|[id, parent, function, line]| {
            Record::Frame(StackFrame {
                id,
                parent,
                function,
                line,
            })
        }),
        (
            ticks,
            any::<u64>(),
            any::<u32>(),
            any::<[bool; 3]>(),
            runner()
        )
            .prop_map(
                |(ticks, thread, frame, [is_running, has_interpreter, in_same_turn], runner)| {
                    Record::Stack(SampledStack {
                        ticks,
                        thread,
                        frame,
                        is_running,
                        has_interpreter,
                        in_same_turn,
                        others_ready: has_interpreter != in_same_turn,
                        runner,
                        within_ns: thread / 3,
                        stands_for_ns: thread,
                    })
                }
            ),
        any::<[u32; 2]>().prop_map(|[id, line]| {
            Record::CalledFunction(CalledFunction {
                id,
                line,
                name: "<method 'append' of 'list' objects>",
                file: "~",
            })
        }),
        (
            0_u32..60_000,
            any::<u64>(),
            any::<[u32; 2]>(),
            any::<[u64; 6]>()
        )
            .prop_map(|(path, thread, [caller, function], sums)| {
                let [calls, primitive, own, total, primitive_from, total_from] = sums;
                Record::Calls(FunctionCalls {
                    path: PathId(path),
                    thread,
                    caller,
                    function,
                    sums: CallSums {
                        calls,
                        primitive,
                        own,
                        total,
                        primitive_from,
                        total_from,
                    },
                })
            }),
        any::<u32>().prop_map(|id| Record::OperatorName {
            id,
            name: "aten::μ\n",
        }),
        any::<([u64; 4], u32)>().prop_map(|([ticks, thread, self_ns, total_ns], name)| {
            Record::Operator(Operator {
                ticks,
                thread,
                name,
                self_ns,
                total_ns,
            })
        }),
        any::<([u64; 5], [u32; 2])>().prop_map(|(numbers, [name, device])| {
            let [ticks, duration_ns, stream, launched, thread] = numbers;
            Record::DeviceWork(DeviceWork {
                ticks,
                duration_ns,
                name,
                kind: DeviceWorkKind::of(duration_ns % 3),
                device,
                stream,
                launched: (launched, thread),
            })
        }),
    ]
}

proptest! {
    #[test]
    fn what_is_encoded_is_read(records in proptest::collection::vec(prop_oneof![span(), other(), stack(), device(), span_on_device()], 0..60)) {
        let (mut bytes, mut cursor) = (Vec::new(), START);
        for record in &records {
            encode(&mut bytes, &mut cursor, record);
        }
        let (found, error) = read(&bytes);
        prop_assert_eq!(error, None);
        prop_assert_eq!(found, records);
    }

    #[test]
    fn a_cut_returns_the_exact_prefix(records in proptest::collection::vec(prop_oneof![span(), other(), stack(), device(), span_on_device()], 1..12)) {
        let (mut bytes, mut cursor, mut ends) = (Vec::new(), START, Vec::new());
        for record in &records {
            encode(&mut bytes, &mut cursor, record);
            ends.push(bytes.len());
        }
        for cut in 0..bytes.len() {
            let whole = ends.iter().filter(|end| **end <= cut).count();
            let (found, _) = read(&bytes[..cut]);
            prop_assert_eq!(found.as_slice(), &records[..whole]);
        }
    }

    #[test]
    fn hostile_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(&bytes);
    }
}

#[test]
fn unknown_kinds_are_skipped_by_their_length() {
    let mut bytes = Vec::new();
    push_raw(&mut bytes, 4_000, b"from the future");
    let mut cursor = START;
    let mark = Record::Mark {
        path: PathId(5),
        ticks: 1,
        track: 0,
    };
    encode(&mut bytes, &mut cursor, &mark);
    push_raw(&mut bytes, 4_000, b"");
    assert_eq!(read(&bytes), (vec![mark], None));
}

#[test]
fn an_error_names_the_offset_of_its_record() {
    let mut bytes = Vec::new();
    let mut cursor = START;
    encode(
        &mut bytes,
        &mut cursor,
        &Record::Span(Span::plain(PathId(2), 1_000_100, 50, 0)),
    );
    let offset = bytes.len() as u64;
    bytes.push(1); // the plain span of path 0, the root
    assert_eq!(
        read(&bytes).1,
        Some(FormatError::Record {
            offset,
            what: "a path number out of range"
        })
    );
}

/// Collects what `visit` hands over, as records.
#[derive(Default)]
struct Seen<'a>(Vec<Record<'a>>);

impl<'a> Visit<'a> for Seen<'a> {
    fn plain_span(&mut self, path: PathId, start: u64, duration: u64, track: u32) {
        self.0
            .push(Record::Span(Span::plain(path, start, duration, track)));
    }
    fn other(&mut self, record: Record<'a>) {
        self.0.push(record);
    }
}

proptest! {
    #[test]
    fn the_time_of_a_span_on_a_device_has_one_encoding(record in span_on_device()) {
        if let Record::DeviceSpan(span) = record {
            let mut cursor = Cursor { track: span.track, ..START };
            let mut room = [0; DEVICE_SPAN_MAX];
            let length = encode_device_span(&mut room, &cursor, &span);
            let mut bytes = Vec::new();
            encode(&mut bytes, &mut cursor, &record);
            prop_assert_eq!(&room[..length], bytes);
        }
    }

    #[test]
    fn visiting_is_iterating(records in proptest::collection::vec(prop_oneof![span(), other(), stack(), device(), span_on_device()], 0..60), cut in 0_usize..40) {
        let (mut bytes, mut cursor) = (Vec::new(), START);
        for record in &records {
            encode(&mut bytes, &mut cursor, record);
        }
        bytes.truncate(bytes.len().saturating_sub(cut));
        let (expected, error) = read(&bytes);
        let mut seen = Seen::default();
        let result = RecordReader::new(&bytes, 0, START).visit(&mut seen);
        prop_assert_eq!(seen.0, expected);
        prop_assert_eq!(result.err(), error);
    }
}

#[test]
fn a_sample_of_an_older_file_does_not_say_what_was_allocated() {
    let mut bytes = Vec::new();
    with_payload(&mut bytes, |payload| {
        push(payload, 0);
        push(payload, 4_096);
        SAMPLE
    });
    let sample = Record::Sample {
        ticks: START.last,
        resident_bytes: 4_096,
        private: None,
    };
    assert_eq!(read(&bytes), (vec![sample], None));
}

#[test]
fn a_stack_of_an_older_file_does_not_say_who_ran() {
    let mut payload = Vec::new();
    for number in [0, 77, 3, 1, 200, 10_000] {
        push(&mut payload, number);
    }
    let mut bytes = Vec::new();
    push_raw(&mut bytes, STACK, &payload);
    let (records, error) = read(&bytes);
    let Some(Record::Stack(stack)) = records.first() else {
        panic!("{records:?}, {error:?}");
    };
    assert_eq!((stack.thread, stack.stands_for_ns), (77, 10_000));
    assert_eq!(stack.runner, Runner::Unknown);
}

fn push_raw(out: &mut Vec<u8>, kind: u64, payload: &[u8]) {
    with_payload(out, |out| {
        out.extend_from_slice(payload);
        kind
    });
}
