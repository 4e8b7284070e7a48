//! The steps of the steady state: what most rules ask.

use crate::span_row::SpanRow;
use crate::summary::Summary;

/// The steps of the steady state, with the rows around them.
pub struct Steps<'s> {
    /// The row of the steps themselves.
    pub step: &'s SpanRow,
    /// How many there were.
    pub count: u64,
    /// All rows of the steady state.
    pub rows: &'s [SpanRow],
}

impl<'s> Steps<'s> {
    /// None without a steady state.
    pub fn of(summary: &'s Summary) -> Option<Self> {
        let steady = summary.steady.as_ref()?;
        let step = steady
            .rows
            .iter()
            .find(|row| row.path == steady.step_path)?;
        let count = step.count.filter(|count| *count > 0)?;
        Some(Self {
            step,
            count,
            rows: &steady.rows,
        })
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
