//! `laptime bench`: commands that are run again and again, and what they took.
//!
//! [`contenders`] makes them of what was typed, [`measure`] runs them as the plan of
//! [`laptime_analysis`] says, and `commands/bench.rs` shows what was found.

mod command;
mod complaints;
mod interrupt;
mod measure;
mod progress;
mod timeout;

pub use command::{Contender, checked, contenders};
pub use measure::{Asked, Beside, Found, measure};
