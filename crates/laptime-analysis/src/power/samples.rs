//! Samples of the devices of a process, as many as fit.

use std::collections::BTreeMap;

use laptime_core::format::record::Record;
use laptime_core::{DeviceReading, DeviceReadings, DeviceSample};

use super::energy::{Energy, NoEnergy};
use crate::reading::feature::{Context, Feature};
use crate::reading::marks::Thinned;

/// Most samples of a device: those of two hours. Of longer runs every second one is stored, and so on.
const MOST_SAMPLES: usize = 65_536;
/// Most devices of a process; machines have sixteen.
const MOST_DEVICES: usize = 256;

/// The samples of one device.
#[derive(Debug)]
pub struct SampledDevice {
    pub uuid: String,
    pub name: String,
    /// Samples in the order in which they came.
    pub samples: Thinned<DeviceReadings>,
    /// Largest value of each number over all samples, by the number's code.
    pub most: [Option<u64>; DeviceReading::ALL.len()],
    /// Reasons why it lacks numbers, by the number's code.
    pub lacks: BTreeMap<u64, String>,
    /// Its energy counter.
    pub energy: Energy,
}

impl Default for SampledDevice {
    fn default() -> Self {
        Self {
            uuid: String::new(),
            name: String::new(),
            samples: Thinned::with_most(MOST_SAMPLES),
            most: [None; DeviceReading::ALL.len()],
            lacks: BTreeMap::new(),
            energy: Energy::default(),
        }
    }
}

impl SampledDevice {
    /// Returns why a stretch has no energy, in the device's own words where it has no counter.
    pub fn no_energy(&self, lack: NoEnergy) -> &str {
        let said = self.lacks.get(&(DeviceReading::Energy as u64));
        let said = said.filter(|_| lack == NoEnergy::NoCounter);
        said.map_or(lack.reason(), String::as_str)
    }

    fn take(&mut self, sample: &DeviceSample) {
        self.samples.push(sample.ticks, sample.readings);
        for reading in DeviceReading::ALL {
            let most = &mut self.most[reading as usize];
            *most = (*most).max(sample.readings.get(reading));
        }
        if let Some(mj) = sample.readings.get(DeviceReading::Energy) {
            self.energy.push(sample.ticks, mj);
        }
    }
}

/// The devices of a process, by their indices.
#[derive(Debug, Default)]
pub struct DeviceSamples(pub BTreeMap<u32, SampledDevice>);

impl Feature for DeviceSamples {
    fn take_record(&mut self, record: &Record<'_>, _: Context<'_>) {
        match *record {
            Record::DeviceSample(sample) => {
                if let Some(device) = self.device(sample.device) {
                    device.take(&sample);
                }
            }
            Record::DeviceName { device, uuid, name } => {
                if let Some(device) = self.device(device) {
                    uuid.clone_into(&mut device.uuid);
                    name.clone_into(&mut device.name);
                }
            }
            Record::DeviceLacks {
                device,
                reading,
                why,
            } => {
                let device = self.device(device);
                if let (Some(device), Some(_)) = (device, DeviceReading::of(reading)) {
                    device
                        .lacks
                        .entry(reading)
                        .or_insert_with(|| why.to_owned());
                }
            }
            _ => {}
        }
    }
}

impl DeviceSamples {
    fn device(&mut self, index: u32) -> Option<&mut SampledDevice> {
        let is_known = self.0.contains_key(&index);
        (is_known || self.0.len() < MOST_DEVICES).then(|| self.0.entry(index).or_default())
    }

    /// Tells whether some lap may be long enough for its energy to be told.
    pub fn has_energy(&self) -> bool {
        !self.0.is_empty() && self.no_energy().is_none()
    }

    /// Returns why no lap's energy is told, however long it is; `None` too where there is no device.
    pub fn no_energy(&self) -> Option<&str> {
        let mut devices = self.0.values();
        devices.find_map(|device| device.energy.lack().map(|lack| device.no_energy(lack)))
    }
}
