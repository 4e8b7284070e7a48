//! Lines whose cells stand below each other, where the last cell is a sentence that goes on below itself.

use super::column_widths::aligned;
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
    let widest = |at: usize| rows.iter().map(|row| names::columns(row[at])).max();
    let taken = [0, 1].map(|at| widest(at).unwrap_or(0) + BETWEEN.len());
    let room = width.map(|width| {
        let taken: usize = taken.iter().sum();
        width.saturating_sub(taken).max(LEAST_ROOM)
    });
    let ellipsis = Glyphs::new(true).ellipsis;
    let mut cells: Vec<[String; 3]> = Vec::new();
    for [name, value, sentence] in rows {
        let lines = match room {
            Some(room) => wrap::lines(sentence, room, ellipsis),
            None => vec![(*sentence).to_owned()],
        };
        for (at, line) in lines.into_iter().enumerate() {
            let first = |cell: &str| if at == 0 { cell } else { "" }.to_owned();
            cells.push([first(name), first(value), line]);
        }
    }
    aligned(&cells, BETWEEN, &[])
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
