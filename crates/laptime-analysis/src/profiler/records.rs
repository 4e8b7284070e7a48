//! Operators and kernels that a profiler saw in a process, from its records.

use std::collections::HashMap;

use laptime_core::format::record::Record;
use laptime_core::{DeviceWork, Operator, PathId};

use crate::reading::feature::{Context, Feature};

/// Most operators of a process, and as many kernels; a step of a large model has some 10,000.
const MOST: usize = 4_000_000;
/// Most names of operators and kernels.
const MOST_NAMES: usize = 65_536;

/// Operators of a process, and the kernels that they launched.
#[derive(Debug, Default)]
pub struct ProfilerRecords {
    pub names: HashMap<u32, String>,
    pub operators: Vec<Operator>,
    pub works: Vec<DeviceWork>,
    /// Number of operators and kernels that no longer fitted.
    pub left_out: u64,
    /// The lap of each operator, then that of each kernel's launch, once the pass over laps is over: the root
    /// where no lap was open, `None` where the launch isn't known.
    pub laps: Vec<Option<PathId>>,
}

impl Feature for ProfilerRecords {
    fn take_record(&mut self, record: &Record<'_>, _: Context<'_>) {
        match *record {
            Record::OperatorName { id, name } if self.names.len() < MOST_NAMES => {
                self.names.entry(id).or_insert_with(|| name.to_owned());
            }
            Record::Operator(operator) if self.operators.len() < MOST => {
                self.operators.push(operator);
            }
            Record::DeviceWork(work) if self.works.len() < MOST => self.works.push(work),
            Record::Operator(_) | Record::DeviceWork(_) => self.left_out += 1,
            _ => {}
        }
    }
}

impl ProfilerRecords {
    /// Tells whether nothing was profiled.
    pub fn is_empty(&self) -> bool {
        self.operators.is_empty() && self.works.is_empty()
    }

    /// Returns the name with a number.
    pub fn name(&self, id: u32) -> &str {
        self.names.get(&id).map_or("<unnamed>", String::as_str)
    }
}
