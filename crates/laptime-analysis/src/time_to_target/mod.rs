//! When a metric first reaches a target.

pub mod relation;
pub(crate) mod search;
