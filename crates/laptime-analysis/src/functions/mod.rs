//! From records to functions by lap: those whose stacks were sampled, and those whose calls were counted.

pub(crate) mod call_records;
mod counted_calls;
pub(crate) mod sampled;
pub(crate) mod stack_records;
pub(crate) mod timed_calls;
