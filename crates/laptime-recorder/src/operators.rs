//! What a framework's profiler saw, written as records once it has stopped.
//!
//! While it is on, steps are set aside under a name of their own: it makes them longer.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use laptime_core::format::record::{Cursor, Record, encode};
use laptime_core::{DeviceWork, Operator, PhaseName};

use crate::memory::Quiet;
use crate::registration;
use crate::start::is_on_or_decide;
use crate::state::{self, More};

/// Bytes of a name that are kept: templates of C++ have thousands, and their beginning tells most.
const MOST_BYTES: usize = 256;

static IS_PROFILING: AtomicBool = AtomicBool::new(false);

/// Says whether a profiler is on, which makes steps longer.
pub fn set_profiling(is_on: bool) {
    IS_PROFILING.store(is_on, Relaxed);
    state::set(More::OtherNames, is_on);
}

/// Whether a profiler is on.
pub fn is_profiling() -> bool {
    IS_PROFILING.load(Relaxed)
}

/// What stands before the name of a step that is set aside now.
pub fn prefix() -> &'static str {
    if is_profiling() {
        PhaseName::PROFILED
    } else {
        PhaseName::COUNTED
    }
}

/// Writes operators and what they launched; `names` are those of the process, the first with number 1.
///
/// **Cost** some 100 ns each, on the calling thread.
pub fn write_operators(names: &[String], operators: &[Operator], works: &[DeviceWork]) {
    if !is_on_or_decide() {
        return;
    }
    let _quiet = Quiet::begin();
    registration::with(|thread| {
        let mut defined = Defined {
            names,
            generation: None,
            known: HashSet::new(),
        };
        for operator in operators {
            let record = Record::Operator(*operator);
            thread
                .writer
                .record_after(&record, |generation, bytes, cursor| {
                    defined.define(operator.name, generation, bytes, cursor);
                });
        }
        for work in works {
            let record = Record::DeviceWork(*work);
            thread
                .writer
                .record_after(&record, |generation, bytes, cursor| {
                    defined.define(work.name, generation, bytes, cursor);
                });
        }
    });
}

/// The names that the writer's window defines.
struct Defined<'n> {
    names: &'n [String],
    generation: Option<u32>,
    known: HashSet<u32>,
}

impl Defined<'_> {
    fn define(&mut self, id: u32, generation: u32, bytes: &mut Vec<u8>, cursor: &mut Cursor) {
        if self.generation != Some(generation) {
            self.generation = Some(generation);
            self.known.clear();
        }
        let at = (id as usize).checked_sub(1);
        if let Some(name) = at.and_then(|at| self.names.get(at))
            && self.known.insert(id)
        {
            let name = kept(name);
            encode(bytes, cursor, &Record::OperatorName { id, name });
        }
    }
}

/// The beginning of a name.
fn kept(name: &str) -> &str {
    let mut to = name.len().min(MOST_BYTES);
    while !name.is_char_boundary(to) {
        to -= 1;
    }
    &name[..to]
}
