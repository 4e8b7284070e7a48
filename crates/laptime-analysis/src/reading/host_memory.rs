//! Memory of a process as the recorder noted it now and then: resident, and allocated.

use laptime_core::format::record::Record;
use laptime_core::{Live, ProcessMemory};

use crate::reading::feature::{Context, Feature};

/// Host memory of a process.
#[derive(Debug, Default)]
pub struct HostMemory {
    /// The largest resident size that was noted.
    pub resident_peak_bytes: Option<u64>,
    /// Moment of the last resident size that was noted, in ticks.
    pub last_noted: u64,
    /// The latest count of allocations with its moment, in ticks.
    pub latest: Option<(u64, ProcessMemory)>,
}

impl Feature for HostMemory {
    fn take_record(&mut self, record: &Record<'_>, _: Context<'_>) {
        match *record {
            Record::Sample {
                ticks,
                resident_bytes,
                ..
            } => {
                self.last_noted = self.last_noted.max(ticks);
                self.resident_peak_bytes = self.resident_peak_bytes.max(Some(resident_bytes));
            }
            Record::Memory { ticks, memory }
                if self.latest.is_none_or(|(latest, _)| ticks >= latest) =>
            {
                self.latest = Some((ticks, memory));
            }
            _ => {}
        }
    }

    fn take_live(&mut self, live: &Live) {
        self.latest = live.memory.map(|memory| (u64::MAX, memory));
    }
}
