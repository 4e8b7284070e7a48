//! Functions by lap: those that were sampled, and those whose calls were counted.

mod call_rows;
pub(crate) mod call_tree;
mod callers;
pub(crate) mod calls_of_run;
pub(crate) mod counted_calls;
pub(crate) mod flame_graph;
pub(crate) mod function_rows;
pub(crate) mod sampled_functions;
