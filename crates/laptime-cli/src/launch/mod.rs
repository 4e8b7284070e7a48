//! Starting a program with recording on, and seeing it to its end.
//!
//! [`target`] says what to start, [`folder`] where it records, [`child`] starts it,
//! passes signals on and waits, [`moment`] reads the clocks. `commands::run` puts them
//! together.

pub mod child;
pub mod folder;
pub mod moment;
pub mod target;
