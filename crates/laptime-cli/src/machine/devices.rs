//! The machine's devices and their driver, as `laptime doctor` tells them.
//!
//! What the two libraries of NVIDIA's driver say is put together by the devices' UUIDs. Nothing here
//! creates a context on a device, and a library that is missing is a reason, not an error.

use laptime_recorder::device::Absent;
use laptime_recorder::device::found::{Found, other_kinds};
use serde::Serialize;

/// Devices, and why there is nothing to say of others.
#[derive(Debug, Serialize)]
pub struct Devices {
    /// Version of NVIDIA's driver.
    pub nvidia_driver: Option<String>,
    /// Why that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nvidia_driver_why: Option<String>,
    /// Newest CUDA that the driver runs, such as `12.8`.
    pub cuda: Option<String>,
    /// Why devices can't be used with CUDA.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuda_why: Option<String>,
    /// NVIDIA's devices: those that programs may use, then hidden ones.
    pub nvidia: Vec<Device>,
    /// Kinds of devices whose drivers Laptime doesn't open.
    pub others: Vec<Other>,
}

/// A device of NVIDIA's.
#[derive(Debug, Default, Serialize)]
pub struct Device {
    /// Its number in CUDA; none where CUDA doesn't show it.
    pub index: Option<usize>,
    /// Its name.
    pub name: Option<String>,
    /// What it is called whatever else is plugged in.
    pub uuid: Option<String>,
    /// All of its memory.
    pub memory_bytes: Option<u64>,
    /// Streaming multiprocessors.
    pub multiprocessors: Option<i32>,
    /// Compute capability, such as `9.0`.
    pub compute_capability: Option<String>,
    /// Why some of that is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// A kind of device that isn't looked for.
#[derive(Debug, Serialize)]
pub struct Other {
    /// As frameworks call it.
    pub kind: &'static str,
    /// Why.
    pub why: String,
}

impl Devices {
    /// Looks for them.
    pub fn examine() -> Self {
        let found = Found::look();
        let nvidia = nvidia(&found);
        let others = other_kinds().into_iter().map(|(kind, why)| Other {
            kind,
            why: why.to_string(),
        });
        let why = |absent: &Absent| absent.to_string();
        let cuda = found.cuda.as_ref();
        let managed = found.managed.as_ref();
        Self {
            nvidia_driver: managed.ok().map(|managed| managed.driver.clone()),
            nvidia_driver_why: managed.err().map(why),
            cuda: cuda.ok().map(|found| {
                let (major, minor) = found.cuda;
                format!("{major}.{minor}")
            }),
            cuda_why: cuda.err().map(why),
            nvidia,
            others: others.collect(),
        }
    }
}

fn nvidia(found: &Found) -> Vec<Device> {
    let shown = found.cuda.iter().flat_map(|cuda| &cuda.devices);
    let mut devices: Vec<Device> = shown
        .enumerate()
        .map(|(index, device)| match device {
            Ok(device) => Device {
                index: Some(index),
                name: Some(device.name.clone()),
                uuid: Some(device.uuid.clone()),
                memory_bytes: Some(device.memory_bytes),
                multiprocessors: Some(device.processors),
                compute_capability: {
                    let (major, minor) = device.capability;
                    Some(format!("{major}.{minor}"))
                },
                why: None,
            },
            Err(fault) => Device {
                index: Some(index),
                why: Some(fault.to_string()),
                ..Device::default()
            },
        })
        .collect();
    for (uuid, name) in found.managed.iter().flat_map(|managed| &managed.devices) {
        if !devices.iter().any(|one| one.uuid.as_ref() == Some(uuid)) {
            devices.push(Device {
                name: Some(name.clone()),
                uuid: Some(uuid.clone()),
                why: Some(match &found.cuda {
                    Ok(_) => "CUDA does not show it, as CUDA_VISIBLE_DEVICES decides".to_owned(),
                    Err(absent) => absent.to_string(),
                }),
                ..Device::default()
            });
        }
    }
    devices
}
