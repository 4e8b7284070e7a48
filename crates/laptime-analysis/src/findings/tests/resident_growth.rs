//! Programs whose memory grows, told by what is resident.

use laptime_core::format::record::Record;
use laptime_core::{PrivateMemory, ProcessMemory};

use crate::Finding;
use crate::findings::tests::found;
use crate::testing::scripted::{EPOCH_NS, MS, Script, anchor};

const MIB: u64 = 1_048_576;

/// A program that is read ten times per second, and grows by so many MiB between two readings.
fn program(readings: u64, mib: u64) -> Script {
    let mut script = Script::new(7, 0);
    for index in 0..readings {
        let bytes = 200 * MIB + index * mib * MIB;
        script.observed(Record::Sample {
            ticks: EPOCH_NS + index * 100 * MS,
            resident_bytes: bytes + 300 * MIB,
            private: Some(PrivateMemory {
                resident_bytes: bytes,
                reserved_bytes: 2 * bytes,
            }),
        });
    }
    script.header.closed = Some(anchor(readings * 100 * MS));
    script
}

/// Such a program with steps of 50 ms.
fn training(readings: u64, mib: u64) -> Script {
    let mut script = program(readings, mib);
    for step in 0..2 * readings {
        script.span(&["step"], step * 50 * MS, 49 * MS);
    }
    script
}

fn resident(script: &Script) -> Vec<Finding> {
    let is_meant = |one: &Finding| matches!(one, Finding::ResidentGrowth { .. });
    found(script).into_iter().filter(is_meant).collect()
}

#[test]
fn steps_that_leave_memory_are_told_with_what_each_leaves() {
    let all = resident(&training(100, 2));
    let [
        Finding::ResidentGrowth {
            path,
            step_count,
            each_bytes,
            uncertainty_bytes,
            risen_bytes,
            during_ns: None,
            is_counted: false,
        },
    ] = &all[..]
    else {
        panic!("{all:?}");
    };
    assert_eq!(path.as_deref(), Some("step"));
    assert!(each_bytes.abs_diff(MIB) < MIB / 100, "{each_bytes}");
    assert!(*uncertainty_bytes < MIB / 50);
    let steps = step_count.unwrap();
    assert!((150..=200).contains(&steps), "{steps}");
    assert!(
        risen_bytes.abs_diff(steps * MIB) <= 2 * MIB,
        "{risen_bytes}"
    );
}

#[test]
fn a_program_without_steps_is_told_per_second() {
    let all = resident(&program(150, 2));
    let [
        Finding::ResidentGrowth {
            path: None,
            step_count: None,
            each_bytes,
            during_ns: Some(during_ns),
            ..
        },
    ] = &all[..]
    else {
        panic!("{all:?}");
    };
    assert!(each_bytes.abs_diff(20 * MIB) < MIB / 10, "{each_bytes}");
    assert!(
        (10_000 * MS..12_000 * MS).contains(during_ns),
        "{during_ns}"
    );
    assert_eq!(resident(&program(100, 2)), [], "8 s without the beginning");
}

#[test]
fn what_is_little_or_stays_is_not_told() {
    assert_eq!(resident(&training(100, 0)), []);
    assert_eq!(resident(&training(20, 8)), [], "too few readings");
}

#[test]
fn where_allocations_are_counted_they_tell_it() {
    let mut script = training(100, 2);
    for index in 0..500 {
        script.observed(Record::Memory {
            ticks: EPOCH_NS + index * 20 * MS,
            memory: ProcessMemory {
                bytes: (index * MIB * 2 / 5) as i64,
                peak_bytes: 1 << 40,
            },
        });
    }
    let all = found(&script);
    assert!(matches!(all[..], [Finding::MemoryGrowth { .. }]), "{all:?}");
}
