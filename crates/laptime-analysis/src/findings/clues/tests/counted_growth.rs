use laptime_core::ProcessMemory;
use laptime_core::format::record::Record;

use super::*;

/// Levels of a process at a hundred moments from 0 on, until counting ends.
fn levels(until: u64, level: impl Fn(u64) -> i64) -> RecorderSamples {
    let mut readings = RecorderSamples::default();
    for index in 0..until {
        readings.take(&Record::Memory {
            ticks: index * 10,
            memory: ProcessMemory {
                bytes: level(index),
                peak_bytes: 1 << 40,
            },
        });
    }
    readings
}

#[test]
fn counts_are_compared_over_the_time_that_they_cover() {
    let grows = levels(100, |index| index as i64 * 100);
    assert_eq!(between(&grows, 200, 900), Some(7_000));
    assert_eq!(between(&levels(100, |_| 5_000), 200, 900), Some(0));
    let freed = levels(100, |index| 5_000 - index as i64);
    assert_eq!(between(&freed, 200, 900), Some(0), "less than before");
}

#[test]
fn counts_that_were_cut_off_tell_nothing() {
    let cut_off = levels(50, |index| index as i64 * 100);
    assert_eq!(between(&cut_off, 200, 900), None);
    assert_eq!(between(&RecorderSamples::default(), 200, 900), None);
}
