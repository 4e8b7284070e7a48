//! The recordings of the working folder: where they lie, which are there, and how a short name finds one.
//!
//! [`folder`] is `.laptime/runs`, which `laptime run` records into; [`found`] is one recording as far as `run.json`
//! tells; [`listing`] are all of them, the newest first; [`names`] finds what was typed; [`reminder`] says when they have
//! become many.

pub mod folder;
pub mod found;
pub mod listing;
pub mod names;
pub mod reminder;
