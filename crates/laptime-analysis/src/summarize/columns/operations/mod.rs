//! Operations joined with time: the work of rows, and how close that is to the machine.
//!
//! Two sources: what the program says of its own laps ([`given`]), and what was counted once of
//! every stretch and told again with each of its runs ([`stretches`], [`counted`]). A row's
//! operations are those of its own and of all rows inside. Rates are compared with what
//! the recording says of the machine ([`peaks`]).

mod counted;
mod fill;
mod given;
pub mod left_out;
pub mod left_out_pass;
mod peaks;
pub mod stretches;

pub use counted::inclusive_work;
pub use fill::{doubts, fill};
pub use peaks::{ABOVE_RATIO, Peaks, TOLD, summary};

pub use laptime_core::ceilings::NOTE as CEILINGS;

#[cfg(test)]
mod tests;
