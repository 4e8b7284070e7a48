//! Escaped text for a page: every character that markup could act on, written out.

use crate::document::names;

/// A backtick's escape; backticks end attributes in old browsers.
const BACKTICK: &str = "&#96;";

/// Escapes a text of unknown origin, on one line and of bounded length.
pub fn text(text: &str) -> String {
    escaped(&names::bounded(text))
}

/// Escapes a sentence of unknown origin whole, and shows text between two backticks as code.
pub fn sentence(text: &str) -> String {
    let escaped = bound(&escaped(&names::visible(text)));
    let parts: Vec<&str> = escaped.split(BACKTICK).collect();
    if parts.len().is_multiple_of(2) {
        return escaped; // one of them has no other
    }
    let mut out = String::with_capacity(escaped.len());
    for (index, part) in parts.into_iter().enumerate() {
        match index % 2 {
            0 => out.push_str(part),
            _ => out.extend(["<code>", part, "</code>"]),
        }
    }
    out
}

/// Keeps a number and its `%` on one line.
fn bound(text: &str) -> String {
    text.replace(" %", "\u{a0}%")
}

/// Escapes lines of code; a line break inside one is written out, as in a name.
pub fn code<T: AsRef<str>>(lines: &[T]) -> String {
    let shown = lines.iter().map(|line| match line.as_ref() {
        "" => String::new(), // no name, so no quotes either
        line => text(line),
    });
    shown.collect::<Vec<_>>().join("\n")
}

/// Escapes a name so that a script reads it again unchanged; `None` for one with hidden characters.
pub fn exact(name: &str) -> Option<String> {
    (names::visible(name) == name).then(|| escaped(name))
}

/// Escapes a text for the quotes of an attribute.
pub fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;")
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '`' => out.push_str(BACKTICK),
            character => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_keeps_its_lines() {
        assert_eq!(code(&["a:", "", "  b<c", "d\ne"]), "a:\n\n  b&lt;c\nd\\ne");
    }

    #[test]
    fn what_stands_between_backticks_is_code_and_stays_text() {
        assert_eq!(
            sentence("run `a <b>` and `c`"),
            "run <code>a &lt;b&gt;</code> and <code>c</code>"
        );
        assert_eq!(sentence("one ` alone"), "one &#96; alone");
        assert_eq!(text("a `name`"), "a &#96;name&#96;");
    }
}
