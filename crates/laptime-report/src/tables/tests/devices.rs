use laptime_analysis::Options;
use laptime_core::format::record::Record;
use laptime_core::{DeviceReading as Reading, DeviceReadings, DeviceSample, Throttle};

use crate::tests::analyzed;
use crate::tests::scripted::{EPOCH_NS, MS, Script};
use crate::{Format, View, render};

/// Scripts 40 steps of 200 ms on a device that is read ten times a second.
fn training(readings: impl Fn(u64) -> Vec<(Reading, u64)>) -> Script {
    let mut script = Script::new(7, 8_400 * MS);
    script.observed(Record::DeviceName {
        device: 0,
        uuid: "GPU-fafafafa-fafa-fafa-fafa-fafafafafa00",
        name: "Fake \u{1b}[31mGPU",
    });
    for at in 0..84 {
        let mut told = DeviceReadings::default();
        for (reading, value) in readings(at) {
            told.set(reading, value);
        }
        script.observed(Record::DeviceSample(DeviceSample {
            ticks: EPOCH_NS + at * 100 * MS,
            device: 0,
            readings: told,
        }));
    }
    for step in 0..40 {
        script.span(&["step"], (step + 1) * 200 * MS, 200 * MS);
    }
    script
}

fn text(script: &Script) -> String {
    let summary = analyzed::summarize(std::slice::from_ref(script), Options::default());
    let view = View {
        width: Some(140),
        ..View::default()
    };
    render(&summary, Format::Text, &view).into_string()
}

#[test]
fn a_table_says_what_a_device_did_in_the_steady_state_and_why_it_was_slow() {
    let limits = |at: u64| {
        if at.is_multiple_of(4) {
            Throttle::PowerLimit.bit()
        } else {
            0
        }
    };
    let shown = text(&training(|at| {
        vec![
            (Reading::Utilization, 90),
            (Reading::Memory, 8 << 30),
            (Reading::Power, 650_000),
            (Reading::Energy, at * 65_000),
            (
                Reading::Clock,
                if at.is_multiple_of(4) { 1_500 } else { 1_980 },
            ),
            (Reading::ClockLimits, limits(at)),
        ]
    }));
    let section = shown.split_once("\ndevices\n").unwrap().1;
    for expected in [
        "90.0 %",
        "% power limit",
        "8.00 GiB",
        "650 W",
        "130 J",
        "0 Fake",
    ] {
        assert!(section.contains(expected), "{expected}:\n{shown}");
    }
    assert!(!shown.contains('\u{1b}'), "{shown}");
    let finding = shown
        .lines()
        .find(|line| line.contains("was throttled for"))
        .unwrap();
    assert!(
        finding.contains("of the steady state: power limit"),
        "{shown}"
    );
}

#[test]
fn what_a_device_does_not_tell_is_a_dash_with_its_reason() {
    let mut script = training(|_| vec![(Reading::Utilization, 20)]);
    script.observed(Record::DeviceLacks {
        device: 0,
        reading: Reading::Energy as u64,
        why: "the driver is too old to tell it",
    });
    let shown = text(&script);
    let section = shown.split_once("\ndevices\n").unwrap().1;
    assert!(section.contains('–'), "{shown}");
    assert!(
        section.contains("the driver is too old to tell it"),
        "{shown}"
    );
    assert!(
        shown.contains("ran a kernel for 20 % of the steady state"),
        "{shown}"
    );
}

#[test]
fn a_run_without_a_device_has_no_table_of_devices() {
    let mut script = Script::new(7, 100 * MS);
    script.span(&["step"], 0, 50 * MS);
    assert!(!text(&script).contains("devices"));
}

#[test]
fn json_of_devices_is_as_the_schema_says() {
    let script = training(|at| {
        vec![
            (Reading::Utilization, at % 100),
            (Reading::Energy, at * 65_000),
        ]
    });
    let summary = analyzed::summarize(&[script], Options::default());
    let json = render(&summary, Format::Json, &View::default());
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(crate::schema_tests::check(&value), Vec::<String>::new());
    assert!(
        value["devices"][0]["steady"]["energy_per_step_j"]
            .as_f64()
            .unwrap()
            > 12.0
    );
    assert!(value["devices"][0]["whole"]["power_mean_w"].is_null());
}
