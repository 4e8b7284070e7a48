//! The functions of two sides of recordings: which of them got slower or faster.
//!
//! The trees of sampled calls of each run ([`crate::summary::call_tree`]) become times of functions
//! ([`sampled_times`]), which are matched between the sides ([`match_functions`]), tested ([`time_difference`]), and end
//! in [`FunctionChanges`].

mod alike_change;
mod changed_functions;
mod function_row;
mod match_functions;
mod run_times;
mod sampled_times;
mod sure_changes;
mod time_difference;

pub use changed_functions::{FunctionChanges, compare};
pub use function_row::{ChangeDoubt, ChangedPart, FunctionRow, FunctionSide, LibraryChange};
pub use run_times::{Laps, run_times};
pub use time_difference::TimeDifference;
