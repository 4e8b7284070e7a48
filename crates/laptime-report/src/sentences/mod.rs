//! Sentences: the first line, findings, doubts, and the answer of a comparison or benchmark.

pub mod benchmark;
pub(crate) mod calls;
pub(crate) mod comparison;
pub(crate) mod comparison_notes;
pub(crate) mod contest;
pub(crate) mod counted_operations;
pub(crate) mod cpu;
pub(crate) mod differences;
pub mod doubts;
pub(crate) mod findings;
pub mod headline;
pub(crate) mod history;
pub(crate) mod inference;
pub mod inference_absences;
pub(crate) mod inference_labels;
pub(crate) mod inference_notes;
pub mod latency;
pub(crate) mod leftovers;
mod no_break_quantities;
pub(crate) mod nouns;
pub(crate) mod other_numbers;
pub(crate) mod rank_names;
pub(crate) mod row_reason;
pub(crate) mod side_by_side;
pub(crate) mod step_changes;
mod step_gaps;
pub mod verdict_reason;
