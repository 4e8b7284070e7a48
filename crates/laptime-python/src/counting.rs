//! Operations that are counted as they run: where, and what is told of them afterwards.
//!
//! The policy is Python's, `laptime.integrations._counting`: which stretch of the program is the
//! same as one that was counted. Here is the way into the recording.

use laptime_core::PathId;
use laptime_core::operations::StretchOperations;
use laptime_recorder as recorder;
use pyo3::prelude::*;

use crate::fast::span;
use crate::operations::counts::OpCounts;

/// Number of the path of the innermost open span.
#[pyfunction]
pub fn path_number() -> u32 {
    span::at(recorder::current_path).0
}

/// The number that the innermost open span's path has when nothing of it is aside, and whether
/// anything is.
#[pyfunction]
pub fn plain_path() -> (u32, bool) {
    let (path, is_aside) = recorder::plain_path(span::at(recorder::current_path));
    (path.0, is_aside)
}

/// Tells that a stretch runs whose operations are known.
#[pyfunction]
pub fn ran(stretch: u32) {
    span::at(|| recorder::ran(stretch));
}

/// Tells what a stretch does each time at a path, given by its number.
#[pyfunction]
pub fn write_operations(stretch: u32, path: u32, counts: &Bound<'_, OpCounts>, device: &str) {
    let counts = &counts.get().counts;
    let (path, _) = recorder::plain_path(PathId(path));
    let dtype = counts.by_dtype.first();
    let operations = StretchOperations {
        stretch,
        path,
        tally: counts.total.total(),
        device: if dtype.is_some() { device } else { "" },
        dtype: dtype.map_or("", |(dtype, _)| dtype.as_str()),
    };
    if path != PathId::ROOT {
        span::at(|| recorder::operations(&operations));
    }
}

/// Notes what this machine reaches at most, where that was kept.
#[pyfunction]
pub fn note_ceilings() -> bool {
    recorder::ceilings::note_kept()
}
