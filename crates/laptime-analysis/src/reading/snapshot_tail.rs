//! Later spans of a running process, which its snapshot folded into sums: no windows have them.

use std::collections::BTreeMap;

use laptime_core::{DeviceMemoryTally, DeviceTally, Live, PathId, Tallies};

/// Sums of the spans behind a snapshot's windows.
#[derive(Debug)]
pub struct SnapshotTail {
    /// Statistics of the spans by path, without their tracks.
    pub tallies: Tallies,
    /// Start of the first of them, in ticks.
    pub since: u64,
    /// Number of runs of each stretch.
    pub ran: BTreeMap<u32, u64>,
    /// Times of the spans on devices.
    pub on_devices: BTreeMap<PathId, DeviceTally>,
    /// Memory of the spans on devices.
    pub device_memory: BTreeMap<PathId, DeviceMemoryTally>,
}

impl SnapshotTail {
    /// Creates an empty tail: a recording has all spans as records.
    pub fn none() -> Self {
        Self {
            tallies: Tallies::new(),
            since: u64::MAX,
            ran: BTreeMap::new(),
            on_devices: BTreeMap::new(),
            device_memory: BTreeMap::new(),
        }
    }

    /// Takes the sums out of a snapshot.
    pub fn new(live: &Live) -> Self {
        Self {
            tallies: live.tail.clone(),
            since: live.tail_since,
            ran: live.ran.clone(),
            on_devices: live.on_devices.clone(),
            device_memory: live.device_memory.clone(),
        }
    }

    /// Tells whether every span came as a record.
    pub fn is_empty(&self) -> bool {
        self.tallies.clone().settled().next().is_none()
    }
}
