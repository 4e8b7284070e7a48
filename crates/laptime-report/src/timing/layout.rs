//! What the layouts share.

/// Bytes in what the layouts call MB.
const MEGABYTE: f64 = 1_048_576.0;

/// Bytes as MB of 2²⁰ bytes.
pub fn megabytes(bytes: i64) -> f64 {
    bytes as f64 / MEGABYTE
}

/// A line of one character.
pub fn rule(character: &str, width: usize) -> String {
    character.repeat(width)
}
