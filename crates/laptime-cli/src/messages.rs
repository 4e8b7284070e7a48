//! Messages: where errors, warnings and hints become text on the standard error.
//!
//! Messages carry text of unknown origin: names in files, paths, what another program said. It is
//! shown, never obeyed by the terminal. A message that cannot be written changes nothing.

use std::fmt::Display;
use std::path::Path;

use laptime_report::{Shown, next_command};

use crate::outlet::Outlet;

/// Says one line. Everything that would act on the terminal, or begin a line, is written out.
pub fn say(err: &mut Outlet<'_>, text: impl Display) {
    let line = Shown::line(&text.to_string());
    let _ = err.show(&Shown::lines(&format!("{line}\n")));
}

/// Says what may have several lines, such as a framework's own words.
pub fn say_lines(err: &mut Outlet<'_>, text: impl Display) {
    for line in text.to_string().lines() {
        say(err, line);
    }
}

/// A path as it can be typed in a shell.
pub fn quoted(path: &Path) -> String {
    next_command::quoted(&path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_said_acts_on_a_terminal() {
        let mut written = Vec::new();
        let mut said = Outlet::new(&mut written);
        say(&mut said, "cannot read a\u{1b}[2J\rb\nhint: rm");
        say_lines(&mut said, "first\u{9b}1m\nsecond\u{202e}");
        assert_eq!(
            String::from_utf8(written).unwrap(),
            "cannot read a\\u{1b}[2J\\rb\\nhint: rm\nfirst\\u{9b}1m\nsecond\\u{202e}\n"
        );
    }
}
