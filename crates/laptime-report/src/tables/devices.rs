//! The table of devices' own readings: a row for each, of the steady state where there is one.

use laptime_analysis::{DeviceStretch, DeviceSummary, Summary};
use laptime_core::Unavailable;

use crate::document::column::Column;
use crate::document::{Cell, Content, Row, Section, Table};
use crate::quantity;

/// Makes the table of devices; none where no device was sampled.
pub fn section(summary: &Summary) -> Option<Section> {
    if summary.devices.is_empty() {
        return None;
    }
    Some(
        Section::headed("devices", Content::Table(table(&summary.devices)))
            .remarked(remark(summary)),
    )
}

/// Returns the stretch of the run that a device's row is about.
fn stretch(device: &DeviceSummary) -> &DeviceStretch {
    device.steady.as_ref().unwrap_or(&device.whole)
}

fn remark(summary: &Summary) -> String {
    let samples: u64 = (summary.devices.iter())
        .map(|device| stretch(device).sample_count)
        .sum();
    let samples = quantity::plural(samples, "sample", "samples");
    let is_steady = summary.devices.iter().all(|device| device.steady.is_some());
    let of = if is_steady {
        "of the steady state"
    } else {
        "of the time in which the program used them"
    };
    format!("{samples} {of}, of the whole device, whoever uses it")
}

fn table(devices: &[DeviceSummary]) -> Table {
    let mut reasons = Vec::new();
    let rows = devices.iter().map(|device| {
        Row::new(
            format!("{} {}", device.device, device.name),
            cells(stretch(device), &mut reasons),
        )
    });
    let rows = rows.collect();
    let mut notes = vec![
        "busy is the part of the time in which a kernel ran, by the driver's samples; p95 that of the busiest \
         samples"
            .to_owned(),
    ];
    notes.extend(devices.iter().filter_map(throttled));
    Table {
        lead: "device".into(),
        columns: vec![
            Column::BUSY,
            Column::BUSY_P95,
            Column::DEVICE_MEMORY,
            Column::MEAN_POWER,
            Column::PEAK_POWER,
            Column::ENERGY,
            Column::STEP_ENERGY,
            Column::THROTTLED,
        ],
        rows,
        notes,
        reasons,
        ..Table::default()
    }
}

fn cells(told: &DeviceStretch, reasons: &mut Vec<Unavailable>) -> Vec<Cell> {
    let mut cell = |field: &str, found: Option<Cell>| {
        found.unwrap_or_else(|| Cell::absent(told.why.get(field), reasons))
    };
    let bytes = told.memory_peak_bytes;
    vec![
        cell(
            "utilization_mean_ratio",
            told.utilization_mean_ratio.map(Cell::Share),
        ),
        cell(
            "utilization_p95_ratio",
            told.utilization_p95_ratio.map(Cell::Share),
        ),
        cell(
            "memory_peak_bytes",
            bytes.map(|bytes| Cell::ManyBytes(bytes.into())),
        ),
        cell("power_mean_w", told.power_mean_w.map(Cell::Watts)),
        cell("power_peak_w", told.power_peak_w.map(Cell::Watts)),
        cell("energy_j", told.energy_j.map(Cell::Joules)),
        cell(
            "energy_per_step_j",
            told.energy_per_step_j.map(Cell::Joules),
        ),
        cell("throttled_ratio", told.throttled_ratio.map(Cell::Share)),
    ]
}

/// Says why a device was slower than it could be.
fn throttled(device: &DeviceSummary) -> Option<String> {
    let told = stretch(device);
    let each = told.throttled_by.iter();
    let each: Vec<String> = each
        .map(|one| {
            let share = quantity::percent(one.ratio).inline();
            format!("{share} {}", one.reason)
        })
        .collect();
    (!each.is_empty()).then(|| {
        format!(
            "device {} was throttled by: {}",
            device.device,
            each.join(", ")
        )
    })
}

#[cfg(test)]
#[path = "tests/devices.rs"]
mod tests;
