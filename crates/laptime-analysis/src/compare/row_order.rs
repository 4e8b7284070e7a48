//! The order in which the rows of several runs stand: each run's own order, new rows behind the row before them.

use std::collections::HashMap;

use crate::summary::span_row::SpanRow;

/// Rows in the order of several runs: a chain, in which a row is put behind another.
#[derive(Debug, Default)]
pub struct RowOrder<'r> {
    /// Each row, and the one behind it.
    links: Vec<(&'r SpanRow, Option<usize>)>,
    first: Option<usize>,
    known: HashMap<&'r str, usize>,
}

impl<'r> RowOrder<'r> {
    /// Returns the place of a row's path. A new one is put behind another, or before all.
    pub fn place(&mut self, row: &'r SpanRow, behind: Option<usize>) -> usize {
        if let Some(known) = self.known.get(row.path.as_str()) {
            return *known;
        }
        let place = self.links.len();
        let next = match behind.and_then(|behind| self.links.get_mut(behind)) {
            Some((_, next)) => next,
            None => &mut self.first,
        };
        let after = next.replace(place);
        self.links.push((row, after));
        self.known.insert(&row.path, place);
        place
    }

    /// Lists the rows in their order.
    pub fn rows(&self) -> Vec<&'r SpanRow> {
        let mut at = self.first;
        let next = std::iter::from_fn(|| {
            let (row, after) = *self.links.get(at?)?;
            at = after;
            Some(row)
        });
        next.collect()
    }
}
