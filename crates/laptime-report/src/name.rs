//! Names of unknown origin, made safe to show.
//!
//! A name may hold newlines, terminal escapes, invisible or direction-changing characters,
//! markup or ten thousand letters. It is shown as text on one line, shortened in its middle
//! where room is short. JSON and Arrow carry it whole.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Longest name shown where there is no column to fit it in, in columns.
pub const LONGEST: usize = 200;
/// Longest name among others on a line, in columns.
const SHORT: usize = 40;

/// Control, invisible and direction-changing characters written out; an empty name as two quotes.
pub fn visible(name: &str) -> String {
    if name.is_empty() {
        return "\"\"".to_owned();
    }
    let mut text = String::with_capacity(name.len());
    for character in name.chars() {
        match character {
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            character if is_hidden(character) => text.extend(character.escape_unicode()),
            character => text.push(character),
        }
    }
    text
}

/// A name as it stands in a sentence: made visible, and no longer than leaves room for the others.
pub fn short(name: &str) -> String {
    fitted(&visible(name), SHORT, "…")
}

/// Characters that would act on the terminal or the text around them instead of being seen.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
        )
}

/// Columns that a text takes on a terminal.
pub fn columns(text: &str) -> usize {
    text.width()
}

/// Shortened in its middle to at most `room` columns.
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
#[path = "name_tests.rs"]
mod tests;
