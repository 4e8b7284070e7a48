//! What files of functions are called in a recording, and which script or module they are named relative to.

mod places;
mod program;

pub use places::{FileName, Places, plain};
pub use program::Program;
