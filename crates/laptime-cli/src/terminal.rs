//! What the terminal can show: colour, width, Unicode.
//!
//! `NO_COLOR`, `FORCE_COLOR`, `COLUMNS`, `CI` and the locale decide before the terminal
//! is asked.

use std::env;
use std::io::IsTerminal;

use rustix::termios::tcgetwinsize;

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
    match (env::var_os("FORCE_COLOR"), env::var_os("NO_COLOR")) {
        (Some(force), _) if !force.is_empty() => force != "0",
        (_, Some(no)) if !no.is_empty() => false,
        _ => is_terminal(stream) && !is_dumb() && !is_ci(),
    }
}

/// Whether a line may be redrawn in place on the stream.
pub fn is_live(stream: Stream) -> bool {
    is_terminal(stream) && !is_dumb() && !is_ci()
}

/// Columns: `COLUMNS`, else the terminal's; `None` when neither says.
pub fn width(stream: Stream) -> Option<usize> {
    let asked = env::var("COLUMNS")
        .ok()
        .and_then(|text| text.trim().parse().ok());
    asked
        .filter(|columns| *columns > 0)
        .or_else(|| size(stream).map(|(columns, _)| columns))
}

/// Columns and rows of the terminal behind the stream.
pub fn size(stream: Stream) -> Option<(usize, usize)> {
    let size = match stream {
        Stream::Out => tcgetwinsize(std::io::stdout()),
        Stream::Err => tcgetwinsize(std::io::stderr()),
    };
    let size = size.ok().filter(|size| size.ws_col > 0)?;
    Some((usize::from(size.ws_col), usize::from(size.ws_row)))
}

/// Whether characters beyond ASCII arrive: on a terminal the locale decides, files take them.
pub fn is_utf8(stream: Stream) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .filter_map(|name| env::var(name).ok())
        .find(|value| !value.is_empty());
    match locale {
        Some(locale) if is_terminal(stream) => {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        }
        _ => true,
    }
}

fn is_dumb() -> bool {
    env::var_os("TERM").is_some_and(|term| term == "dumb")
}

fn is_ci() -> bool {
    env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false" && value != "0")
}
