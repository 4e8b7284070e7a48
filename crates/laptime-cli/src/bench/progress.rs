//! A line on the terminal while commands run: which one, the how many-th run, and since when.
//!
//! What the commands write goes nowhere, so the line can stand where the cursor is.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use laptime_report::visible;

use crate::terminal::{self, Stream};

/// The line is written again after so long.
const EVERY: Duration = Duration::from_millis(100);
/// Columns of a terminal that doesn't tell them.
const COLUMNS: usize = 80;

/// The line. Dropping it takes it away.
pub struct Progress {
    is_shown: bool,
    begun: Instant,
    runs: u64,
    last: Option<Instant>,
}

impl Progress {
    /// A line on standard error, where somebody looks at it and nothing else is shown there.
    pub fn new(is_taken: bool) -> Self {
        Self {
            is_shown: !is_taken && terminal::is_live(Stream::Err),
            begun: Instant::now(),
            runs: 0,
            last: None,
        }
    }

    /// A run of a command begins. How long all will take, about, where that is known.
    pub fn begins(&mut self, name: &str, expected_ns: Option<f64>) {
        self.runs += 1;
        let is_due = self.last.is_none_or(|last| last.elapsed() >= EVERY);
        if !self.is_shown || !is_due {
            return;
        }
        self.last = Some(Instant::now());
        let width = terminal::size(Stream::Err).map_or(COLUMNS, |(columns, _)| columns);
        let line = line(
            self.begun.elapsed().as_secs_f64(),
            expected_ns.map(|ns| ns / 1e9),
            self.runs,
            name,
        );
        let line: String = line.chars().take(width.saturating_sub(1)).collect();
        let _ = write!(io::stderr(), "\r\x1b[2K{line}");
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.last.is_some() {
            let _ = write!(io::stderr(), "\r\x1b[2K");
        }
    }
}

/// `4 s of about 10 s, run 12: old`.
fn line(spent_s: f64, expected_s: Option<f64>, run: u64, name: &str) -> String {
    let of = expected_s.filter(|expected| spent_s < *expected);
    let of = of.map_or_else(String::new, |expected| format!(" of about {expected:.0} s"));
    format!("{spent_s:.0} s{of}, run {run}: {}", visible(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_the_time_the_run_and_the_command() {
        assert_eq!(
            line(4.2, Some(10.0), 12, "old"),
            "4 s of about 10 s, run 12: old"
        );
        assert_eq!(
            line(14.2, Some(10.0), 13, "a\x1bb"),
            r"14 s, run 13: a\u{1b}b"
        );
        assert_eq!(line(0.0, None, 1, "new"), "0 s, run 1: new");
    }
}
