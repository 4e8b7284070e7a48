//! Memory of spans on devices, as the allocator of the program's framework counts it.
//!
//! An allocator has one counter and one peak for a whole device. Wherever a span opens or closes,
//! a function outside ([`Look`]) reads them and hands them to [`read`]; [`frames`] folds each peak
//! into all laps that are open then, and a span that closed is written as a record of its own. Off
//! until [`turn_on`]. While it is off, [`is_on`] is one load of a byte, and nothing else happens.

#[cfg(test)]
mod allocator_model;
mod counter;
pub(crate) mod devices;
mod frames;
mod open;

pub use counter::{Bounds, Counter, Mode};
pub use devices::{Look, has_read, is_on, read, turn_off, turn_on, was_reset};
pub(crate) use devices::{Token, end, forget, open};
pub use frames::Reading;
pub(crate) use open::{Closed, OpenWithMemory};

#[cfg(test)]
mod sequences_tests;
