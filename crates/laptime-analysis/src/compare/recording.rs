//! One recording that is compared, as the reader fills it.

use crate::reading::step_durations::Durations;
use crate::summary::Summary;

/// One recording of a side.
#[derive(Debug, Clone)]
pub struct Run {
    /// The recording's name: its path as typed.
    pub name: String,
    /// The recording's summary.
    pub summary: Summary,
    /// Durations of each path.
    pub durations: Durations,
}
