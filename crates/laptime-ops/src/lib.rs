//! What operations cost: FLOP, MAC, transcendentals, bytes, from shapes alone.
//!
//! A feed (`PyTorch`, JAX, ONNX, a Rust program) describes each call as an [`Event`]. A
//! [`vocabulary`] knows a dialect's operators and hands their sizes to a [`family`], which holds
//! the formulas, each with its source. The [`Ledger`] adds up what comes back by operator, module
//! and phase. Every event ends counted, zero by definition, or uncounted with a reason.
//!
//! The crate is pure: it runs nothing, reads no file and knows no framework.

#![forbid(unsafe_code)]

pub mod event;
pub mod family;
pub mod formulas;
pub mod growth;
pub mod ledger;
pub mod modules;
pub mod outcome;
pub mod published_ceilings;
pub mod tensor;
pub mod vocabulary;

pub use event::{Argument, Event, Repeat, Signature};
pub use formulas::Formulas;
pub use laptime_core::operations::{Cost, Counts, Phase};
pub use ledger::Ledger;
pub use modules::{ModuleId, Modules};
pub use outcome::Outcome;
pub use tensor::{Dtype, Tensor};
