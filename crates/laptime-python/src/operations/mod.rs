//! What operations cost: the way from a framework's calls to `laptime-ops`, and what comes back.
//!
//! A [`feed::Feed`] takes calls, whose tensors are [`shape::Shape`]s, and hands them to the ledger
//! a batch at a time; [`counts::OpCounts`] is the account, its rows are [`row::OpRow`]s. Formulas
//! of the user's are Python functions of an [`formula::OpCall`].

mod argument;
pub mod cost;
pub mod counts;
pub mod feed;
pub mod formula;
mod lookup_errors;
pub mod onnx;
mod rendering;
pub mod row;
pub mod shape;
pub mod torch;
