//! Compiling: one kind of time, wherever it happens, and no part of what it stands in.

use crate::findings::compile_time::is_outermost;
use crate::summary::span_row::SpanRow;

/// The rows that are compiling: few, of however many.
pub struct CompilingRows<'r>(Vec<&'r SpanRow>);

impl<'r> CompilingRows<'r> {
    /// Finds them among all rows.
    pub fn among(rows: &'r [SpanRow]) -> Self {
        Self(rows.iter().filter(|row| is_outermost(row)).collect())
    }

    /// Returns those that are a row or inside of it.
    pub fn inside<'s>(&'s self, outer: &'s SpanRow) -> impl Iterator<Item = &'r SpanRow> + 's {
        let all = self.0.iter().copied();
        all.filter(|row| row.names.starts_with(&outer.names))
    }
}
