//! The lines of a loop over epochs, for `lt.track(…, log=True)`.

use laptime_python_macros::guarded;
use laptime_report::EpochEnd;
use pyo3::prelude::*;

use crate::entry::asked;

/// The line of an epoch that is over. `durations` are those of all epochs so far, in seconds.
#[guarded]
#[pyfunction]
pub fn epoch_line(
    name: &str,
    of: Option<u64>,
    metrics: Vec<(String, f64)>,
    durations: Vec<f64>,
) -> PyResult<String> {
    asked(|| {
        Ok(laptime_report::epoch_line(&EpochEnd {
            name,
            number: durations.len() as u64,
            of,
            metrics: &metrics,
            seconds: durations.last().copied().unwrap_or(0.0),
            left_seconds: of.and_then(|of| laptime_analysis::left_seconds(&durations, of)),
        }))
    })
}

/// The line after the last epoch.
#[guarded]
#[pyfunction]
pub fn total_line(seconds: f64) -> PyResult<String> {
    asked(|| Ok(laptime_report::total_line(seconds)))
}
