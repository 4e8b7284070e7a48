//! One process while it is read: records go in, and each file here keeps what its part of the summary needs of them.
//!
//! [`passes`] hands out the records, [`process`] holds everything that is kept. `summarize` takes it from there.

mod coverage;
mod cuts;
pub(crate) mod data_waits;
mod epochs;
pub(crate) mod event_loop;
pub(crate) mod marks;
pub(crate) mod module_paths;
mod passes;
pub(crate) mod process;
pub(crate) mod recorder_samples;
pub(crate) mod series;
pub(crate) mod step_durations;
pub(crate) mod step_stretches;
mod suspended_spans;
pub(crate) mod totals;
