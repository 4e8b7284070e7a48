use crate::summary::device_row::DeviceRow;
use crate::summary::span_row::SpanRow;

use super::{by_device, total_ns};

const MS: u64 = 1_000_000;

/// Returns a row of ten spans, `host_ms` each on the host and `device_ms` on the device, which timed `told` of
/// them.
fn row(names: &[&str], host_ms: u64, device_ms: Option<u64>, told: u64) -> SpanRow {
    SpanRow {
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        path: names.join("/"),
        count: Some(10),
        total_ns: 10 * host_ms * MS,
        mean_ns: Some(host_ms * MS),
        p50_ns: Some(host_ms * MS),
        device: DeviceRow {
            device_ns: device_ms.map(|ms| told * ms * MS),
            device_count: device_ms.map(|_| told),
            ..DeviceRow::default()
        }
        .into(),
        ..SpanRow::default()
    }
}

#[test]
fn a_step_is_made_of_what_its_device_did() {
    let step = row(&["step"], 2, Some(9), 10);
    let rows = [
        row(&["startup"], 50, None, 0),
        step.clone(),
        row(&["step", "forward"], 1, Some(3), 10),
        row(&["step", "forward", "layer"], 1, Some(2), 9),
        row(&["step", "backward"], 1, Some(5), 10),
    ];
    let seen = by_device(&step, &rows).unwrap();
    let told = seen
        .iter()
        .map(|row| (&row.path[..], row.total_ns / MS, row.self_ns / MS));
    let told: Vec<_> = told.collect();
    assert_eq!(
        told,
        [
            ("step", 90, 10),
            ("step/forward", 30, 10),
            ("step/forward/layer", 20, 20),
            ("step/backward", 50, 50),
        ]
    );
    assert!(seen.iter().all(|row| row.p50_ns.is_none()));
}

#[test]
fn a_part_that_matters_and_has_no_time_on_the_device_leaves_the_hosts() {
    let step = row(&["step"], 10, Some(9), 10);
    let untold = row(&["step", "forward"], 5, None, 0);
    assert_eq!(by_device(&step, &[step.clone(), untold]), None);
    let few = row(&["step", "forward"], 5, Some(3), 5);
    assert_eq!(by_device(&step, &[step.clone(), few]), None);
    let tiny = row(&["step", "forward"], 0, None, 0);
    assert_eq!(by_device(&step, &[step.clone(), tiny]).unwrap().len(), 1);
}

#[test]
fn without_a_device_there_is_nothing_to_see() {
    let step = row(&["step"], 10, None, 0);
    assert_eq!(by_device(&step, std::slice::from_ref(&step)), None);
}

#[test]
fn shares_are_of_as_many_spans_as_there_are_though_some_were_not_told() {
    let step = row(&["step"], 2, Some(10), 9);
    let forward = row(&["step", "forward"], 1, Some(6), 10);
    assert_eq!(total_ns(&step), Some(100 * MS));
    assert_eq!(total_ns(&forward), Some(60 * MS));
    assert_eq!(total_ns(&row(&["step"], 2, Some(10), 8)), None, "too few");
}
