//! Laps that kept an event loop from its other tasks.

pub(crate) mod blocked_tasks;
pub(crate) mod blocking_laps;
pub(crate) mod long_turns;
