//! Tests of the workspace's own shape, in `tests/`.
//!
//! Which crate may use which is asserted over `cargo metadata`, which files stay small and
//! which crates are pure over the sources. Nothing is shipped from here.
