//! Windows of steps, handed to who listens in the program's own thread when a step ends.
//!
//! Nobody listens, mostly: then nothing of this is on the way of a lap, since a `with` ends in
//! another function when somebody does ([`kinds`](crate::fast::lap::kinds)). A window is taken at the
//! moment when its last step ends; who listens is called once nothing of Laptime's is under way.

pub mod listener;
mod listening;
pub mod window;

pub use listening::{closing, deliver, ended, is_on, on_switch};
