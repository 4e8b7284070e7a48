//! The door for Rust programs.
