//! One recording that is compared, read by others.

use crate::reading::step_durations::Durations;
use crate::summary::Summary;

/// One recording of a side.
#[derive(Debug, Clone)]
pub struct Run {
    /// What it is called: its path as typed.
    pub name: String,
    /// What is known about it.
    pub summary: Summary,
    /// How long each path took.
    pub durations: Durations,
}
