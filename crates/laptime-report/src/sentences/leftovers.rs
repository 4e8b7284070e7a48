//! Names of the time that no lap has, alike in the first line and in tables.

use laptime_analysis::{RowKind, SpanRow};

/// The time before a notebook's first lap: earlier cells ran there, and somebody typed, so nothing starts.
pub const BEFORE_FIRST_LAP: &str = "before the first lap";

/// Returns what the row of a leftover is called.
pub fn in_words(name: &str, is_notebook: bool) -> &str {
    match name {
        "startup" if is_notebook => BEFORE_FIRST_LAP,
        "other" => "outside of laps",
        "after" => "after the last lap",
        "lost" => "not recorded",
        name => name,
    }
}

/// Returns what a row is called, where it is a leftover.
pub fn of_row(row: &SpanRow, is_notebook: bool) -> Option<&str> {
    (row.kind == RowKind::Leftover).then(|| in_words(&row.path, is_notebook))
}
