//! Functions by lap: those that were sampled, and those whose calls were counted.

mod callers;
pub(crate) mod counted_calls;
pub(crate) mod flame_graph;
pub(crate) mod function_rows;
pub(crate) mod sampled_functions;
pub(crate) mod slowest_lap;
