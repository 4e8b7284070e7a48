//! Exit codes of the command.
//!
//! 0 ok · 1 error · 2 usage · 6 unreadable file; `run` has 125 for its own failures,
//! 126 for a program that cannot be executed and 127 for one that isn't there.

/// Ended well.
pub const OK: i32 = 0;
/// Ended by an error that has no code of its own.
pub const ERROR: i32 = 1;
/// Typed or configured wrongly.
pub const USAGE: i32 = 2;
/// A file could not be read as a recording.
pub const UNREADABLE: i32 = 6;
/// `run` itself failed; the program was not started.
pub const RUN_FAILED: i32 = 125;
/// The program is there but cannot be executed.
pub const NOT_EXECUTABLE: i32 = 126;
/// The program isn't there.
pub const NOT_FOUND: i32 = 127;
