//! One process while it is read: records go in, and each file here keeps what its part of the summary needs
//! of them.
//!
//! [`first_pass`] and [`second_pass`] take the records; [`process`] holds what is kept: facts, totals of
//! spans, and what the [`features`] keep, each a file of its own here or in the room of its subject.
//! `summarize` takes it from there.

pub(crate) mod covered_time;
mod covers;
pub(crate) mod data_waits;
mod epochs;
pub(crate) mod event_loop;
pub(crate) mod feature;
mod features;
pub(crate) mod first_pass;
pub(crate) mod first_steps;
pub(crate) mod further_passes;
mod host_memory;
pub(crate) mod input_changes;
pub(crate) mod marks;
pub(crate) mod module_paths;
pub(crate) mod notes;
mod partial_spans;
pub(crate) mod path_role;
pub(crate) mod process;
mod process_facts;
pub mod read_again;
pub(crate) mod recorder_samples;
pub(crate) mod second_pass;
mod snapshot_tail;
pub(crate) mod span_totals;
pub(crate) mod step_durations;
mod step_gaps;
pub(crate) mod step_stretches;
mod suspended_spans;
pub(crate) mod totals;
mod totals_before_cuts;
mod track_names;
