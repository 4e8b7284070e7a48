//! The line that a tracked call prints when it is done.

use super::layout::megabytes;
use crate::name::visible;

/// What the line says after the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// `total`: only the time was asked for.
    NotAsked,
    /// Nothing: it was asked for and is not there.
    Unavailable,
    /// Peak of the process's memory, in bytes.
    HostPeak(i64),
    /// Peak of the device's memory, in bytes.
    DevicePeak(i64),
}

/// `MLP training complete: 45.32s total` and its kin.
pub fn complete(name: &str, seconds: f64, memory: Memory) -> String {
    let rest = match memory {
        Memory::NotAsked => " total".to_owned(),
        Memory::Unavailable => String::new(),
        Memory::HostPeak(bytes) => format!(", peak memory: {:.1} MB", megabytes(bytes)),
        Memory::DevicePeak(bytes) => format!(", GPU peak: {:.1} MB", megabytes(bytes)),
    };
    format!("{} complete: {seconds:.2}s{rest}", visible(name))
}
