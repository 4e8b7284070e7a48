//! The automatic phases of torch: from calls of torch's functions to the machine of their thread.
//!
//! [`overlay`] lies over those functions, by way of [`hooks`]; it tells the machine of its
//! thread ([`thread`]) what begins and ends. The machine is `laptime_phases`'s; what it opens and
//! closes the [`recorder`] records, and what it asks about the program Python answers, through
//! [`process`]. Patching torch is Python's business: `laptime.integrations`.

pub mod call;
mod counting;
mod dictionary;
mod exchanges;
mod hooks;
mod input_sizes;
pub mod overlay;
pub mod own_python;
mod passes;
pub mod process;
mod program;
mod ranges;
pub mod recorder;
pub mod thread;
