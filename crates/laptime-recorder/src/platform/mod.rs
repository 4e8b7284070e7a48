//! What the recorder asks of the operating system, one file each.

mod linux;
mod threads;

pub use linux::*;
pub use threads::{is_running, thread_id_of};
