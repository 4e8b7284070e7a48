//! Later spans of a running process, which its snapshot folded: no windows tell of them.

use std::collections::BTreeMap;

use laptime_core::{DeviceMemoryTally, DeviceTally, Live, PathId, Tallies};

/// Sums of the spans behind a snapshot's windows.
#[derive(Debug)]
pub struct SnapshotTail {
    /// Their statistics by path, without their tracks.
    pub tallies: Tallies,
    /// When the first of them began, in ticks.
    pub since: u64,
    /// How often each stretch ran.
    pub ran: BTreeMap<u32, u64>,
    /// What devices told of them.
    pub on_devices: BTreeMap<PathId, DeviceTally>,
    /// What devices' allocators told of them.
    pub device_memory: BTreeMap<PathId, DeviceMemoryTally>,
}

impl SnapshotTail {
    /// No span: a recording has all as records.
    pub fn none() -> Self {
        Self {
            tallies: Tallies::new(),
            since: u64::MAX,
            ran: BTreeMap::new(),
            on_devices: BTreeMap::new(),
            device_memory: BTreeMap::new(),
        }
    }

    /// Takes those of a snapshot.
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
