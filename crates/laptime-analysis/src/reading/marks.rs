//! Marks and metrics of one process, a bounded number per name.
//!
//! When a series is full, every second entry is dropped and from then on only every
//! second one is kept, so it stays evenly spread over the run however long that is.

use std::collections::BTreeMap;

use laptime_core::PathId;
use laptime_core::format::record::Record;

use crate::reading::feature::{Context, Feature};

/// Most entries of one name.
pub const MOST_ENTRIES: usize = 2_048;

/// Entries in the order they came, thinned out evenly.
#[derive(Debug, Clone, PartialEq)]
pub struct Thinned<T> {
    kept: Vec<(u64, T)>,
    most: usize,
    every: u64,
    pushed: u64,
}

impl<T> Default for Thinned<T> {
    fn default() -> Self {
        Self::with_most(MOST_ENTRIES)
    }
}

impl<T> Thinned<T> {
    /// Creates an empty series that never has more than `most` entries.
    pub fn with_most(most: usize) -> Self {
        Self {
            kept: Vec::new(),
            most,
            every: 1,
            pushed: 0,
        }
    }
}

impl<T: Copy> Thinned<T> {
    /// Adds an entry at a moment.
    pub fn push(&mut self, at: u64, entry: T) {
        if self.pushed.is_multiple_of(self.every) {
            if self.kept.len() >= self.most {
                let mut index = 0;
                self.kept.retain(|_| {
                    index += 1;
                    index % 2 == 1
                });
                self.every *= 2;
            }
            if self.pushed.is_multiple_of(self.every) {
                self.kept.push((at, entry));
            }
        }
        self.pushed += 1;
    }

    /// Tells whether all entries are still there.
    pub fn is_whole(&self) -> bool {
        self.pushed == self.kept.len() as u64
    }

    /// Returns how many entries were pushed.
    pub fn pushed_count(&self) -> u64 {
        self.pushed
    }

    /// Returns the entries that are still there, with their moments.
    pub fn iter(&self) -> impl Iterator<Item = (u64, T)> + '_ {
        self.kept.iter().copied()
    }
}

/// Values of one metric.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Values {
    /// The values that thinning kept, with their moments.
    pub series: Thinned<f64>,
    /// The latest value with its moment.
    pub last: Option<(u64, f64)>,
    /// Smallest and largest number; infinite ones are numbers.
    pub range: Option<(f64, f64)>,
    /// Count of values that are not numbers.
    pub nan_count: u64,
}

impl Values {
    fn push(&mut self, at: u64, value: f64) {
        self.series.push(at, value);
        if self.last.is_none_or(|(before, _)| at >= before) {
            self.last = Some((at, value));
        }
        if value.is_nan() {
            self.nan_count += 1;
        } else {
            let (least, most) = self.range.unwrap_or((value, value));
            self.range = Some((least.min(value), most.max(value)));
        }
    }
}

/// All marks and metrics of a process; moments in ticks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MarksAndMetrics {
    /// Marks by path.
    pub marks: BTreeMap<PathId, Thinned<()>>,
    /// Metrics by path.
    pub metrics: BTreeMap<PathId, Values>,
}

impl MarksAndMetrics {
    /// Adds a mark.
    fn mark(&mut self, path: PathId, ticks: u64) {
        self.marks.entry(path).or_default().push(ticks, ());
    }

    /// Adds a value.
    fn metric(&mut self, path: PathId, ticks: u64, value: f64) {
        self.metrics.entry(path).or_default().push(ticks, value);
    }
}

impl Feature for MarksAndMetrics {
    fn take_record(&mut self, record: &Record<'_>, _: Context<'_>) {
        match *record {
            Record::Mark { path, ticks, .. } => self.mark(path, ticks),
            Record::Metric {
                path, ticks, value, ..
            } => self.metric(path, ticks, value),
            _ => {}
        }
    }
}

#[cfg(test)]
#[path = "tests/marks.rs"]
mod tests;
