//! Lines whose cells stand below each other, where the last cell is a sentence that goes on below itself.

use super::column_widths::pad_end;
use super::glyphs::Glyphs;
use super::wrap;
use crate::document::names;

/// Columns between two cells.
const BETWEEN: &str = "  ";
/// Least room of the last cell: below it a terminal wraps by itself.
const LEAST_ROOM: usize = 24;

/// Writes rows of a name, a value and a sentence for a terminal of so many columns; each in one line where nobody says
/// how many.
pub fn wrapped_cells(rows: &[[&str; 3]], width: Option<usize>) -> String {
    let widths = rows.iter().map(|row| names::columns(row[0]));
    let first = widths.max().unwrap_or(0);
    // A value that no sentence follows needs no room beside others.
    let followed = rows.iter().filter(|row| !row[2].is_empty());
    let widths = followed.map(|row| names::columns(row[1]));
    let second = widths.max().unwrap_or(0);
    let taken = first + second + 2 * BETWEEN.len();
    let ellipsis = Glyphs::new(true).ellipsis;
    let mut out = String::new();
    for [name, value, sentence] in rows {
        let lines = match width {
            Some(width) => {
                let room = width.saturating_sub(taken).max(LEAST_ROOM);
                wrap::lines(sentence, room, ellipsis)
            }
            None => vec![(*sentence).to_owned()],
        };
        for (at, line) in lines.iter().enumerate() {
            let cell = |cell: &str, width| pad_end(if at == 0 { cell } else { "" }, width);
            let cells = [cell(name, first), cell(value, second), line.clone()];
            out += cells.join(BETWEEN).trim_end();
            out += "\n";
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_sentence_goes_on_below_itself() {
        let rows = [
            [
                "clock",
                "TSC",
                "the kernel keeps time by it, and it is invariant",
            ],
            ["boot", "12", ""],
        ];
        insta::assert_snapshot!(wrapped_cells(&rows, Some(40)), @r"
        clock  TSC  the kernel keeps time by it,
                    and it is invariant
        boot   12
        ");
        assert_eq!(wrapped_cells(&rows, None).lines().count(), 2);
    }
}
