//! Notes below the tables of a document, each said once.

use crate::document::absence_marks::Marks;
use crate::document::column::Column;

/// The notes that were said below the tables of a document.
pub struct TableNotes {
    /// Reasons of absent numbers.
    pub marks: Marks,
    /// Columns that were left out.
    pub(super) left_out: Vec<Column>,
}

impl TableNotes {
    /// Begins with nothing said.
    pub fn new(marks: Marks) -> Self {
        Self {
            marks,
            left_out: Vec::new(),
        }
    }
}
