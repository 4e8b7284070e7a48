//! A line on the terminal while commands run: which one, the how many-th run, and since when.
//!
//! What the commands write goes nowhere, so the line can stand where the cursor is.

use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use laptime_report::visible;

use crate::terminal::{self, Stream};

/// The line is written at most so often a second.
const HERTZ: u8 = 10;

/// The line. Dropping it takes it away.
pub struct Progress {
    line: ProgressBar,
    begun: Instant,
    runs: u64,
}

impl Progress {
    /// A line on standard error, where somebody looks at it and nothing else is shown there.
    pub fn new(is_taken: bool) -> Self {
        let is_shown = !is_taken && terminal::is_live(Stream::Err);
        let target = if is_shown {
            ProgressDrawTarget::stderr_with_hz(HERTZ)
        } else {
            ProgressDrawTarget::hidden()
        };
        let style = ProgressStyle::with_template("{wide_msg}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
        Self {
            line: ProgressBar::with_draw_target(None, target).with_style(style),
            begun: Instant::now(),
            runs: 0,
        }
    }

    /// A run of a command begins. How long all will take, about, where that is known.
    pub fn begins(&mut self, name: &str, expected_ns: Option<f64>) {
        self.runs += 1;
        let spent_s = self.begun.elapsed().as_secs_f64();
        let said = line(spent_s, expected_ns.map(|ns| ns / 1e9), self.runs, name);
        self.line.set_message(said);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.line.finish_and_clear();
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
