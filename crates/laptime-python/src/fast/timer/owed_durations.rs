//! Durations that a device still owes, and filling them in.

use laptime_analysis::timer::SegmentRuns;
use pyo3::prelude::*;

use super::context::Context;
use super::segment::Segment;
use crate::interned::intern;

/// Durations owed before it is looked which are there already.
const MANY: usize = 64;

/// The durations that a segment's device still owes: their places, and what will know them.
pub struct Owed {
    list: Vec<(usize, Py<PyAny>)>,
    next_look: usize,
}

impl Default for Owed {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            next_look: MANY,
        }
    }
}

impl Owed {
    /// The last duration is one that the device will know.
    pub fn add_last(&mut self, runs: &mut SegmentRuns, elapsed: Py<PyAny>) {
        if let Some(place) = runs.owe_last() {
            self.list.push((place, elapsed));
        }
    }
}

impl Context {
    /// Fills in every duration that the device still owes, and waits for it.
    pub fn settle(&self, python: Python<'_>) -> PyResult<()> {
        let owed = |one: &Segment| (!one.owed.list.is_empty()).then_some(one.id);
        let ids: Vec<u64> = self.segments.borrow().iter().filter_map(owed).collect();
        ids.into_iter()
            .try_for_each(|id| self.settle_one(python, id, true))
    }

    /// Fills in what is there already, when much is owed: what waits is bounded by what runs.
    pub fn settle_some(&self, python: Python<'_>) {
        let many = |one: &&Segment| one.owed.list.len() >= one.owed.next_look;
        let id = self.segments.borrow().iter().find(many).map(|one| one.id);
        if let Some(Err(error)) = id.map(|id| self.settle_one(python, id, false)) {
            error.write_unraisable(python, None);
        }
    }

    /// Asks for what one segment is owed. After an error the rest is owed still.
    fn settle_one(&self, python: Python<'_>, id: u64, wait: bool) -> PyResult<()> {
        let Some(mut segment) = self.by_id(id) else {
            return Ok(());
        };
        let owed = std::mem::take(&mut segment.owed.list);
        // Not borrowed while Python code runs.
        drop(segment);
        let (mut left, mut known, mut failed) = (Vec::new(), Vec::new(), None);
        for (at, elapsed) in owed {
            let settled = if failed.is_some() {
                None
            } else {
                settled(elapsed.bind(python), wait).unwrap_or_else(|error| {
                    failed = Some(error);
                    None
                })
            };
            match settled {
                Some((ns, started)) => known.push((at, ns, started)),
                None => left.push((at, elapsed)),
            }
        }
        if let Some(mut segment) = self.by_id(id) {
            for (at, ns, started) in known {
                segment.runs.settle(at, ns, started);
            }
            // Others may have been added while Python code ran.
            left.append(&mut segment.owed.list);
            segment.owed.next_look = (2 * left.len()).max(MANY);
            segment.owed.list = left;
        }
        failed.map_or(Ok(()), Err)
    }
}

/// Nanoseconds and the start in ticks; `None` while the device is behind and nobody waits.
fn settled(elapsed: &Bound<'_, PyAny>, wait: bool) -> PyResult<Option<(u64, u64)>> {
    let name = intern!(elapsed.py(), "settle");
    elapsed.call_method1(name, (wait,))?.extract()
}
