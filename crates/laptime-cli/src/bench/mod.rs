//! `laptime bench`: commands that are run again and again, and what they took.
//!
//! [`contenders`] makes them of what was typed, [`measure`] runs them as the plan of
//! [`laptime_analysis`] says, and [`text()`], [`markdown`] and [`json()`] show what was found.

mod command;
mod complaints;
mod error;
mod json;
mod measure;
mod plain_signals;
mod progress;
mod text;
mod timeout;
mod typed;

pub use command::{Contender, in_shell};
pub use error::BenchError;
pub use json::json;
pub use measure::{Asked, Beside, Found, measure};
pub use text::{FORMATS, markdown, text};
pub use typed::contenders;
