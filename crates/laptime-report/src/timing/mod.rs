//! The printed layouts of `laptime.timing`, kept to the character: people parse them.
//!
//! Columns are counted in characters, as Python's format strings do. Names are shown on one
//! line; MB are 2²⁰ bytes. A table ends without a line break: the door's `print` adds it.

mod export;
mod inference;
mod phases;
mod speedup;
mod summary;
mod track;
mod warmup;

pub use export::{Value, csv, json};
pub use inference::inference;
pub use phases::breakdown;
pub use speedup::speedup_analysis;
pub use summary::{Row, summary};
pub use track::{Memory, complete};
pub use warmup::{Figures, warmup};

/// Bytes in what the layouts call MB.
const MEGABYTE: f64 = 1_048_576.0;

/// Bytes as MB of 2²⁰ bytes.
pub fn megabytes(bytes: i64) -> f64 {
    bytes as f64 / MEGABYTE
}

/// A line of one character.
fn rule(character: &str, width: usize) -> String {
    character.repeat(width)
}

#[cfg(test)]
mod tests;
