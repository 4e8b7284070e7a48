//! The last laps of a program whose driver shuts down as it exits: they are timed, or counted as lost.
//!
//! Each program is in a process of its own, which is told where to record.

use std::collections::BTreeMap;
use std::path::PathBuf;

use laptime_core::NoDeviceTime;
use laptime_core::format::record::Record;
use laptime_fakes::Fake;
use laptime_recorder::device::Stream;
use laptime_recorder::device::here::{self, Place};
use laptime_recorder::{
    LazySite, RecordOptions, Recording, catch_up_at_exit, enter, exit, record, time_on_devices_with,
};

use crate::own_process::{self, name_of};
use crate::windows::each_window;

const MS: u64 = 1_000_000;
const PATH: &str = "DEVICE_EXIT_PATH";

static STEP: LazySite = LazySite::new("step");

/// What a recording has of devices.
#[derive(Debug, Default)]
struct Told {
    /// By the start of their laps.
    times: BTreeMap<u64, Result<u64, NoDeviceTime>>,
    notes: Vec<String>,
}

impl Told {
    fn times(&self) -> Vec<Result<u64, NoDeviceTime>> {
        self.times.values().copied().collect()
    }
}

/// What is in the recording of one of the programs below.
fn recorded_by(program: impl Fn()) -> Told {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("exit.lap");
    let mut process = own_process::command(name_of(&program));
    process.env(PATH, &path);
    own_process::check(process);
    let mut told = Told::default();
    each_window(&path, |_, window| {
        let each = window.for_each(|record| match record {
            Record::DeviceSpan(span) => {
                let ns = span.times.map(|times| times.duration_ns);
                told.times.insert(span.start, ns);
            }
            Record::Note { code, message } if code.starts_with("device.") => {
                told.notes.push(message.to_owned());
            }
            _ => {}
        });
        each.unwrap();
    });
    told
}

/// A program that began to record, with a device whose driver shuts down at exit.
fn begun() -> (Fake, usize, Recording) {
    let recording = record(
        &PathBuf::from(std::env::var_os(PATH).unwrap()),
        &RecordOptions::default(),
    );
    let fake = Fake::new();
    fake.use_device(0);
    fake.shut_down_at_exit();
    let stream = fake.stream();
    time_on_devices_with(fake.path().as_os_str());
    (fake, stream, recording.unwrap())
}

/// Laps of 5 ms on the device. Nobody asks about the last one when they are over.
fn steps(fake: &Fake, stream: usize, count: usize) {
    let place = Place {
        device: 0,
        stream: Stream(stream),
    };
    // SAFETY: a stream of the fake, which never ends.
    let _on = unsafe { here::on(place) };
    for _ in 0..count {
        let open = enter(STEP.get()).unwrap();
        fake.work(stream, 5 * MS);
        exit(open).unwrap();
    }
}

#[test]
fn a_recording_that_ends_before_the_program_has_the_last_lap() {
    let told = recorded_by(program_drops_its_recording);
    assert_eq!(told.times(), [Ok(5 * MS); 3]);
    assert!(told.notes.is_empty(), "{:?}", told.notes);
}

#[test]
#[ignore = "a program of its own"]
fn program_drops_its_recording() {
    let (fake, stream, recording) = begun();
    steps(&fake, stream, 3);
    fake.advance(20 * MS);
    drop(recording);
}

#[test]
fn a_recording_that_ends_with_the_program_has_the_last_lap() {
    let told = recorded_by(program_leaves_its_recording);
    assert_eq!(told.times(), [Ok(5 * MS); 3]);
    assert!(told.notes.is_empty(), "{:?}", told.notes);
}

#[test]
#[ignore = "a program of its own"]
fn program_leaves_its_recording() {
    let (fake, stream, recording) = begun();
    steps(&fake, stream, 3);
    fake.advance(20 * MS);
    std::mem::forget(recording);
}

#[test]
fn a_device_that_does_not_end_is_waited_for_once_and_told_as_running() {
    let told = recorded_by(program_leaves_its_device_running);
    let running = Err(NoDeviceTime::StillRunning);
    assert_eq!(told.times(), [running; 3]);
    assert!(told.notes.is_empty(), "{:?}", told.notes);
}

#[test]
#[ignore = "a program of its own"]
fn program_leaves_its_device_running() {
    let (fake, stream, recording) = begun();
    steps(&fake, stream, 2);
    catch_up_at_exit();
    steps(&fake, stream, 1);
    std::mem::forget(recording);
}

#[test]
fn what_a_driver_takes_along_is_counted_and_so_are_no_laps_that_were_timed() {
    let told = recorded_by(program_outlives_its_driver);
    assert_eq!(
        told.times(),
        [Ok(5 * MS), Err(NoDeviceTime::Gone), Err(NoDeviceTime::Gone)]
    );
    let said = "the last 2 laps were not timed on the device: the NVIDIA driver had shut down";
    assert_eq!(told.notes, [said]);
}

#[test]
#[ignore = "a program of its own"]
fn program_outlives_its_driver() {
    let (fake, stream, recording) = begun();
    steps(&fake, stream, 1);
    fake.advance(5 * MS);
    catch_up_at_exit();
    steps(&fake, stream, 2);
    fake.fail_from_now(4);
    std::mem::forget(recording);
}
