//! Memory on devices in rows: extremes over spans, from the allocator of the program's framework.
//!
//! A peak that is known within bounds only is between the least and the greatest that are told; the row
//! says so. The recorder's note says why there is none.

use std::collections::BTreeMap;

use laptime_core::{DeviceMemoryTally, Unavailable};

use crate::reading::process::Process;
use crate::summarize::tree::Tree;
use crate::summary::doubt::{DeviceDoubt, Doubt, WITHIN_BOUNDS};
use crate::summary::fields::Group;
use crate::summary::span_row::SpanRow;

/// Code of the note that says why no span has memory of a device.
pub const UNAVAILABLE: &str = "device.memory.unavailable";
/// Why a row has no memory of devices where others have it.
const NOT_COVERED: &str = "the memory of devices was not read from these laps' start to their end";
/// Why a row lacks the most that was reserved.
const NOT_EXACT: &str = "the most that was reserved is known within bounds only";

/// Fills in the memory on devices of a row's spans.
pub fn fill(row: &mut SpanRow, told: &DeviceMemoryTally) {
    if told.count == 0 {
        return;
    }
    row.device.device_memory_net_min_bytes = Some(told.net_min_bytes);
    row.device.device_memory_net_max_bytes = Some(told.net_max_bytes);
    row.device.device_memory_peak_min_bytes = Some(signed(told.peak_min_bytes));
    row.device.device_memory_peak_max_bytes = Some(signed(told.peak_max_bytes));
    row.device.device_memory_reserved_bytes = told.reserved_max_bytes.map(signed);
    if told.reserved_max_bytes.is_none() {
        crate::summary::fields::explain(row, ["device_memory_reserved_bytes"], NOT_EXACT);
    }
    if told.within_bounds > 0 {
        row.warnings.push(Doubt::Device(DeviceDoubt::RowPeakBounds {
            count: told.within_bounds,
            span_count: told.count,
        }));
    }
}

fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// Finds rows whose peaks are bounds.
pub fn doubt(rows: &[SpanRow]) -> Option<Doubt> {
    let is_bound = |row: &&SpanRow| row.warnings.iter().any(|one| one.code() == WITHIN_BOUNDS);
    let row_count = rows.iter().filter(is_bound).count() as u64;
    (row_count > 0).then_some(Doubt::Device(DeviceDoubt::PeakBounds { row_count }))
}

/// Adds why memory of devices is missing, where the recorder knew.
pub fn with_reasons(
    mut unavailable: BTreeMap<String, Unavailable>,
    tree: &Tree,
    processes: &[Process],
) -> BTreeMap<String, Unavailable> {
    let mut all = tree.in_order().into_iter();
    let reason = if all.any(|index| tree.node(index).device_memory.count > 0) {
        Some(NOT_COVERED.to_owned())
    } else {
        let mut notes = processes
            .iter()
            .flat_map(|process| &process.features.notes.0);
        let note = notes.find(|(code, _)| code == UNAVAILABLE);
        note.map(|(_, reason)| format!("memory of devices was not read: {reason}"))
    };
    if let Some(reason) = reason {
        for field in Group::DeviceMemory.names() {
            unavailable.insert(field.to_owned(), Unavailable(reason.clone()));
        }
    }
    unavailable
}

#[cfg(test)]
mod tests {
    use laptime_core::format::record::Record;
    use laptime_core::{DeviceMemory, DeviceMemorySpan, Span};

    use super::*;
    use crate::Options;
    use crate::summary::Summary;
    use crate::summary::fields::Group;
    use crate::testing::analyzed::summarize;
    use crate::testing::scripted::{EPOCH_NS, MAIN, MS, Script};

    const GIB: u64 = 1 << 30;

    /// Summarizes spans of one path with peaks at least and at most, and one span of another path without any.
    fn summary_of_peaks(peaks: &[(u64, u64)]) -> Summary {
        let mut script = Script::new(1, 100 * MS);
        let (path, other) = (script.path(&["work"]), script.path(&["other work"]));
        script.push(Span::plain(other, EPOCH_NS, MS, MAIN));
        for (index, (least, most)) in (1_u64..).zip(peaks) {
            let start = EPOCH_NS + index * 20 * MS;
            script.push(Span::plain(path, start, MS, MAIN));
            script.observed(Record::DeviceMemory(DeviceMemorySpan {
                path,
                start,
                track: MAIN,
                device: 0,
                memory: DeviceMemory {
                    net_bytes: index as i64 - 2,
                    peak_least_bytes: *least,
                    peak_most_bytes: *most,
                    reserved_net_bytes: 0,
                    reserved_peak_bytes: (least == most).then_some(4 * GIB),
                },
            }));
        }
        summarize(&[script], Options::default())
    }

    #[test]
    fn rows_have_the_extremes_of_their_spans() {
        let summary = summary_of_peaks(&[(GIB, GIB), (2 * GIB, 2 * GIB)]);
        let row = summary.rows.iter().find(|row| row.path == "work").unwrap();
        let device = &row.device;
        assert_eq!(device.device_memory_net_min_bytes, Some(-1));
        assert_eq!(device.device_memory_net_max_bytes, Some(0));
        assert_eq!(device.device_memory_peak_min_bytes, Some(1 << 30));
        assert_eq!(device.device_memory_peak_max_bytes, Some(2 << 30));
        assert_eq!(device.device_memory_reserved_bytes, Some(4 << 30));
        assert_eq!(row.warnings, []);
        let other = summary
            .rows
            .iter()
            .find(|row| row.path == "other work")
            .unwrap();
        for field in Group::DeviceMemory.names() {
            assert_eq!(summary.why(other, field).unwrap().0, NOT_COVERED);
        }
    }

    #[test]
    fn peaks_that_are_bounds_are_told_as_such() {
        let summary = summary_of_peaks(&[(GIB, 3 * GIB)]);
        let row = summary.rows.iter().find(|row| row.path == "work").unwrap();
        assert_eq!(row.device.device_memory_peak_min_bytes, Some(1 << 30));
        assert_eq!(row.device.device_memory_peak_max_bytes, Some(3 << 30));
        let [count, span_count] = [1; 2];
        let doubt = DeviceDoubt::RowPeakBounds { count, span_count };
        assert_eq!(row.warnings, [Doubt::Device(doubt)]);
        assert!(summary.why(row, "device_memory_reserved_bytes").is_some());
        let doubt = Doubt::Device(DeviceDoubt::PeakBounds { row_count: 1 });
        assert!(summary.warnings.contains(&doubt));
    }

    #[test]
    fn a_note_says_why_there_is_none_and_is_no_warning() {
        let mut script = Script::new(1, 100 * MS);
        let path = script.path(&["work"]);
        script.push(Span::plain(path, EPOCH_NS, MS, MAIN));
        script.note(UNAVAILABLE, "no NVIDIA driver");
        let summary = summarize(&[script], Options::default());
        assert_eq!(
            summary
                .why(&summary.rows[0], "device_memory_reserved_bytes")
                .unwrap()
                .0,
            "memory of devices was not read: no NVIDIA driver"
        );
        assert!(summary.warnings.iter().all(|one| one.code() != UNAVAILABLE));
    }
}
