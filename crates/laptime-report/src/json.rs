//! The whole summary as JSON, as `docs/summary.schema.json` describes it.
//!
//! Names stand in it unchanged; JSON's own escapes make them safe in a text. `<`, `>` and `&` are
//! escaped too, so that the text is also safe inside an HTML page, and the control characters that
//! JSON itself allows, so that none acts on a terminal.

use std::fmt::Write as _;

use laptime_analysis::Summary;

/// Renders a summary.
pub fn render(summary: &Summary) -> String {
    safe(&serde_json::to_string_pretty(summary).unwrap_or_default())
}

/// JSON that is also safe inside an HTML page and on a terminal, with its last line's end.
///
/// Outside of strings none of the characters that are escaped ever stands in JSON.
pub fn safe(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 1);
    for character in text.chars() {
        match character {
            '<' | '>' | '&' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(safe, "\\u{:04x}", u32::from(character));
            }
            other => safe.push(other),
        }
    }
    safe.push('\n');
    safe
}
