//! Which phase a training is in.
//!
//! Events come in, as a framework's functions begin and end: a batch is fetched, a module is called,
//! gradients are computed, an optimizer steps. The [`Machine`] of their thread decides what they
//! are part of, and answers with spans to open and close: [`Laps`]. What it must know about the
//! program it asks: [`Program`]. JAX, which announces what it compiles, has a machine of its own, the
//! [`Compilation`]. Neither reads a clock or keeps a span; so every rule is tested by
//! events with exact times.

#![forbid(unsafe_code)]

mod compilation;
mod laps;
mod loader;
mod machine;
mod program;

pub use compilation::{Compilation, Stage};
pub use laps::{Held, Laps, SpanId, Spot, Taken};
pub use loader::{Flag, Iteration, Loader, Use};
pub use machine::Machine;
pub use program::Program;
