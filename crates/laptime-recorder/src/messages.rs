//! Messages on the program's standard error: the only place of this crate that writes there.
//!
//! A message is one line in one write, and best effort: it is dropped where it can't be written at
//! once, where descriptor 2 is no longer what the process began with (the program may have closed
//! it and opened a file of its own there), and in a pipe that nobody reads. It never panics, never
//! blocks and never raises a signal. None is written while a lock is held.

use std::fmt::Display;
use std::sync::OnceLock;

use crate::platform::{self, FileIdentity};

/// What descriptor 2 was when the recorder came in; `None`: closed.
static STDERR: OnceLock<Option<FileIdentity>> = OnceLock::new();

/// Longest message: a pipe takes as much in one piece, or nothing.
const LONGEST: usize = 4_096;

/// Remembers what descriptor 2 is, before the program can change it.
pub fn remember_stderr() {
    STDERR.get_or_init(|| platform::identity(libc::STDERR_FILENO));
}

/// Warns in one line: `laptime: warning: …`.
pub fn warn(message: &dyn Display) {
    remember_stderr();
    let known = STDERR.get().copied().flatten();
    if known.is_none() || known != platform::identity(libc::STDERR_FILENO) {
        return;
    }
    platform::write_if_ready(libc::STDERR_FILENO, line(&message.to_string()).as_bytes());
}

/// A warning as it is written: names of files may hold anything.
fn line(message: &str) -> String {
    let mut line = format!("laptime: warning: {message}").replace(char::is_control, " ");
    if line.len() >= LONGEST {
        let end = (0..LONGEST).rev().find(|end| line.is_char_boundary(*end));
        line.truncate(end.unwrap_or_default());
    }
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_one_line_of_bounded_length() {
        assert_eq!(line("a\nb\x1b[0m"), "laptime: warning: a b [0m\n");
        let long = line(&"é".repeat(LONGEST));
        assert!(long.len() <= LONGEST && long.ends_with("é\n"));
    }
}
