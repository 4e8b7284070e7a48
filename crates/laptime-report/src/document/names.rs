//! Names of unknown origin, made safe to show.
//!
//! A name may hold newlines, terminal escapes, invisible or direction-changing characters,
//! markup or ten thousand letters. It is shown as text on one line, shortened in its middle
//! where room is short. JSON and Arrow carry it whole.

pub use laptime_core::visible;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Longest name shown where there is no column to fit it in, in columns.
pub const LONGEST: usize = 200;
/// Longest name among others on a line, in columns.
const SHORT: usize = 40;

/// Returns a name for a sentence: made visible, and short enough to leave room for others.
pub fn short(name: &str) -> String {
    fitted(&visible(name), SHORT, "…")
}

/// Returns a name made visible and at most [`LONGEST`] columns wide, for a place without a column.
pub fn bounded(name: &str) -> String {
    fitted(&visible(name), LONGEST, "…")
}

/// Returns a printed path for a sentence: `request /login/parse`, where the printed path has `\/` for the slash
/// inside a name.
pub fn path(path: &str) -> String {
    short(&laptime_core::path::split(path).join("/"))
}

/// Returns how many columns a text takes on a terminal.
pub fn columns(text: &str) -> usize {
    text.width()
}

/// Shortens a text in its middle to at most `room` columns.
pub fn fitted(text: &str, room: usize, ellipsis: &str) -> String {
    if columns(text) <= room {
        return text.to_owned();
    }
    let left = room.saturating_sub(columns(ellipsis));
    // The end of a name tells more than its start: `model.layers.11.attention`.
    let head = taken(text.chars(), left / 3);
    let tail: String = taken(text.chars().rev(), left - columns(&head))
        .chars()
        .rev()
        .collect();
    format!("{head}{ellipsis}{tail}")
}

fn taken(characters: impl Iterator<Item = char>, room: usize) -> String {
    let mut used = 0;
    characters
        .take_while(|character| {
            used += character.width().unwrap_or(0);
            used <= room
        })
        .collect()
}

#[cfg(test)]
#[path = "tests/names.rs"]
mod tests;
