//! Exit codes of the command.
//!
//! 0 ok · 1 error · 2 usage · 3 regression · 4 inconclusive · 5 not comparable · 6 unreadable file ·
//! 101 a mistake of ours; `run` has 125 for its own failures,
//! 126 for a program that cannot be executed and 127 for one that isn't there.

/// Ended well.
pub const OK: i32 = 0;
/// Ended by an error that has no code of its own.
pub const ERROR: i32 = 1;
/// Typed or configured wrongly.
pub const USAGE: i32 = 2;
/// What was compared got worse.
pub const REGRESSION: i32 = 3;
/// Whether what was compared got worse can't be told, and was to be.
pub const INCONCLUSIVE: i32 = 4;
/// What was compared can't be.
pub const NOT_COMPARABLE: i32 = 5;
/// A file could not be read as a recording.
pub const UNREADABLE: i32 = 6;
/// A mistake of the command's own, as where a Rust program panics.
pub const INTERNAL: i32 = 101;
/// `run` itself failed; the program was not started.
pub const RUN_FAILED: i32 = 125;
/// The program is there but cannot be executed.
pub const NOT_EXECUTABLE: i32 = 126;
/// The program isn't there.
pub const NOT_FOUND: i32 = 127;
