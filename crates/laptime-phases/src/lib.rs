//! Which phase a training is in.
//!
//! Events come in, as a framework's functions begin and end: a batch is fetched, a module is called,
//! gradients are computed, an optimizer steps. The [`Machine`] of their thread decides what they
//! are part of, and answers with spans to open and close: [`Laps`]. What it must know about the
//! program it asks: [`Program`]. It reads no clock and keeps no span; so every rule is tested by
//! events with exact times.

#![forbid(unsafe_code)]

mod laps;
mod loader;
mod machine;
mod program;

pub use laps::{Held, Laps, SpanId, Spot, Taken};
pub use loader::{Flag, Iteration, Loader, Use};
pub use machine::Machine;
pub use program::Program;
