//! Trainings whose device has more and more memory in use.

use laptime_core::format::record::Record;
use laptime_core::{DeviceReading as Reading, DeviceReadings, DeviceSample};

use crate::Finding;
use crate::findings::tests::found;
use crate::testing::scripted::{EPOCH_NS, MS, Script, anchor};

const MIB: u64 = 1_048_576;

/// Four hundred steps of 50 ms, and a device that tells the MiB in use by the sample's number: of all, and once a second of
/// the process.
fn training(all: impl Fn(u64) -> u64, own: Option<fn(u64) -> u64>) -> Vec<Finding> {
    let mut script = Script::new(7, 0);
    script.observed(Record::DeviceName {
        device: 1,
        uuid: "GPU-1",
        name: "NVIDIA H200",
    });
    for index in 0..200 {
        let mut readings = DeviceReadings::default();
        readings.set(Reading::Memory, all(index) * MIB);
        if let Some(own) = own.filter(|_| index % 10 == 0) {
            readings.set(Reading::ProcessMemory, own(index) * MIB);
        }
        script.observed(Record::DeviceSample(DeviceSample {
            ticks: EPOCH_NS + index * 100 * MS,
            device: 1,
            readings,
        }));
    }
    for step in 0..400 {
        script.span(&["step"], step * 50 * MS, 49 * MS);
    }
    script.header.closed = Some(anchor(20_000 * MS));
    let is_meant = |one: &Finding| matches!(one, Finding::DeviceGrowth { .. });
    found(&script).into_iter().filter(is_meant).collect()
}

/// A level that rises by blocks of 20 MiB, two of them in three samples.
fn blocks(index: u64) -> u64 {
    4_000 + index * 2 / 3 * 20
}

#[test]
fn memory_that_rises_with_the_steps_is_told_per_step() {
    for own in [None, Some(blocks as fn(u64) -> u64)] {
        let all = training(blocks, own);
        let [
            Finding::DeviceGrowth {
                path,
                each_bytes,
                uncertainty_bytes,
                device: 1,
                name,
                is_own,
                is_counted: false,
                ..
            },
        ] = &all[..]
        else {
            panic!("{all:?}");
        };
        assert_eq!((path.as_str(), name.as_str()), ("step", "NVIDIA H200"));
        let expected = 20 * MIB / 3;
        assert!(
            each_bytes.abs_diff(expected) < expected / 20,
            "{each_bytes}"
        );
        assert!(*uncertainty_bytes < expected / 10, "{uncertainty_bytes}");
        assert_eq!(*is_own, own.is_some());
    }
}

#[test]
fn what_others_use_of_the_device_is_not_the_process_s() {
    assert_eq!(training(blocks, Some(|_| 4_000)), []);
}

#[test]
fn caches_that_fill_and_jumps_are_not_told() {
    let clean: [fn(u64) -> u64; 4] = [
        |_| 4_000,
        |index| 4_000 + index.min(120) * 20,
        |index| if index < 150 { 4_000 } else { 9_000 },
        |index| 4_000 + index,
    ];
    for (which, level) in clean.into_iter().enumerate() {
        assert_eq!(training(level, None), [], "{which}");
    }
}
