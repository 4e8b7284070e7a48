//! Starting a program with recording on, and seeing it to its end.
//!
//! [`target`] says what to start (a `request` that was typed), [`folder`] where it records, [`child`] starts it
//! with what it has [`inherited`] and waits, [`ending`] ends as it did, [`signals`] are passed on (a `witness` tells which), [`streams`] left to it,
//! [`watch`] looks after what runs below it, [`recorded`] keeps `run.json`, [`peaks`] measures the machine before.
//! `commands::run` puts them together.

pub mod child;
pub mod ending;
pub mod folder;
mod image;
mod inherited;
pub mod interpreters;
pub mod masks;
pub mod peaks;
mod proc_state;
mod processes;
pub mod recorded;
mod request;
pub mod signals;
pub mod streams;
pub mod target;
pub mod watch;
mod witness;
