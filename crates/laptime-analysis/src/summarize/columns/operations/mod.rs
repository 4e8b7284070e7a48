//! Operations joined with time: the work of rows, and how close that is to the machine.
//!
//! Two sources: what the program says of its own laps ([`declared_work`]), and what was counted once of
//! every stretch and told again with each of its runs ([`stretch_operations`], [`counted_work`]). A row's
//! operations are those of its own and of all rows inside. Rates are compared with what
//! the recording says of the machine ([`peaks`]).

mod counted_work;
mod declared_work;
mod peaks;
pub mod stretch_operations;
pub mod uncounted_pass;
pub mod uncounted_spans;
mod work_columns;

pub use counted_work::inclusive_work;
pub use peaks::{ABOVE_RATIO, Peaks, TOLD, summary};
pub use work_columns::{doubts, fill};

pub use laptime_core::ceilings::NOTE as CEILINGS;

#[cfg(test)]
mod tests;
