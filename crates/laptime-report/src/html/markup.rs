//! Text in a page: every character that markup could act on, written out.

use crate::name;

/// A text of unknown origin, on one line, of bounded length.
pub fn text(text: &str) -> String {
    escaped(&name::fitted(&name::visible(text), name::LONGEST, "…"))
}

/// A sentence of unknown origin, whole.
pub fn sentence(text: &str) -> String {
    escaped(&name::visible(text))
}

/// A name that a script reads again as it was; `None` for one with hidden characters.
pub fn exact(name: &str) -> Option<String> {
    (name::visible(name) == name).then(|| escaped(name))
}

/// A text as it is, between the quotes of an attribute.
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
            '`' => out.push_str("&#96;"),
            character => out.push(character),
        }
    }
    out
}
