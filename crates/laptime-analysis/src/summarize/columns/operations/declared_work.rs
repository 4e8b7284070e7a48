//! Work of laps that the program gives itself.
//!
//! It is summed over the spans that carry it, and so is the time that rates divide by. The part of a row's
//! spans that carry it is its coverage.

use laptime_core::work::Carried;
use laptime_core::{DeviceTally, PathTally, path};

use crate::summarize::columns::device_time;
use crate::summarize::tree::Tree;
use crate::summary::doubt::{Doubt, OperationsDoubt, PartlySaid, PathPart, SaidQuantity};
use crate::summary::fields::explain;
use crate::summary::span_row::SpanRow;

const SAID: &str = "the program said its FLOP, which tells no more";
const NO_TIME: &str = "the spans that carry it took less than the clock can tell";
const NOT_SAID: &str = "no span of this path says it";

/// Fills in the work that the spans of a path carry, by a device's time of them.
pub fn fill(row: &mut SpanRow, tally: &PathTally, on_device: &DeviceTally) {
    let Some(work) = tally.work.as_deref() else {
        return;
    };
    if work.flop.spans > 0 {
        row.work.flop = Some(work.flop.sum);
        row.work.flop_per_s = per_s(&work.flop, tally.count, on_device);
        let untold = ["mac", "total_flop", "executed_flop", "hfu_ratio"];
        explain(row, untold, SAID);
    }
    if work.bytes.spans > 0 {
        row.work.bytes_moved = Some(work.bytes.sum);
        row.work.bytes_moved_per_s = per_s(&work.bytes, tally.count, on_device);
    }
    row.work.intensity = work.intensity_flop_per_byte();
    for (field, is_there, spans) in [
        ("flop_per_s", row.work.flop_per_s.is_some(), work.flop.spans),
        (
            "bytes_moved_per_s",
            row.work.bytes_moved_per_s.is_some(),
            work.bytes.spans,
        ),
    ] {
        if !is_there {
            let why = if spans == 0 {
                NOT_SAID
            } else if device_time::is_told(on_device) {
                device_time::PARTLY
            } else {
                NO_TIME
            };
            explain(row, [field], why);
        }
    }
    if row.work.intensity.is_none() {
        explain(
            row,
            ["intensity"],
            "no span of this path says both FLOP and bytes",
        );
    }
    let carrying = work.flop.spans.max(work.bytes.spans);
    if tally.count > 0 {
        row.work.operations_coverage_ratio = Some((carrying as f64 / tally.count as f64).min(1.0));
    }
}

/// Returns the rate over the time of the spans that carry it; over the device's time where a device did their
/// work.
pub fn per_s(carried: &Carried, spans: u64, on_device: &DeviceTally) -> Option<f64> {
    if !device_time::is_told(on_device) {
        return carried.per_s();
    }
    let ns = device_time::work_ns(on_device, spans, carried.total_ns).ok()?;
    let is_of_all = carried.spans == spans && ns > 0;
    is_of_all.then(|| carried.sum as f64 / (ns as f64 / 1e9))
}

/// Finds paths of which only some spans say what they did.
pub fn doubt(tree: &Tree) -> Option<Doubt> {
    let partly = tree.in_order().into_iter().filter_map(|index| {
        let tally = &tree.node(index).tally;
        let work = tally.work.as_deref()?;
        let said = [
            (SaidQuantity::Flop, work.flop.spans),
            (SaidQuantity::Bytes, work.bytes.spans),
        ];
        let mut said = said.into_iter();
        let (quantity, count) = said.find(|(_, spans)| (1..tally.count).contains(spans))?;
        let names = tree.names(index);
        let part = PathPart {
            path: path::join(names.iter().map(String::as_str)),
            count,
            span_count: tally.count,
        };
        Some(PartlySaid { quantity, part })
    });
    let paths: Vec<PartlySaid> = partly.collect();
    (!paths.is_empty()).then_some(Doubt::Operations(OperationsDoubt::PartlySaid { paths }))
}
