//! One device, read through NVIDIA's management library: what it tells, and why it tells no more.
//!
//! Each number is asked for by itself, so one that a device doesn't tell takes none of the others along.
//! The reason is told once. What a device or its driver will never tell isn't asked for again; a device
//! that is gone isn't asked at all.

use std::cell::Cell;

use laptime_core::{DeviceReading, DeviceReadings};
use nvml_wrapper::enum_wrappers::device::{Clock, TemperatureSensor};
use nvml_wrapper::enums::device::UsedGpuMemory;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{Device, Nvml};

use crate::device::used::Used;

/// One reading in so many asks for what changes slowly, or is dear to ask for.
const SLOW_EVERY: u64 = 10;
/// The memory of this process takes the list of all.
const SLOW: [DeviceReading; 3] = [
    DeviceReading::ProcessMemory,
    DeviceReading::MemoryClock,
    DeviceReading::Temperature,
];

/// What a device lacks, and why.
pub type Lack = (DeviceReading, String);

/// A device that is read.
#[derive(Debug)]
pub struct Meter<'nvml> {
    pub index: u32,
    pub uuid: String,
    pub name: String,
    /// The device: of a MIG instance what has its memory.
    part: Device<'nvml>,
    /// The GPU, which has clocks and draws power.
    whole: Device<'nvml>,
    is_part: bool,
    looks: u64,
    /// Which numbers are known to be absent, by code: never asked again.
    never: [bool; DeviceReading::ALL.len()],
    /// Of which numbers the reason was told.
    told: [bool; DeviceReading::ALL.len()],
    /// Why it is read no more.
    pub lost: Option<String>,
}

impl<'nvml> Meter<'nvml> {
    /// Finds a device that the program uses among those of the machine.
    pub fn open(nvml: &'nvml Nvml, used: &Used) -> Result<Self, NvmlError> {
        let whole_uuid = format!("GPU-{}", used.whole_uuid);
        let is_named = used.uuid != used.whole_uuid;
        let instance_uuid = format!("MIG-{}", used.uuid);
        let whole = nvml.device_by_uuid(whole_uuid.as_str())?;
        let (part, uuid, is_part) = if is_named {
            (
                nvml.device_by_uuid(instance_uuid.as_str())?,
                instance_uuid,
                true,
            )
        } else {
            (nvml.device_by_uuid(whole_uuid.as_str())?, whole_uuid, false)
        };
        let name = part.name().or_else(|_| whole.name());
        Ok(Self {
            index: used.index,
            uuid,
            name: name.unwrap_or_else(|_| "NVIDIA GPU".to_owned()),
            part,
            whole,
            is_part,
            looks: 0,
            never: [false; DeviceReading::ALL.len()],
            told: [false; DeviceReading::ALL.len()],
            lost: None,
        })
    }

    /// Reads the device. Reasons that weren't told before go to `lacks`.
    pub fn read(&mut self, lacks: &mut Vec<Lack>) -> DeviceReadings {
        let mut readings = DeviceReadings::default();
        let has_turn = self.looks.is_multiple_of(SLOW_EVERY);
        self.looks += 1;
        let beside = Cell::new(None);
        for reading in DeviceReading::ALL {
            let is_due = has_turn || !SLOW.contains(&reading);
            if !is_due || self.lost.is_some() || self.never[reading as usize] {
                continue;
            }
            match self.ask(reading, &beside) {
                Ok(value) => readings.set(reading, value),
                Err(no) => self.note(reading, no, lacks),
            }
        }
        readings
    }

    fn note(&mut self, reading: DeviceReading, no: No, lacks: &mut Vec<Lack>) {
        match no.lasts {
            Lasts::Once => {}
            Lasts::ForEver => self.never[reading as usize] = true,
            Lasts::AllOfIt => self.lost = Some(no.why.clone()),
        }
        if !std::mem::replace(&mut self.told[reading as usize], true) {
            lacks.push((reading, no.why));
        }
    }

    /// Asks for a number. One call tells both utilizations: `beside` has the second one's.
    fn ask(&self, reading: DeviceReading, beside: &Cell<Option<u32>>) -> Result<u64, No> {
        let (part, whole) = (&self.part, &self.whole);
        let is_use = matches!(
            reading,
            DeviceReading::Utilization | DeviceReading::MemoryUtilization
        );
        if self.is_part && is_use {
            return Err(No::for_ever(
                "a GPU that is split into MIG instances does not tell it",
            ));
        }
        Ok(match reading {
            DeviceReading::Utilization => {
                let rates = part.utilization_rates()?;
                beside.set(Some(rates.memory));
                rates.gpu.into()
            }
            DeviceReading::MemoryUtilization => match beside.get() {
                Some(memory) => memory.into(),
                None => part.utilization_rates()?.memory.into(),
            },
            DeviceReading::Memory => part.memory_info()?.used,
            DeviceReading::ProcessMemory => self.process_memory()?,
            DeviceReading::Power => whole.power_usage()?.into(),
            DeviceReading::Energy => whole.total_energy_consumption()?,
            DeviceReading::Clock => whole.clock_info(Clock::SM)?.into(),
            DeviceReading::MemoryClock => whole.clock_info(Clock::Memory)?.into(),
            DeviceReading::Temperature => whole.temperature(TemperatureSensor::Gpu)?.into(),
            DeviceReading::ClockLimits => whole.current_throttle_reasons()?.bits(),
        })
    }

    fn process_memory(&self) -> Result<u64, No> {
        let pid = std::process::id();
        let processes = self.part.running_compute_processes()?;
        let own = processes.into_iter().find(|one| one.pid == pid);
        match own.map(|own| own.used_gpu_memory) {
            Some(UsedGpuMemory::Used(bytes)) => Ok(bytes),
            Some(UsedGpuMemory::Unavailable) => Err(No::for_ever("the GPU does not tell it")),
            None => Err(No {
                why: "the driver does not list this process: containers have process ids of their own"
                    .to_owned(),
                lasts: Lasts::Once,
            }),
        }
    }
}

/// Why a number is not there.
struct No {
    why: String,
    lasts: Lasts,
}

/// For how long it isn't.
enum Lasts {
    Once,
    ForEver,
    /// The device is gone, and all its numbers.
    AllOfIt,
}

impl No {
    fn for_ever(why: &str) -> Self {
        Self {
            why: why.to_owned(),
            lasts: Lasts::ForEver,
        }
    }
}

impl From<NvmlError> for No {
    fn from(error: NvmlError) -> Self {
        match error {
            NvmlError::NotSupported => Self::for_ever("the GPU does not tell it"),
            NvmlError::FailedToLoadSymbol(_) | NvmlError::FunctionNotFound => {
                Self::for_ever("the driver is too old to tell it")
            }
            NvmlError::NoPermission => Self::for_ever("this user may not read it"),
            NvmlError::GpuLost => Self {
                why: "the GPU is lost: it fell off the bus".to_owned(),
                lasts: Lasts::AllOfIt,
            },
            NvmlError::ResetRequired => Self {
                why: "the GPU has to be reset".to_owned(),
                lasts: Lasts::AllOfIt,
            },
            NvmlError::Uninitialized => Self {
                why: "the program has shut NVIDIA's management library down".to_owned(),
                lasts: Lasts::AllOfIt,
            },
            error => Self {
                why: format!("reading it failed: {error}"),
                lasts: Lasts::Once,
            },
        }
    }
}
