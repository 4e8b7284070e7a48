//! The live line: one line of the terminal that is kept current while the program runs.
//!
//! The program writes to the same terminal, so the line lives in the last row, outside of
//! the region that scrolls (as apt's progress bar does): the program's output stays as it
//! is. A terminal that does not tell its size gets no line: there is no row to set aside.

use std::io::{self, Write};

use crate::terminal::{self, Stream};

/// Fewest rows that leave the program something.
const MIN_ROWS: usize = 4;

/// The line. Dropping it gives the terminal back.
#[derive(Debug)]
pub struct LiveLine<W: Write> {
    terminal: W,
    size: fn() -> Option<(usize, usize)>,
    /// Rows of the terminal while its last one is set aside.
    set_aside: Option<usize>,
}

impl LiveLine<io::Stderr> {
    /// A line on standard error; `None` when nobody looks at it.
    pub fn on_stderr() -> Option<Self> {
        terminal::is_live(Stream::Err)
            .then(|| Self::new(io::stderr(), || terminal::size(Stream::Err)))
    }
}

impl<W: Write> LiveLine<W> {
    fn new(terminal: W, size: fn() -> Option<(usize, usize)>) -> Self {
        Self {
            terminal,
            size,
            set_aside: None,
        }
    }

    /// Shows `text` instead of what stood there. A terminal that went away is no error.
    pub fn show(&mut self, text: &str) {
        let Some((columns, rows)) = (self.size)().filter(|(_, rows)| *rows >= MIN_ROWS) else {
            self.clear();
            return;
        };
        let text: String = text
            .chars()
            .filter(|c| !c.is_control())
            .take(columns.saturating_sub(1))
            .collect();
        // A new row at the bottom (by an index, which stays in its column, where a newline would go
        // to the first); then: save the cursor, scroll above it only, restore, one up.
        let region = if self.set_aside == Some(rows) {
            String::new()
        } else {
            format!("\x1bD\x1b7\x1b[1;{}r\x1b8\x1b[1A", rows - 1)
        };
        self.set_aside = Some(rows);
        self.write(&format!("{region}\x1b7\x1b[{rows};1H\x1b[2K{text}\x1b8"));
    }

    /// Takes the line away and gives its row back.
    fn clear(&mut self) {
        if let Some(rows) = self.set_aside.take() {
            self.write(&format!("\x1b7\x1b[r\x1b[{rows};1H\x1b[2K\x1b8"));
        }
    }

    /// In one piece, so that the program's output does not come in between.
    fn write(&mut self, bytes: &str) {
        let _ = self.terminal.write_all(bytes.as_bytes());
        let _ = self.terminal.flush();
    }
}

impl<W: Write> Drop for LiveLine<W> {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(size: fn() -> Option<(usize, usize)>, texts: &[&str]) -> String {
        let mut terminal = Vec::new();
        let mut line = LiveLine::new(&mut terminal, size);
        for text in texts {
            line.show(text);
        }
        drop(line);
        String::from_utf8(terminal).unwrap().replace('\x1b', "^")
    }

    #[test]
    fn the_last_row_is_set_aside_once_and_given_back() {
        let bytes = drawn(|| Some((80, 24)), &["one", "two"]);
        insta::assert_snapshot!(bytes.replace("^8", "^8\n"), @r"
        ^D^7^[1;23r^8
        ^[1A^7^[24;1H^[2Kone^8
        ^7^[24;1H^[2Ktwo^8
        ^7^[r^[24;1H^[2K^8
        ");
    }

    #[test]
    fn without_a_size_or_room_nothing_is_drawn() {
        assert_eq!(drawn(|| None, &["one"]), "");
        assert_eq!(drawn(|| Some((80, 3)), &["one"]), "");
    }

    #[test]
    fn a_name_cannot_steer_the_terminal_or_wrap() {
        let drawn_row = |text| drawn(|| Some((20, 24)), &[text]);
        assert!(drawn_row("\x1b[31mred\n").contains("^[2K[31mred^8"));
        let long = "x".repeat(300);
        assert!(drawn_row(&long).contains(&format!("^[2K{}^8", "x".repeat(19))));
    }

    #[test]
    fn a_line_never_shown_leaves_the_terminal_alone() {
        assert_eq!(drawn(|| Some((80, 24)), &[]), "");
    }
}
