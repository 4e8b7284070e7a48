//! Functions by lap: those that were sampled, and those whose calls were counted.

mod callers;
pub(crate) mod counted;
pub(crate) mod flame_graph;
pub(crate) mod rows;
pub(crate) mod sampled;
pub(crate) mod slowest_lap;
