//! From sampled stacks to functions by lap.
//!
//! A third pass over the records ([`join`]) finds for each sample the innermost lap that was open on its
//! thread, [`tree`] adds them up by lap and function, and [`by_lap`] puts them together with what was counted; [`single`]
//! tells them one by one.

mod by_lap;
mod cells;
mod fit;
mod imports;
mod join;
mod single;
mod tree;

pub use by_lap::{functions, with_reason};
pub use cells::CELLS;
pub use join::{StackPass, common};
pub use single::samples;

#[cfg(test)]
#[path = "tests/sampled.rs"]
mod tests;
