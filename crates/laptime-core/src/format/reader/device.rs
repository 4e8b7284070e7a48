//! Records about devices: the times of spans there, and what devices say of themselves.

use super::fields::Fields;
use super::{FormatError, Record};
use crate::device_memory::{DeviceMemory, DeviceMemorySpan};
use crate::device_sample::{DeviceReading, DeviceReadings, DeviceSample};
use crate::device_span::{DevicePlace, DeviceSpan, DeviceTimes, NoDeviceTime};
use crate::format::record::{DEVICE_NAME, DEVICE_SAMPLE, GOES_ON, LAUNCH_BOUND, PLACED, TOLD};
use crate::format::varint::unzigzag;

impl<'a> Fields<'a> {
    pub(super) fn device_span(&mut self) -> Result<DeviceSpan, FormatError> {
        let (path, start, duration) = (self.path()?, self.time()?, self.number()?);
        let (device, stream) = (self.number()? as u32, self.number()?);
        let told = self.number()?;
        Ok(DeviceSpan {
            path,
            start,
            duration,
            track: self.cursor.track,
            device,
            stream,
            continues: told & GOES_ON != 0,
            times: self.device_times(told)?,
        })
    }

    pub(super) fn device_memory(&mut self) -> Result<DeviceMemorySpan, FormatError> {
        Ok(DeviceMemorySpan {
            path: self.path()?,
            start: self.time()?,
            track: self.cursor.track,
            device: self.number()? as u32,
            memory: DeviceMemory {
                net_bytes: unzigzag(self.number()?),
                peak_least_bytes: self.number()?,
                peak_most_bytes: self.number()?,
                reserved_net_bytes: unzigzag(self.number()?),
                reserved_peak_bytes: self.number()?.checked_sub(1),
            },
        })
    }

    fn device_times(
        &mut self,
        told: u64,
    ) -> Result<Result<DeviceTimes, NoDeviceTime>, FormatError> {
        if told & TOLD == 0 {
            return Ok(Err(NoDeviceTime::of(self.number()?)));
        }
        let duration_ns = self.number()?;
        let place = if told & PLACED == 0 {
            None
        } else {
            Some(DevicePlace {
                lag_ns: self.number()?,
                tail_least_ns: self.number()?,
                tail_most_ns: self.number()?,
            })
        };
        Ok(Ok(DeviceTimes {
            duration_ns,
            launch_bound: told & LAUNCH_BOUND != 0,
            place,
        }))
    }

    /// Numbers that a later version knows stand behind those of this one.
    fn device_sample(&mut self) -> Result<DeviceSample, FormatError> {
        let (ticks, device, told) = (self.time()?, self.number()? as u32, self.number()?);
        let mut readings = DeviceReadings::default();
        for reading in DeviceReading::ALL {
            if told & 1 << reading as u64 != 0 {
                readings.set(reading, self.number()?);
            }
        }
        Ok(DeviceSample {
            ticks,
            device,
            readings,
        })
    }

    /// What a device said of itself, by its kind.
    pub(super) fn telemetry(&mut self, kind: u64) -> Result<Record<'a>, FormatError> {
        Ok(match kind {
            DEVICE_SAMPLE => Record::DeviceSample(self.device_sample()?),
            DEVICE_NAME => {
                let device = self.number()? as u32;
                let (uuid, name) = self.pair()?;
                Record::DeviceName { device, uuid, name }
            }
            _ => Record::DeviceLacks {
                device: self.number()? as u32,
                reading: self.number()?,
                why: self.text()?,
            },
        })
    }
}
