use laptime_core::format::record::Record;
use laptime_core::{DeviceSpan, DeviceTimes, NoDeviceTime, SpanWork};

use crate::summary::doubt::{DeviceDoubt, Doubt, UntimedSpans};
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{EPOCH_NS, MAIN, MS, Script};
use crate::{Options, Summary};

/// Adds a lap that ran 1 ms on the host, with its device's answer.
fn lap(script: &mut Script, at_ns: u64, times: Result<u64, NoDeviceTime>) {
    script.span(&["work"], at_ns, MS);
    device_span(script, at_ns, times);
}

fn device_span(script: &mut Script, at_ns: u64, times: Result<u64, NoDeviceTime>) {
    let path = script.path(&["work"]);
    script.observed(Record::DeviceSpan(DeviceSpan {
        path,
        start: EPOCH_NS + at_ns,
        duration: MS,
        track: MAIN,
        device: 0,
        stream: 7,
        continues: false,
        times: times.map(|duration_ns| DeviceTimes {
            duration_ns,
            launch_bound: duration_ns > 20 * MS,
            place: None,
        }),
    }));
}

fn summary(script: Script) -> Summary {
    summarize(&[script], Options::default())
}

#[test]
fn a_row_has_the_sum_of_what_the_device_told_and_of_how_many_spans() {
    let mut script = Script::new(1, 1_000 * MS);
    for (index, ms) in [10, 30, 20].into_iter().enumerate() {
        lap(&mut script, index as u64 * 100 * MS, Ok(ms * MS));
    }
    let summary = summary(script);
    let row = summary.row("work").unwrap();
    assert_eq!(row.device.device_ns, Some(60 * MS));
    assert_eq!(row.device.device_count, Some(3));
    assert_eq!(row.device.launch_bound_count, Some(1));
    assert_eq!(row.total_ns, 3 * MS);
}

#[test]
fn a_row_whose_spans_all_lack_device_time_says_why() {
    let mut script = Script::new(1, 1_000 * MS);
    lap(&mut script, 0, Err(NoDeviceTime::Captured));
    let summary = summary(script);
    let row = summary.row("work").unwrap();
    assert_eq!(row.device.device_ns, None);
    let why = &summary.why(row, "device_ns").unwrap().0;
    assert_eq!(why, NoDeviceTime::Captured.reason());
}

#[test]
fn some_spans_without_device_time_are_told() {
    let mut script = Script::new(1, 1_000 * MS);
    lap(&mut script, 0, Ok(MS));
    lap(&mut script, 100 * MS, Err(NoDeviceTime::StillRunning));
    let summary = summary(script);
    let untimed = UntimedSpans {
        path: "work".to_owned(),
        count: 1,
        span_count: 2,
        reason: NoDeviceTime::StillRunning.reason(),
    };
    let paths = vec![untimed];
    let doubt = Doubt::Device(DeviceDoubt::Untimed { paths });
    assert!(summary.warnings.contains(&doubt));
}

#[test]
fn what_is_told_long_after_a_step_belongs_to_the_step() {
    let mut script = Script::new(1, 10_000 * MS);
    for step in 0..40 {
        script.span(&["step"], step * 100 * MS, 50 * MS);
    }
    let path = script.path(&["step"]);
    for step in 0..40 {
        // The first ones are slow on the device alone.
        let ms = if step < 4 { 40 } else { 9 };
        script.observed(Record::DeviceSpan(DeviceSpan {
            path,
            start: EPOCH_NS + step * 100 * MS,
            duration: 50 * MS,
            track: MAIN,
            device: 0,
            stream: 7,
            continues: false,
            times: Ok(DeviceTimes {
                duration_ns: ms * MS,
                ..DeviceTimes::default()
            }),
        }));
    }
    let summary = summary(script);
    let steady = summary.steady.unwrap();
    let row = steady.rows.iter().find(|row| row.path == "step").unwrap();
    let expected: u64 = (steady.from_step..40)
        .map(|step| if step < 4 { 40 } else { 9 })
        .sum();
    assert_eq!(row.device.device_ns, Some(expected * MS));
    assert_eq!(row.device.device_count, row.count);
}

#[test]
fn a_rate_is_over_the_devices_time_or_not_told() {
    let with_work = |script: &mut Script, at_ns: u64| {
        let path = script.path(&["work"]);
        let work = SpanWork {
            flop: Some(5_000_000),
            bytes: None,
        };
        let span = laptime_core::Span::plain(path, EPOCH_NS + at_ns, MS, MAIN);
        script.push(span.with_work(work));
    };
    let mut script = Script::new(1, 1_000 * MS);
    with_work(&mut script, 0);
    device_span(&mut script, 0, Ok(10 * MS));
    let row = summary(script).row("work").unwrap().clone();
    assert_eq!(row.work.flop_per_s, Some(5_000_000.0 / 0.01));

    let mut script = Script::new(1, 1_000 * MS);
    with_work(&mut script, 0);
    with_work(&mut script, 100 * MS);
    device_span(&mut script, 0, Ok(10 * MS));
    let summary = summary(script);
    let row = summary.row("work").unwrap();
    assert_eq!(row.work.flop_per_s, None);
    assert_eq!(summary.why(row, "flop_per_s").unwrap().0, super::PARTLY);
}

#[test]
fn a_driver_that_cannot_be_used_is_the_reason_of_every_row() {
    let mut script = Script::new(1, 1_000 * MS);
    script.span(&["work"], 0, MS);
    script.note(
        super::UNAVAILABLE,
        "no NVIDIA driver: libcuda.so.1 is not installed",
    );
    let summary = summary(script);
    let row = summary.row("work").unwrap();
    assert!(
        summary
            .why(row, "device_ns")
            .unwrap()
            .0
            .contains("no NVIDIA driver")
    );
    assert!(
        summary
            .warnings
            .iter()
            .any(|one| one.code() == super::UNAVAILABLE)
    );
}

#[test]
fn a_program_that_used_no_device_says_why_and_that_is_no_warning() {
    let mut script = Script::new(1, 1_000 * MS);
    script.span(&["work"], 0, MS);
    script.note(super::NOT_USED, "no NVIDIA driver");
    let summary = summary(script);
    let row = summary.row("work").unwrap();
    for field in super::Group::DeviceTime.names() {
        assert_eq!(summary.why(row, field).unwrap().0, "no NVIDIA driver");
    }
    assert_eq!(summary.warnings, []);
}

#[test]
fn device_times_that_are_switched_off_say_so_and_name_no_device() {
    let mut script = Script::new(1, 1_000 * MS);
    script.span(&["work"], 0, MS);
    script.note(super::OFF, super::SWITCHED_OFF);
    script.note(super::NOT_USED, "the program used no device");
    let summary = summary(script);
    let row = summary.row("work").unwrap();
    let why = &summary.why(row, "device_ns").unwrap().0;
    assert_eq!(why, "LAPTIME_DEVICE=off");
    assert_eq!(summary.warnings, []);
    assert_eq!(super::used(&summary), None);
}

#[test]
fn a_process_without_a_device_says_nothing_of_one_that_used_it() {
    let mut used = Script::new(1, 1_000 * MS);
    lap(&mut used, 0, Ok(10 * MS));
    used.span(&["other"], 100 * MS, MS);
    let mut unused = Script::new(2, 1_000 * MS);
    unused.span(&["work"], 0, MS);
    unused.note(super::NOT_USED, "no NVIDIA driver");
    let summary = summarize(&[unused, used], Options::default());
    let row = summary.row("other").unwrap();
    assert_eq!(
        summary.why(row, "device_ns").unwrap().0,
        "no device was timed"
    );
}
