//! The workspace's own sources as syntax, for the tests of its shape in `tests/it`.
//!
//! [`sources`] walks the crates and parses each file once; [`syntax`] is what a file says: its imports,
//! functions and calls, without what is compiled for tests only. Nothing is shipped from here.

pub mod sources;
pub mod syntax;
