//! The moment when a metric first reaches a target.

pub(crate) mod question;
pub mod relation;
pub(crate) mod search;
