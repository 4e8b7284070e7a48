//! Names of unknown origin, made safe to show: on a terminal, in a sentence, in a cell.
//!
//! A name may hold newlines, terminal escapes, invisible or direction-changing characters. JSON and
//! Arrow carry it whole; what people or spreadsheets look at carries it as text on one line.

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

/// Characters that would act on the terminal or the text around them instead of being seen.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fdd0}'..='\u{fdef}' | '\u{e0000}'..='\u{e007f}'
        )
}

/// Starts that make a formula of a cell.
const FORMULA: [char; 4] = ['=', '+', '-', '@'];

/// A field of a CSV row, in quotes where it needs them.
///
/// Spreadsheets run what looks like a formula, `=cmd|…` included: an apostrophe before it makes it
/// text. Control characters are written out. JSON and Arrow have names as they are.
pub fn csv_field(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let is_formula = text.trim_start().starts_with(FORMULA) && text.parse::<f64>().is_err();
    let mark = if is_formula || text.starts_with(['\t', '\r', '\n']) {
        "'"
    } else {
        ""
    };
    let text = format!("{mark}{}", visible(text));
    if text.contains(['"', ',']) || text.starts_with(' ') || text.ends_with(' ') {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::csv_field;

    #[test]
    fn no_cell_is_a_formula_or_acts_on_a_terminal() {
        for (name, cell) in [
            ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
            ("+1+1", "'+1+1"),
            ("-1+1", "'-1+1"),
            ("@SUM(1,2)", "\"'@SUM(1,2)\""),
            (" =1", "' =1"),
            ("\t=1", "'\\t=1"),
            ("\r=1", "'\\r=1"),
            ("a=1\u{1b}[2J", "a=1\\u{1b}[2J"),
            ("two\nlines", "two\\nlines"),
            ("-1.5e-3", "-1.5e-3"),
            ("plain", "plain"),
            ("", ""),
        ] {
            assert_eq!(csv_field(name), cell);
        }
    }
}
