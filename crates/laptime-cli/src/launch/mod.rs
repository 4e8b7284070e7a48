//! Starting a program with recording on, and seeing it to its end.
//!
//! [`target`] says what to start, [`folder`] where it records, [`child`] starts it,
//! passes signals on (a `witness` tells which) and waits, [`watch`] looks after what runs below it, [`recorded`]
//! keeps `run.json`, [`peaks`] measures the machine before. `commands::run` puts them together.

pub mod child;
pub mod folder;
pub mod interpreters;
pub mod live_line;
pub mod peaks;
mod processes;
pub mod progress;
pub mod recorded;
pub mod target;
pub mod watch;
mod witness;
