//! Spans of the recorder with their times on a fake device, from the lap to the recording and its report.

use std::path::Path;

use laptime_core::format::record::Record;
use laptime_core::{DeviceSpan, NoDeviceTime, PathId, PathTable, path};
use laptime_fakes::{Fake, GLOBAL};
use laptime_recorder::device::Stream;
use laptime_recorder::device::here::{self, Place};
use laptime_recorder::{
    Extra, LazySite, RecordOptions, emit_under, enter, exit, record, suspend_piece,
    time_on_devices_with,
};

use crate::own_process;
use crate::windows::each_window;

const MS: u64 = 1_000_000;

static STEP: LazySite = LazySite::new("step");
static FORWARD: LazySite = LazySite::new("forward");
static EVALUATION: LazySite = LazySite::new("evaluation");

#[test]
fn laps_have_the_times_of_their_device_nested_captured_and_still_running() {
    own_process::run(|| {
        let fake = Fake::new();
        fake.use_device(0);
        let stream = fake.stream();
        let folder = tempfile::tempdir().unwrap();
        let recording = record(&folder.path().join("a.lap"), &RecordOptions::default()).unwrap();

        lap(&STEP, || fake.work(stream, 9 * MS));
        fake.advance(9 * MS);
        time_on_devices_with(fake.path().as_os_str());
        lap(&STEP, || fake.work(stream, 8 * MS));
        fake.advance(8 * MS);
        {
            let place = Place {
                device: 0,
                stream: Stream(stream),
            };
            // SAFETY: a stream of the fake, which never ends.
            let _on = unsafe { here::on(place) };
            for _ in 0..3 {
                lap(&STEP, || {
                    fake.work(stream, MS);
                    lap(&FORWARD, || fake.work(stream, 5 * MS));
                    fake.work(stream, 2 * MS);
                });
                fake.advance(8 * MS);
            }
            // Before the device was there, and when it has told.
            evaluation(|| fake.work(stream, 4 * MS), || ());
            fake.advance(4 * MS);
            evaluation(
                || fake.work(stream, 3 * MS),
                || {
                    fake.advance(3 * MS);
                    lap(&STEP, || fake.work(stream, 8 * MS));
                    fake.advance(8 * MS);
                },
            );
            fake.begin_capture(stream, GLOBAL);
            lap(&FORWARD, || fake.work(stream, MS));
            assert!(fake.end_capture(stream));
            fake.take_log();
            lap(&STEP, || fake.work(stream, 60_000 * MS));
        }
        let waits = |call: &String| call.contains("Synchronize") || call.contains("CtxCreate");
        assert!(!fake.take_log().iter().any(waits));
        let path = recording.finish().unwrap();

        let told = told(&path);
        let times = |name: &str| -> Vec<_> {
            let named = told.iter().filter(|(path, _)| path == name);
            named
                .map(|(_, span)| span.times.map(|times| times.duration_ns))
                .collect()
        };
        let steps = [
            Ok(8 * MS),
            Ok(8 * MS),
            Ok(8 * MS),
            Ok(8 * MS),
            Err(NoDeviceTime::StillRunning),
        ];
        assert_eq!(times("step"), steps);
        assert_eq!(times("step/forward"), [Ok(5 * MS); 3]);
        assert_eq!(times("evaluation"), [Ok(4 * MS), Ok(3 * MS)]);
        assert_eq!(times("evaluation/forward"), [Ok(4 * MS), Ok(3 * MS)]);
        assert_eq!(times("forward"), [Err(NoDeviceTime::Captured)]);
        assert!(told.iter().all(|(_, span)| span.stream == stream as u64));
    });
}

fn lap(site: &LazySite, work: impl FnOnce()) {
    let open = enter(site.get()).unwrap();
    work();
    exit(open).unwrap();
}

/// A span that is taken off the stack, and turns out to be two of the same times.
fn evaluation(work: impl FnOnce(), meanwhile: impl FnOnce()) {
    let open = enter(FORWARD.get()).unwrap();
    work();
    let (_, start) = open.to_raw();
    let piece = suspend_piece(open).unwrap();
    meanwhile();
    let forward = Extra {
        device_time: piece.device_time,
        ..Extra::default()
    };
    let around = Extra {
        shares_device_time: true,
        ..forward
    };
    let parent = emit_under(PathId::ROOT, EVALUATION.get(), start, piece.ticks, around);
    emit_under(parent, FORWARD.get(), start, piece.ticks, forward);
}

/// What the devices told, by path, in the order of the spans.
fn told(recording: &Path) -> Vec<(String, DeviceSpan)> {
    let (mut told, mut paths) = (Vec::new(), PathTable::new());
    each_window(recording, |_, window| {
        let each = window.for_each(|record| match record {
            Record::Path { id, parent, name } => assert!(paths.define(id, parent, name)),
            Record::DeviceSpan(span) => told.push((path::join(paths.names(span.path)), span)),
            _ => {}
        });
        each.unwrap();
    });
    told.sort_by_key(|(_, span)| span.start);
    told
}
