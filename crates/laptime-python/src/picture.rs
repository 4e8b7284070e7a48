//! A timer's contexts as a page: what `visualize` writes.

use laptime_python_macros::guarded;
use laptime_report::html::{self, BarMemory, Page, Segment, TimelinePanel};
use pyo3::prelude::*;

use crate::errors;
use crate::fast::name::Text;
use crate::file_path::FilePath;

/// Name, start and duration in ns; net, peak and before in bytes.
type SegmentRow = (Text, i64, u64, Option<i64>, Option<i64>, Option<i64>);

fn memory(row: &SegmentRow) -> Option<BarMemory> {
    let bytes = |number: i64| u64::try_from(number).unwrap_or(0);
    Some(BarMemory {
        net_bytes: row.3?,
        peak_bytes: row.4.map(bytes),
        before_bytes: bytes(row.5?),
    })
}

fn page(title: &str, contexts: Vec<(Text, Vec<SegmentRow>)>, size: Option<(f64, f64)>) -> Page {
    let rows = contexts.iter().flat_map(|(_, rows)| rows);
    let origin_ns = rows.map(|row| row.1).min().unwrap_or(0);
    let segment = |row: SegmentRow| Segment {
        memory: memory(&row),
        start_ns: row.1.abs_diff(origin_ns),
        duration_ns: row.2,
        name: row.0.0,
    };
    let panels = contexts.into_iter().map(|(name, rows)| {
        TimelinePanel::of_segments(name.0, rows.into_iter().map(segment).collect())
    });
    let panels: Vec<TimelinePanel> = panels.filter(|panel| !panel.lanes.is_empty()).collect();
    Page {
        size: size.map(|(width, height)| (width as u32, height as u32)),
        panels,
        ..Page::of_tables(title, Vec::new(), "no segment was measured")
    }
}

/// Writes a page that shows a timer's contexts over time, one panel each.
#[guarded]
#[pyfunction]
#[pyo3(signature = (path, title, contexts, figsize=None))]
pub fn write_timeline(
    python: Python<'_>,
    path: FilePath,
    title: Text,
    contexts: Vec<(Text, Vec<SegmentRow>)>,
    figsize: Option<(f64, f64)>,
) -> PyResult<()> {
    let path = path.path()?;
    let written = python.detach(|| {
        let page = html::render(&page(&title.0, contexts, figsize));
        laptime_recorder::output::write(&path, &*page)
    });
    written.map_err(|error| errors::from_io(&error, &path))
}
