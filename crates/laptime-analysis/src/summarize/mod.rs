//! From everything that was read to a summary, stage by stage: wall time, steady state, tree, rows.
//!
//! Input is `reading`, output are the plain values of `summary`.

mod collect_doubts;
pub(crate) mod columns;
pub(crate) mod device_rise;
pub mod device_steps;
mod epochs;
pub(crate) mod even_rise;
pub mod headline;
pub(crate) mod input_growth;
pub(crate) mod leftovers;
pub(crate) mod measured_processes;
pub(crate) mod memory_growth;
mod merge_processes;
pub(crate) mod options;
mod process_rows;
mod process_summaries;
pub(crate) mod ranks;
mod replaced_programs;
pub(crate) mod resident_rise;
pub(crate) mod rising_stretch;
pub(crate) mod rows;
mod run_facts;
pub mod stages;
mod steady_rows;
pub(crate) mod steady_state;
pub(crate) mod tree;
pub(crate) mod wall_cover;
pub(crate) mod wall_time;
pub(crate) mod worker_starts;
mod workers;
