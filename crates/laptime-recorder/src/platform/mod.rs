//! What the recorder asks of the operating system, one file each.

mod address_space;
mod linux;
mod threads;

pub use address_space::{address_space_left, has_room};
pub use linux::*;
pub use threads::{is_running, thread_id_of, used_ns};
