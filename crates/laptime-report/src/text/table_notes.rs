//! Notes below the tables of a document, each said once.

use crate::document::absence_marks::AbsenceMarks;
use crate::document::column::Column;

/// The notes that were written below the tables of a document so far.
pub struct TableNotes {
    /// Reasons of absent numbers.
    pub marks: AbsenceMarks,
    /// Columns that were left out for lack of width.
    pub(super) left_out: Vec<Column>,
}

impl TableNotes {
    /// Begins without any note.
    pub fn new(marks: AbsenceMarks) -> Self {
        Self {
            marks,
            left_out: Vec::new(),
        }
    }
}
