//! What every format is told at its start: where the bytes go, and what run it is.

use std::io::Write;

/// Where the bytes go.
pub type Output<'w> = Box<dyn Write + 'w>;

/// What is told of the run as a whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    /// The program's or script's name.
    pub program: String,
    /// Time zero, since 1970.
    pub zero_realtime_ns: u64,
    /// Time zero, on `CLOCK_MONOTONIC`.
    pub zero_ns: u64,
}
