//! The printed layouts of `laptime.timing`, kept to the character: people parse them.
//!
//! Columns are counted in characters, as Python's format strings do. Names are shown on one
//! line; MB are 2²⁰ bytes. A table ends without a line break: the door's `print` adds it.

mod export;
mod inference;
mod layout;
mod phases;
mod speedup;
mod summary;
mod track;
mod warmup;

pub use export::{Value, csv, json};
pub use inference::inference;
pub use layout::megabytes;
pub use phases::breakdown;
pub use speedup::speedup_analysis;
pub use summary::{Row, summary};
pub use track::{Memory, complete};
pub use warmup::{Figures, warmup};

#[cfg(test)]
mod tests;
