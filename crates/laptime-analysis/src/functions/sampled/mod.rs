//! From sampled stacks to functions by lap.
//!
//! A third pass over the records ([`lap_join`]) finds for each sample the innermost lap that was open on its
//! thread, [`sum_samples`] adds them up by lap and function, and [`by_lap`] puts them together with what was
//! counted; [`single_samples`] tells them one by one.

mod by_lap;
mod imports;
mod lap_join;
mod lap_sums;
mod notebook_cells;
mod place;
mod scale_to_laps;
mod single_samples;
mod sum_samples;

pub use by_lap::{functions, with_reason};
pub use lap_join::{StackPass, common};
pub use notebook_cells::CELLS;
pub use single_samples::samples;

#[cfg(test)]
#[path = "tests/sampled.rs"]
mod tests;
