//! What the sampler read on its way into the recording: a window names the devices whose samples it holds.

use laptime_core::DeviceSample;
use laptime_core::format::record::{Cursor, Record, encode};

use crate::writer::Writer;

/// Something that the sampler found out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// A device is read from now on.
    Device {
        /// Its index.
        index: u32,
        /// Its UUID.
        uuid: String,
        /// Its name.
        name: String,
    },
    /// It doesn't tell a number.
    Lacks {
        /// The device's index.
        index: u32,
        /// The number's code.
        reading: u64,
        /// Why.
        why: String,
    },
    /// What it told.
    Sample(DeviceSample),
    /// Something that the reader should know.
    Note {
        /// A stable word.
        code: &'static str,
        /// One sentence.
        message: String,
    },
}

/// The devices that were told so far, and those that the writer's window names.
#[derive(Debug, Default)]
pub struct Book {
    devices: Vec<(u32, String, String)>,
    generation: Option<u32>,
    defined: Vec<u32>,
}

impl Book {
    /// Writes what was told.
    pub fn write(&mut self, told: Told, writer: &mut Writer) {
        match told {
            Told::Device { index, uuid, name } => {
                self.devices.retain(|(known, ..)| *known != index);
                self.defined.retain(|known| *known != index);
                // The zero byte parts texts in a record.
                let [uuid, name] = [uuid, name].map(|text| text.replace('\0', "\u{fffd}"));
                self.devices.push((index, uuid, name));
            }
            Told::Lacks {
                index,
                reading,
                why,
            } => self.record(
                index,
                &Record::DeviceLacks {
                    device: index,
                    reading,
                    why: &why,
                },
                writer,
            ),
            Told::Sample(sample) => {
                self.record(sample.device, &Record::DeviceSample(sample), writer);
            }
            Told::Note { code, message } => {
                let message = &message;
                writer.record(&Record::Note { code, message });
            }
        }
    }

    fn record(&mut self, device: u32, record: &Record<'_>, writer: &mut Writer) {
        writer.record_after(record, |generation, bytes, cursor| {
            self.define(device, generation, bytes, cursor);
        });
    }

    fn define(&mut self, device: u32, generation: u32, bytes: &mut Vec<u8>, cursor: &mut Cursor) {
        if self.generation != Some(generation) {
            self.generation = Some(generation);
            self.defined.clear();
        }
        let known = self.devices.iter().find(|(index, ..)| *index == device);
        if let Some((device, uuid, name)) = known
            && !self.defined.contains(device)
        {
            self.defined.push(*device);
            let device = *device;
            encode(bytes, cursor, &Record::DeviceName { device, uuid, name });
        }
    }
}
