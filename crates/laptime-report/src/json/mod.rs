//! All numbers as JSON, and the schemas that describe it.

pub(crate) mod comparison;
pub(crate) mod doubts_as_text;
pub(crate) mod finding;
pub(crate) mod headline;
pub(crate) mod inference;
pub mod operations;
pub(crate) mod ranks;
#[cfg(feature = "schema")]
pub mod schemas;
pub(crate) mod summary;
