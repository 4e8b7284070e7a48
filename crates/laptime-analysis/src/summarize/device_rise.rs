//! Memory of a device that rises all the time while steps run, by what its driver tells without an option.
//!
//! Input are samples of a device: about once a second what this process has of its memory, ten times a second what all
//! of it is in use. A container's processes are often not known to the driver by themselves; then the second is asked.
//! A framework's allocator keeps what is freed, so its blocks are in use until it gives them back.

use laptime_core::DeviceReading;

use crate::power::SampledDevice;
use crate::reading::process::Process;
use crate::reading::step_stretches::{self, Stretch};
use crate::summarize::even_rise::EvenRise;

/// The least number of bytes: allocators take blocks of up to 20 MiB from a device, and few of them make no line.
const LEAST_BYTES: f64 = 134_217_728.0;

/// The rise of a device's memory.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceRise {
    /// Number of the device.
    pub device: u32,
    /// The device's name.
    pub name: String,
    /// The rise over steps.
    pub rise: EvenRise,
    /// Whether it is of this process; else of all that use the device.
    pub is_own: bool,
}

/// Returns the largest rise of a device over the steps of a process, the last of which ends at `to`.
pub fn over_steps(process: &Process, steps: &[Stretch], to: u64) -> Option<DeviceRise> {
    let devices = process.features.devices.0.iter();
    let rises = devices.filter_map(|(index, device)| {
        let of = |reading| rise(device, reading, steps, to);
        let own = of(DeviceReading::ProcessMemory).map(|rise| (rise, true));
        // What others do with the device is no matter where the process's own part is told.
        let is_told = device.most[DeviceReading::ProcessMemory as usize].is_some();
        let all = || of(DeviceReading::Memory).filter(|_| !is_told);
        let (rise, is_own) = own.or_else(|| all().map(|rise| (rise, false)))?;
        Some(DeviceRise {
            device: *index,
            name: device.name.clone(),
            rise,
            is_own,
        })
    });
    rises.max_by(|one, other| one.rise.bytes.total_cmp(&other.rise.bytes))
}

fn rise(
    device: &SampledDevice,
    reading: DeviceReading,
    steps: &[Stretch],
    to: u64,
) -> Option<EvenRise> {
    let from = steps.first()?.start;
    let during = device
        .samples
        .iter()
        .filter(|(at, _)| (from..to).contains(at));
    let levels = during.filter_map(|(at, readings)| {
        let bytes = readings.get(reading)? as f64;
        Some((step_stretches::steps_until(steps, at, to), bytes))
    });
    EvenRise::find(levels.collect(), LEAST_BYTES)
}
