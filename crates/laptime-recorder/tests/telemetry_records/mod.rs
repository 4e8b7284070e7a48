//! What a recording holds of devices.

use std::path::Path;

use laptime_core::format::process::window_offset;
use laptime_core::format::record::Record;
use laptime_core::format::window::{WINDOW_LEN, Window};
use laptime_core::{DeviceReading, DeviceSample};

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
    for file in std::fs::read_dir(recording).unwrap() {
        let file = file.unwrap().path();
        if file.extension().is_some_and(|is| is == "proc") {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            let (pid, _) = name.split_once('-').unwrap();
            read(
                &std::fs::read(&file).unwrap(),
                pid.parse().unwrap(),
                &mut told,
            );
        }
    }
    told
}

fn read(bytes: &[u8], pid: u32, told: &mut Told) {
    let mut offset = window_offset(0);
    while offset < bytes.len() as u64 {
        let end = (offset as usize + WINDOW_LEN).min(bytes.len());
        if let Some(window) = Window::parse(&bytes[offset as usize..end], offset).unwrap() {
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
                } => {
                    told.lacks.push((device, reading, why.to_owned()));
                }
                Record::Note { code, message } if code.starts_with("telemetry") => {
                    told.notes.push((code.to_owned(), message.to_owned()));
                }
                _ => {}
            });
            each.unwrap();
        }
        offset += WINDOW_LEN as u64;
    }
}
