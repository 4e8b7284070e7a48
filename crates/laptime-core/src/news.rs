//! What a running process recorded since it was asked last: the input of step windows.
//!
//! Where [`Live`](crate::Live) is everything so far, this is the difference: it costs what there is
//! of new spans, whatever was recorded before.

use std::collections::BTreeMap;

use crate::operations::{CostTally, StretchOperations};
use crate::path::PathId;
use crate::tally::Tallies;

/// What is new.
#[derive(Debug, Clone, Default)]
pub struct News {
    /// Paths that were defined, each with its number, its parent and its name, parents first.
    pub paths: Vec<(PathId, PathId, Box<str>)>,
    /// Spans that ended.
    pub tallies: Tallies,
    /// How often each stretch ran.
    pub ran: BTreeMap<u32, u64>,
    /// Stretches whose operations became known.
    pub stretches: Vec<CountedStretch>,
    /// Metrics in the order in which they were read: their paths and values.
    pub metrics: Vec<(PathId, f64)>,
    /// Notes: code and message.
    pub notes: Vec<(String, String)>,
}

/// [`StretchOperations`] that outlives its record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedStretch {
    stretch: u32,
    path: PathId,
    tally: CostTally,
    device: Box<str>,
    dtype: Box<str>,
}

impl CountedStretch {
    /// Keeps what a record says.
    pub fn new(record: &StretchOperations<'_>) -> Self {
        Self {
            stretch: record.stretch,
            path: record.path,
            tally: record.tally,
            device: record.device.into(),
            dtype: record.dtype.into(),
        }
    }

    /// As the record said it.
    pub fn operations(&self) -> StretchOperations<'_> {
        StretchOperations {
            stretch: self.stretch,
            path: self.path,
            tally: self.tally,
            device: &self.device,
            dtype: &self.dtype,
        }
    }
}
