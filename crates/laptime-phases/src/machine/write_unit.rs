//! Units that are over are written, with their phases.

use laptime_core::{PhaseName, SpanFlags};

use super::part::{Entry, Part};
use crate::laps::{Held, Laps};

/// Writes a unit that is over, with its phases.
pub fn write(
    laps: &dyn Laps,
    kind: PhaseName,
    parent: u32,
    entries: &[Entry],
    end: u64,
    flags: SpanFlags,
) {
    let Some(first) = entries.first() else { return };
    let held = Held {
        name: kind,
        duration: end - first.held.start,
        flags,
        ..first.held
    };
    let path = if entries.len() == 1 && first.end() == end {
        laps.emit_around(&held, parent)
    } else {
        let memory = entries.iter().map(|entry| entry.held.memory);
        laps.emit(
            &Held {
                memory: memory.reduce(|sum, next| Some(sum?.then(next?))).flatten(),
                device_memory: None,
                device_time: None,
                ..held
            },
            parent,
        )
    };
    for entry in entries {
        laps.emit(&entry.held, path);
    }
}

/// Writes a wait for data of which nothing came. That for the end of a pass goes on with its last batch, whatever
/// that was used for.
pub fn write_waits(laps: &dyn Laps, parent: u32, entry: &Entry) {
    let (kind, flags) = match &entry.part {
        Part::End(of) => (of.confirmed.get(), SpanFlags::CONTINUES),
        _ => (None, SpanFlags::NONE),
    };
    let kind = kind.unwrap_or(PhaseName::Loading);
    let piece = std::slice::from_ref(entry);
    write(laps, kind, parent, piece, entry.end(), flags);
}
