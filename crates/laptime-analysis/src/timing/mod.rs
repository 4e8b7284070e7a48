//! What `laptime.timing` computes: shares, speed-ups, latencies and the warm-up of epochs.
//!
//! Input are seconds that the door measured, output plain values that the report lays out.

mod inference;
mod shares;
mod speedup;
mod warmup;

pub use inference::{Latency, Steadiness};
pub use shares::{Shares, shares};
pub use speedup::{slowest, speedup};
pub use warmup::{EpochWarmup, epoch_warmup};

#[cfg(test)]
mod tests;
