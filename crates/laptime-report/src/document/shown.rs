//! The gate: text that may reach a terminal, a document or a spreadsheet, whatever was put into it.
//!
//! What is measured names itself: programs, laps, machines, files. Each renderer makes names readable where it places
//! them; here nothing is left that acts instead of being seen, wherever it came from. Commands print nothing else than
//! what came through.

use std::fmt::{self, Display, Formatter, Write};
use std::ops::Deref;

use laptime_core::is_hidden;

use crate::text::paint::Style;

/// Text in which nothing acts on what shows it, apart from line ends and the colours of [`Style`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown(String);

impl Shown {
    /// Takes one line.
    pub fn line(text: &str) -> Self {
        Self(crate::visible(text))
    }

    /// Takes lines with their colours.
    pub fn lines(text: &str) -> Self {
        Self(through(text, &['\n']))
    }

    /// Takes rows whose ends are those of RFC 4180.
    pub fn csv(text: &str) -> Self {
        Self(through(text, &['\n', '\r']))
    }

    /// Takes lines that another library gave colours.
    pub fn coloured(text: &str) -> Self {
        let mut pieces = text.split("\u{1b}[");
        let mut shown = through(pieces.next().unwrap_or_default(), &['\n']);
        for piece in pieces {
            let code = piece.find(|one: char| !one.is_ascii_digit() && one != ';');
            let is_colour = code.is_some_and(|end| piece[end..].starts_with('m'));
            shown += if is_colour { "\u{1b}[" } else { "\\u{1b}[" };
            shown += &through(piece, &['\n']);
        }
        Self(shown)
    }

    /// Takes JSON, also inside an HTML page, with its last line's end; its values stay as they are.
    ///
    /// Outside of strings none of the characters that are escaped ever stands in JSON.
    pub fn json(text: String) -> Self {
        let acts = |one: char| matches!(one, '<' | '>' | '&') || (is_hidden(one) && one != '\n');
        let mut safe = text;
        safe.truncate(safe.trim_end_matches('\n').len());
        if safe.contains(acts) {
            let mut escaped = String::with_capacity(safe.len() + 1);
            for character in safe.chars() {
                if acts(character) {
                    for unit in character.encode_utf16(&mut [0; 2]) {
                        let _ = write!(escaped, "\\u{unit:04x}");
                    }
                } else {
                    escaped.push(character);
                }
            }
            safe = escaped;
        }
        safe.push('\n');
        Self(safe)
    }

    /// Returns the text as an owned string.
    pub fn into_string(self) -> String {
        self.0
    }
}

impl Deref for Shown {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Display for Shown {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

fn through(text: &str, kept: &[char]) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match Style::of_mark(character) {
            Some(code) => {
                let _ = write!(shown, "\u{1b}[{code}m");
            }
            None if is_hidden(character) && !kept.contains(&character) => {
                shown += &crate::visible(character.encode_utf8(&mut [0; 4]));
            }
            None => shown.push(character),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::paint::Paint;

    #[test]
    fn colours_come_through_and_nothing_else_does() {
        let text = Paint::new(true).with(Style::Strong, "a\u{1b}[2Jb") + "\n\u{202e}c\r\t";
        let shown = "\u{1b}[1ma\\u{1b}[2Jb\u{1b}[0m\n\\u{202e}c\\r\\t";
        assert_eq!(&*Shown::lines(&text), shown);
        assert_eq!(&*Shown::csv("a\r\n\t"), "a\r\n\\t");
        let shown = Shown::coloured("\u{1b}[1;33mno\u{1b}[0m\u{1b}[2J\u{1b}\n\u{1b}[");
        let safe = "\u{1b}[1;33mno\u{1b}[0m\\u{1b}[2J\\u{1b}\n\\u{1b}[";
        assert_eq!(&*shown, safe);
        assert_eq!(&*Shown::line("a\nb"), "a\\nb");
    }

    proptest! {
        #[test]
        fn no_text_acts_on_a_terminal(text in any::<String>()) {
            for shown in [Shown::line(&text), Shown::lines(&text), Shown::csv(&text)] {
                let acts = |one: char| is_hidden(one) && !"\r\n".contains(one);
                let shown = shown.into_string().replace("\u{1b}[", "");
                prop_assert!(!shown.contains(acts), "{shown:?}");
            }
        }

        #[test]
        fn json_means_what_it_meant(text in any::<String>()) {
            let json = Shown::json(serde_json::to_string(&text).unwrap()).into_string();
            prop_assert_eq!(&serde_json::from_str::<String>(&json).unwrap(), &text);
            prop_assert!(!json.trim_end().contains(is_hidden));
        }
    }
}
