//! Counted calls of a process, from its records.

use std::collections::{BTreeMap, HashMap};

use laptime_core::format::record::Record;
use laptime_core::{CallSums, PathId};

use crate::reading::feature::{Context, Feature};

/// Most functions of a process: as many as the recorder numbers.
const MOST_FUNCTIONS: usize = 65_537;
/// Most sums by lap, caller and function: as many as the recorder tells apart in four threads.
const MOST_EDGES: usize = 1 << 20;

/// A function that was called.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CountedFunction {
    pub file: String,
    pub line: u32,
    pub name: String,
}

/// Calls that were counted in a process, all threads together.
#[derive(Debug, Default)]
pub struct Calls {
    pub functions: HashMap<u32, CountedFunction>,
    /// Sums of calls by lap, caller and function.
    pub edges: BTreeMap<(PathId, u32, u32), CallSums>,
}

impl Feature for Calls {
    fn take_record(&mut self, record: &Record<'_>, _: Context<'_>) {
        match *record {
            Record::CalledFunction(function) if self.functions.len() < MOST_FUNCTIONS => {
                let called = || CountedFunction {
                    file: function.file.to_owned(),
                    line: function.line,
                    name: function.name.to_owned(),
                };
                self.functions.entry(function.id).or_insert_with(called);
            }
            Record::Calls(calls) => {
                let way = (calls.path, calls.caller, calls.function);
                if self.edges.len() < MOST_EDGES || self.edges.contains_key(&way) {
                    self.edges.entry(way).or_default().add(&calls.sums);
                }
            }
            _ => {}
        }
    }
}
