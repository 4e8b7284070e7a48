//! Steps in their device's time.
//!
//! Where a device does the work, the host's clock shows how long launching took, and the whole wait for
//! the device in whichever lap happens to wait. What a step is made of is then what the device tells.

use crate::summary::span_row::SpanRow;

/// Part of a row's spans whose time a device must have told.
const MOST_RATIO: f64 = 0.9;
/// Largest share of a step, on the host, of a part whose time the device did not tell.
const UNTOLD_RATIO: f64 = 0.01;

/// Returns the step's row, first, and the rows inside of it, with totals and means of the device.
///
/// `None` where no device told the step's time, or told nothing of a part that matters. Rows deeper inside
/// of which it told nothing are left out. Percentiles are absent: of these, only the host's are known.
pub fn by_device(step: &SpanRow, rows: &[SpanRow]) -> Option<Vec<SpanRow>> {
    let whole = row_by_device(step).filter(|whole| whole.total_ns > 0)?;
    let untold_ns = UNTOLD_RATIO * step.total_ns as f64;
    let inside = rows.iter().filter(|row| is_inside(row, step));
    let mut seen = vec![whole];
    for row in inside {
        match row_by_device(row) {
            Some(told) => seen.push(told),
            None if row.is_child_of(&step.names) && row.total_ns as f64 >= untold_ns => {
                return None;
            }
            None => {}
        }
    }
    for at in 0..seen.len() {
        let children = seen.iter().filter(|row| row.is_child_of(&seen[at].names));
        let inside_ns = children
            .map(|row| row.total_ns)
            .fold(0, u64::saturating_add);
        seen[at].self_ns = seen[at].total_ns.saturating_sub(inside_ns);
    }
    Some(seen)
}

fn is_inside(row: &SpanRow, step: &SpanRow) -> bool {
    row.names.len() > step.names.len() && row.names.starts_with(&step.names)
}

/// Returns how long all spans of a row took on the device, by the mean of the spans whose time it told; `None`
/// where these are too few.
///
/// **Units** nanoseconds.
pub fn total_ns(row: &SpanRow) -> Option<u64> {
    mean_ns(row).map(|(mean_ns, count)| (mean_ns * count as f64).round() as u64)
}

/// Returns the mean time of a row's spans on the device, and how many spans the row has.
fn mean_ns(row: &SpanRow) -> Option<(f64, u64)> {
    let (count, device) = (row.count?, &row.device);
    let (total_ns, told) = (device.device_ns?, device.device_count?);
    let is_enough = told > 0 && told as f64 >= MOST_RATIO * count as f64;
    is_enough.then(|| (total_ns as f64 / told as f64, count))
}

/// Returns a row with the device's times in place of the host's.
fn row_by_device(row: &SpanRow) -> Option<SpanRow> {
    let (mean_ns, _) = mean_ns(row)?;
    Some(SpanRow {
        total_ns: total_ns(row)?,
        mean_ns: Some(mean_ns.round() as u64),
        stddev_ns: None,
        min_ns: None,
        max_ns: None,
        p50_ns: None,
        p90_ns: None,
        p95_ns: None,
        p99_ns: None,
        beyond_median_ns: None,
        ..row.clone()
    })
}

#[cfg(test)]
#[path = "tests/device_steps.rs"]
mod tests;
