//! The steps that most rules ask about: those of the steady state, if there is one.

use crate::summary::span_row::{RowKind, SpanRow};
use crate::summary::{MANY, Summary};

/// The steps that a run repeats, and the rows that they stand among.
#[derive(Clone, Copy)]
pub struct Steps<'s> {
    /// The row of the steps themselves.
    pub step: &'s SpanRow,
    /// The number of steps.
    pub count: u64,
    /// Whether steps before them are left out, as warm-up.
    pub is_after_warm_up: bool,
    /// The number of processes that took them: rows add up what each did.
    pub processes: u64,
    /// All rows that they stand among.
    pub rows: &'s [SpanRow],
}

impl<'s> Steps<'s> {
    /// Returns the steps of the steady state; without one, those of the whole run if there are many.
    pub fn in_summary(summary: &'s Summary) -> Option<Self> {
        let (step, rows) = summary.repeated()?;
        let count = step.count.filter(|count| *count > 0)?;
        let is_enough = summary.steady.is_some() || count >= MANY;
        is_enough.then_some(Self {
            step,
            count,
            is_after_warm_up: summary
                .steady
                .as_ref()
                .is_some_and(|steady| steady.skipped_count > 0),
            processes: summary.ranks.len().max(1) as u64,
            rows,
        })
    }

    /// Returns these steps with the rows of a device: the step's row, first, and those inside.
    pub fn with_times_of<'r>(self, rows: &'r [SpanRow]) -> Steps<'r>
    where
        's: 'r,
    {
        let step = rows.first().unwrap_or(self.step);
        Steps { step, rows, ..self }
    }

    /// Returns the laps inside of a step, however deep.
    pub fn inside(&self) -> impl Iterator<Item = &'s SpanRow> {
        let names = &self.step.names;
        self.rows
            .iter()
            .filter(|row| row.names.len() > names.len() && row.names.starts_with(names))
    }

    /// Returns the laps right inside of a step: its parts.
    pub fn parts(&self) -> impl Iterator<Item = &'s SpanRow> {
        let names = &self.step.names;
        self.inside().filter(move |row| row.is_child_of(names))
    }

    /// Returns the laps that are not inside of a step and run with the steps: around them, or in one of ten at least.
    pub fn outside(&self) -> impl Iterator<Item = &'s SpanRow> {
        let (names, steps) = (&self.step.names, self.count);
        let spans = self.rows.iter().filter(|row| row.kind == RowKind::Span);
        spans.filter(move |row| {
            let runs_along = || {
                row.count
                    .is_some_and(|count| count.saturating_mul(10) >= steps)
            };
            !row.names.starts_with(names) && (names.starts_with(&row.names) || runs_along())
        })
    }

    /// Returns a time's share of the time of all steps.
    pub fn share(&self, ns: u64) -> f64 {
        ns as f64 / self.step.total_ns.max(1) as f64
    }
}
