//! What the recorder asks of the operating system, one file each.

mod linux;

pub use linux::*;
