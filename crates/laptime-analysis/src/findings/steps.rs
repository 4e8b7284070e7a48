//! The steps that most rules ask about: those of the steady state, if there is one.

use crate::span_row::SpanRow;
use crate::summary::{MANY, Summary};

/// What the run repeats, with the rows around it.
pub struct Steps<'s> {
    /// The row of the steps themselves.
    pub step: &'s SpanRow,
    /// How many there were.
    pub count: u64,
    /// All rows that they stand among.
    pub rows: &'s [SpanRow],
}

impl<'s> Steps<'s> {
    /// Those of the steady state; without one, those of the whole run if there are many.
    pub fn of(summary: &'s Summary) -> Option<Self> {
        let (step, rows) = summary.repeated()?;
        let count = step.count.filter(|count| *count > 0)?;
        let is_enough = summary.steady.is_some() || count >= MANY;
        is_enough.then_some(Self { step, count, rows })
    }

    /// Laps inside of a step, however deep.
    pub fn inside(&self) -> impl Iterator<Item = &'s SpanRow> {
        let names = &self.step.names;
        self.rows
            .iter()
            .filter(|row| row.names.len() > names.len() && row.names.starts_with(names))
    }

    /// How much of the steps' time a time is.
    pub fn ratio(&self, ns: u64) -> f64 {
        ns as f64 / self.step.total_ns.max(1) as f64
    }
}
