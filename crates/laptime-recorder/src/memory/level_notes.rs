//! Notes of what the process had allocated where its laps begin and end, and where its interpreter exits.
//!
//! With them a reader tells what startup and exit left from what was left between laps. Each is one number, in bytes.

use laptime_core::format::record::Record;

use super::{counters, process};
use crate::registration;

/// Code of the note with what was allocated when the first lap opened.
const BEFORE_LAPS: &str = "memory.before-laps";
/// Code of the note with what was allocated when the last lap had closed.
const AFTER_LAPS: &str = "memory.after-laps";
/// Code of the note with what was allocated when the interpreter began to exit.
const AT_EXIT: &str = "memory.at-exit";

/// Writes what was allocated around the laps, where memory is counted.
pub fn write_around_laps(mut write: impl FnMut(&Record<'_>)) {
    if process().is_none() {
        return;
    }
    let (before, after) = counters::around_laps();
    for (code, bytes) in [(BEFORE_LAPS, before), (AFTER_LAPS, after)] {
        if let Some(bytes) = bytes {
            let message = &bytes.to_string();
            write(&Record::Note { code, message });
        }
    }
}

/// Notes what is allocated now, as the interpreter exits.
pub fn at_exit() {
    if let Some(memory) = process() {
        registration::note(AT_EXIT, &memory.bytes.to_string());
    }
}
