//! Stretches of a program: what they do goes into the recording, once, and then that they run. Of those
//! that differ in their sizes alone, which are counted, and what the others do.
//!
//! Which calls are the same, or of one kind, is Python's to say, `laptime.integrations._counting`; what
//! follows from those that were counted is [`laptime_ops::growth`]'s.

use std::sync::{Mutex, MutexGuard, PoisonError};

use laptime_core::PathId;
use laptime_core::operations::{CostTally, StretchOperations};
use laptime_ops::growth::{self, Kind, Part, Verdict};
use laptime_python_macros::guarded;
use laptime_recorder as recorder;
use pyo3::prelude::*;

use crate::fast::span;
use crate::operations::counts::OpCounts;

/// What is known of the stretches of a process.
#[pyclass(frozen, module = "laptime._core")]
pub struct Stretches(Mutex<growth::Stretches>);

impl Stretches {
    fn get(&self) -> MutexGuard<'_, growth::Stretches> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[guarded]
#[pymethods]
impl Stretches {
    #[new]
    fn new() -> Self {
        Self(Mutex::default())
    }

    /// How many stretches of one caller are counted as long as no formula tells them.
    #[classattr]
    const MOST_COUNTED: u32 = growth::MOST_COUNTED;

    /// A stretch comes up that is not known. It is to be counted if this says `count`; else what
    /// it does is written.
    fn meet(&self, number: u32, caller: u32, kind: u32, sizes: Vec<i64>) -> &'static str {
        let verdict = self.get().meet(Kind { caller, kind }, number, &sizes);
        match verdict {
            Verdict::Count => "count",
            Verdict::Told(parts) => {
                write(number, &parts);
                "told"
            }
            Verdict::LeftOut(parts) if parts.is_empty() => {
                write(number, &[unknown_here()]);
                "left out"
            }
            Verdict::LeftOut(parts) => {
                write(number, &parts);
                "left out"
            }
        }
    }

    /// A stretch was counted: what it did by path, and on which device.
    ///
    /// Returns whether others must not have been told; that is taken back.
    fn counted(
        &self,
        number: u32,
        caller: u32,
        kind: u32,
        sizes: Vec<i64>,
        by_path: Vec<(u32, Py<OpCounts>, String)>,
    ) -> bool {
        let parts = parts(&by_path);
        write(number, &parts);
        let wrong = self.get().counted(Kind { caller, kind }, &sizes, &parts);
        for (number, parts) in &wrong {
            write(*number, parts);
        }
        !wrong.is_empty()
    }

    /// Nothing comes up any more: what was told beyond what is known is taken back.
    fn finish(&self) {
        for (number, parts) in &self.get().finish() {
            write(*number, parts);
        }
    }

    /// How many were told, and how many were counted of the same kinds.
    fn outcome(&self) -> (usize, usize) {
        let outcome = self.get().outcome();
        (outcome.told, outcome.held_for)
    }
}

/// Number of the path of the innermost open span.
#[guarded]
#[pyfunction]
pub fn path_number() -> u32 {
    span::at(recorder::current_path).0
}

/// The number that the innermost open span's path has when nothing of it is aside, and whether
/// anything is.
#[guarded]
#[pyfunction]
pub fn plain_path() -> (u32, bool) {
    let (path, is_aside) = recorder::plain_path(span::at(recorder::current_path));
    (path.0, is_aside)
}

/// Tells that a stretch runs whose operations are known.
#[guarded]
#[pyfunction]
pub fn ran(stretch: u32) {
    span::at(|| recorder::ran(stretch));
}

/// Tells what a stretch does each time at a path, given by its number.
#[guarded]
#[pyfunction]
pub fn write_operations(stretch: u32, path: u32, counts: Py<OpCounts>, device: String) {
    write(stretch, &parts(&[(path, counts, device)]));
}

/// Notes what this machine reaches at most, where that was kept.
#[guarded]
#[pyfunction]
pub fn note_ceilings() -> bool {
    recorder::ceilings::note_kept()
}

/// What was counted, by the paths that these have when nothing of them is aside.
fn parts(by_path: &[(u32, Py<OpCounts>, String)]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for (path, counts, device) in by_path {
        let counts = &counts.get().counts;
        let (path, _) = recorder::plain_path(PathId(*path));
        let tally = counts.total.total();
        if path == PathId::ROOT {
            continue;
        }
        if let Some(part) = parts.iter_mut().find(|part| part.path == path) {
            part.tally += tally;
            continue;
        }
        let dtype = counts.by_dtype.first();
        parts.push(Part {
            path,
            tally,
            device: dtype.map_or_else(String::new, |_| device.clone()),
            dtype: dtype.map_or_else(String::new, |(dtype, _)| dtype.clone()),
        });
    }
    parts
}

/// One call where this stands, of which nothing is known.
fn unknown_here() -> Part {
    let (path, _) = recorder::plain_path(span::at(recorder::current_path));
    Part {
        path,
        tally: CostTally {
            uncounted: 1,
            ..CostTally::default()
        },
        device: String::new(),
        dtype: String::new(),
    }
}

fn write(stretch: u32, parts: &[Part]) {
    for part in parts.iter().filter(|part| part.path != PathId::ROOT) {
        let operations = StretchOperations {
            stretch,
            path: part.path,
            tally: part.tally,
            device: &part.device,
            dtype: &part.dtype,
        };
        span::at(|| recorder::operations(&operations));
    }
}
