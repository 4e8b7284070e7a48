//! From sampled stacks to functions by lap.
//!
//! A third pass over the records ([`sample_pass`]) finds for each sample the innermost lap that was open on its
//! thread, [`sum_samples`] adds them up by lap and function, and [`functions_of_laps`] puts them together with what was
//! counted; [`single_samples`] tells them one by one.

mod call_sums;
mod folded_stack;
mod functions_of_laps;
mod grouped_samples;
mod interpreter_ends;
mod lap_of_sample;
mod lap_sums;
mod moments;
mod notebook_cells;
mod own_code;
mod sample_pass;
mod scale_to_laps;
mod single_samples;
mod sum_samples;

pub use functions_of_laps::{functions, with_reason};
pub use interpreter_ends::interpreter_ends;
pub use notebook_cells::CELLS;
pub use own_code::{MODULE, OwnCode};
pub use sample_pass::{StackPass, common};
pub use single_samples::samples;

#[cfg(test)]
#[path = "tests/collections.rs"]
mod collections_tests;

#[cfg(test)]
#[path = "tests/sampled.rs"]
mod tests;
