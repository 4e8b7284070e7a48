//! Use of a device: busy while anything ran on it, and else idle, for one of two reasons.
//!
//! A gap before a kernel is launch-bound up to the moment at which the host launched it; from then on
//! the kernel waited for something else, such as another stream or a copy.

use std::collections::BTreeMap;

use super::operator_values::DeviceUse;

/// A kernel or copy that ran on a device, in nanoseconds of one clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceInterval<L> {
    pub device: u32,
    pub start_ns: u64,
    pub end_ns: u64,
    /// Moment of its launch, where that is known.
    pub launched_ns: Option<u64>,
    /// The lap that launched it.
    pub lap: L,
}

/// Returns the use by device, and by lap: a gap belongs to the lap that launched the work which ended it.
pub fn device_uses<L: Ord + Copy>(
    works: &[DeviceInterval<L>],
) -> (Vec<DeviceUse>, BTreeMap<L, DeviceUse>) {
    let mut sorted = works.to_vec();
    sorted.sort_by_key(|work| (work.device, work.start_ns, work.end_ns));
    let mut devices: BTreeMap<u32, (DeviceUse, u64)> = BTreeMap::new();
    // A lap's own busy time is the union of what it launched, whatever others did at the time.
    let mut laps: BTreeMap<L, DeviceUse> = BTreeMap::new();
    let mut busy_to: BTreeMap<(L, u32), u64> = BTreeMap::new();
    for work in &sorted {
        let nothing = DeviceUse {
            device: work.device,
            ..DeviceUse::default()
        };
        let of_lap = laps.entry(work.lap).or_insert(nothing);
        let to = busy_to.entry((work.lap, work.device)).or_insert(0);
        of_lap.busy_ns = of_lap.busy_ns.saturating_add(beyond(work, *to));
        *to = (*to).max(work.end_ns);
        let (whole, end_ns) = devices
            .entry(work.device)
            .or_insert((nothing, work.start_ns));
        if work.start_ns > *end_ns {
            let launched_ns = work.launched_ns.unwrap_or(*end_ns);
            let launch_bound_ns = launched_ns.clamp(*end_ns, work.start_ns) - *end_ns;
            let waiting_ns = work.start_ns - *end_ns - launch_bound_ns;
            for told in [&mut *whole, &mut *of_lap] {
                told.launch_bound_ns = told.launch_bound_ns.saturating_add(launch_bound_ns);
                told.waiting_ns = told.waiting_ns.saturating_add(waiting_ns);
            }
        }
        whole.busy_ns = whole.busy_ns.saturating_add(beyond(work, *end_ns));
        *end_ns = (*end_ns).max(work.end_ns);
    }
    let devices = devices.into_values().map(|(whole, _)| whole);
    (devices.collect(), laps)
}

/// Returns the part of a work after a moment.
fn beyond<L>(work: &DeviceInterval<L>, to: u64) -> u64 {
    work.end_ns.saturating_sub(work.start_ns.max(to))
}
