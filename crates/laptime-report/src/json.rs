//! The whole summary as JSON, as `docs/summary.schema.json` describes it.
//!
//! Names stand in it unchanged; JSON's own escapes make them safe in a text, and `<`, `>`
//! and `&` are escaped too, so that the text is also safe inside an HTML page.

use laptime_analysis::Summary;

/// Renders a summary.
pub fn render(summary: &Summary) -> String {
    safe(&serde_json::to_string_pretty(summary).unwrap_or_default())
}

/// JSON that is also safe inside an HTML page, with its last line's end.
pub fn safe(text: &str) -> String {
    // Outside of strings these characters never stand in JSON.
    text.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
        + "\n"
}
