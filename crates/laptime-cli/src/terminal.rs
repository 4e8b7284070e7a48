//! What the terminal can show: colour, width, Unicode.
//!
//! `NO_COLOR`, `FORCE_COLOR`, `COLUMNS` and `CI` decide before the terminal is asked.

use std::env;
use std::io::IsTerminal;

/// One of the two output streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// Whether somebody looks at the stream.
pub fn is_terminal(stream: Stream) -> bool {
    match stream {
        Stream::Out => std::io::stdout().is_terminal(),
        Stream::Err => std::io::stderr().is_terminal(),
    }
}

/// Whether to colour what is written to the stream.
///
/// `FORCE_COLOR` (not `0`) beats `NO_COLOR` (not empty) beats what the stream is.
pub fn is_coloured(stream: Stream) -> bool {
    let is_dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
    let is_ci = env::var_os("CI").is_some();
    match (env::var_os("FORCE_COLOR"), env::var_os("NO_COLOR")) {
        (Some(force), _) if !force.is_empty() => force != "0",
        (_, Some(no)) if !no.is_empty() => false,
        _ => is_terminal(stream) && !is_dumb && !is_ci,
    }
}
