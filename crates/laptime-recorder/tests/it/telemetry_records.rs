//! What a recording holds of devices.

use std::path::Path;

use laptime_core::format::record::Record;
use laptime_core::{DeviceReading, DeviceSample};

use crate::windows::each_window;

/// What all processes of a recording were told.
#[derive(Debug, Default)]
pub struct Told {
    /// Index, UUID and name, in the order of their first samples.
    pub devices: Vec<(u32, String, String)>,
    /// The process, and what it read.
    pub samples: Vec<(u32, DeviceSample)>,
    /// Device, code of the number, reason.
    pub lacks: Vec<(u32, u64, String)>,
    pub notes: Vec<(String, String)>,
}

impl Told {
    /// A number of a device in all samples that have it.
    pub fn of(&self, device: u32, reading: DeviceReading) -> Vec<u64> {
        let samples = self.samples.iter().map(|(_, sample)| sample);
        let of_device = samples.filter(|sample| sample.device == device);
        of_device
            .filter_map(|sample| sample.readings.get(reading))
            .collect()
    }

    /// Why a device lacks a number.
    pub fn lack(&self, device: u32, reading: DeviceReading) -> Option<&str> {
        let mut lacks = self.lacks.iter();
        let found = lacks.find(|(of, code, _)| (*of, *code) == (device, reading as u64));
        found.map(|(_, _, why)| why.as_str())
    }
}

/// Reads a recording.
pub fn told(recording: &Path) -> Told {
    let mut told = Told::default();
    each_window(recording, |pid, window| {
        let each = window.for_each(|record| match record {
            Record::DeviceName { device, uuid, name } => {
                let named = (device, uuid.to_owned(), name.to_owned());
                if !told.devices.contains(&named) {
                    told.devices.push(named);
                }
            }
            Record::DeviceSample(sample) => told.samples.push((pid, sample)),
            Record::DeviceLacks {
                device,
                reading,
                why,
            } => told.lacks.push((device, reading, why.to_owned())),
            Record::Note { code, message } if code.starts_with("telemetry") => {
                told.notes.push((code.to_owned(), message.to_owned()));
            }
            _ => {}
        });
        each.unwrap();
    });
    told
}
