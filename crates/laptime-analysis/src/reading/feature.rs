//! A feature: the part of the reading that takes records of a process, and keeps what its part of the summary
//! needs of them.
//!
//! [`crate::reading::features`] is the list of all. A feature stands in the room of its subject (`power`, `profiler`,
//! `functions`), or here where it has none.

use laptime_core::anchor::Rate;
use laptime_core::format::record::Record;
use laptime_core::{Live, PathTable, Span};

use crate::reading::path_role::Noted;

/// The paths that are known so far, and the clock's rate.
#[derive(Debug, Clone, Copy)]
pub struct Context<'p> {
    /// The paths that records have defined until now.
    pub paths: &'p PathTable,
    /// Nanoseconds per tick.
    pub rate: Rate,
}

/// Keeps of the records of one process what one part of the summary needs.
pub trait Feature {
    /// Takes in a record that is no span.
    fn take_record(&mut self, _record: &Record<'_>, _context: Context<'_>) {}

    /// Takes in a span of a path that is worth noting, or a span that is unusual.
    fn take_span(&mut self, _span: &Span, _noted: Noted, _context: Context<'_>) {}

    /// Takes in what a running process holds beside its windows.
    fn take_live(&mut self, _live: &Live) {}
}
