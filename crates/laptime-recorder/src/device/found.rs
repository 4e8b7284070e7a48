//! What devices this machine has, or why none is known: for `laptime doctor`.
//!
//! Asked on a thread of its own with a time limit, as drivers of broken machines may never answer.
//! Run it in a process of ours only: it initialises the driver (see [`Cuda::examine`]).

use std::ffi::OsStr;
use std::sync::mpsc;
use std::time::Duration;

use super::cuda::Cuda;
use super::nvml::{self, Managed};
use super::reason::{Absent, Fault};
use super::table;

/// How long drivers have to answer. Machines with eight sleeping devices take two to three seconds.
const PATIENCE_S: u64 = 5;

/// Numbers of the attributes, as the driver's header has them.
const PROCESSORS: i32 = 16;
const MAJOR: i32 = 75;
const MINOR: i32 = 76;

/// What was found.
#[derive(Debug)]
pub struct Found {
    /// NVIDIA's devices that this process may use.
    pub cuda: Result<Devices, Absent>,
    /// What the management library says of all of them.
    pub managed: Result<Managed, Absent>,
}

/// Devices that the driver shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Devices {
    /// Newest CUDA that the driver can run, as major and minor.
    pub cuda: (i32, i32),
    /// Each of them, or the error that stands in its place.
    pub devices: Vec<Result<Device, Fault>>,
}

/// A device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// Its name.
    pub name: String,
    /// Its UUID as the management library writes it, such as `GPU-1b2c…`.
    pub uuid: String,
    /// All of its memory.
    pub memory_bytes: u64,
    /// Streaming multiprocessors.
    pub processors: i32,
    /// Compute capability, as major and minor.
    pub capability: (i32, i32),
}

/// Devices of kinds whose drivers Laptime doesn't open: the kind as frameworks call it, and the reason.
pub fn other_kinds() -> [(&'static str, Absent); 3] {
    [("hip", "AMD"), ("xpu", "Intel"), ("mps", "Apple")]
        .map(|(name, kind)| (name, Absent::NotOpened { kind }))
}

impl Found {
    /// Looks for the drivers of this machine.
    ///
    /// **Cost** milliseconds; up to five seconds where a driver does not answer.
    pub fn look() -> Self {
        let cuda = in_time(|| devices(table::LIBRARY.as_ref()));
        let managed = match &cuda {
            // The management library asks the same driver.
            Err(reason @ Absent::NoAnswer { .. }) => Err(reason.clone()),
            _ => in_time(|| nvml::examine(nvml::LIBRARY.as_ref())),
        };
        Self { cuda, managed }
    }

    /// Looks into these libraries instead, without a time limit.
    pub fn look_into(cuda: &OsStr, managed: &OsStr) -> Self {
        Self {
            cuda: devices(cuda),
            managed: nvml::examine(managed),
        }
    }
}

fn in_time<T: Send + 'static>(
    ask: impl FnOnce() -> Result<T, Absent> + Send + 'static,
) -> Result<T, Absent> {
    let (tell, told) = mpsc::channel();
    let asking = std::thread::Builder::new()
        .name("laptime-driver".to_owned())
        // Who asked may be gone by then.
        .spawn(move || drop(tell.send(ask())));
    let no_answer = Absent::NoAnswer {
        seconds: PATIENCE_S,
    };
    if asking.is_err() {
        return Err(no_answer);
    }
    told.recv_timeout(Duration::from_secs(PATIENCE_S))
        .unwrap_or(Err(no_answer))
}

fn devices(library: &OsStr) -> Result<Devices, Absent> {
    let cuda = Cuda::examine(library)?;
    let mut version = 0;
    // SAFETY: a place to write to.
    let code = unsafe { (cuda.table.version)(&raw mut version) };
    cuda.table
        .check("cuDriverGetVersion", code)
        .map_err(Absent::Refused)?;
    let devices = (0..cuda.device_count()?).map(|index| device(&cuda, index));
    Ok(Devices {
        cuda: (version / 1000, version % 1000 / 10),
        devices: devices.collect(),
    })
}

fn device(cuda: &Cuda, index: i32) -> Result<Device, Fault> {
    let (mut device, mut name, mut uuid, mut memory) = (0, [0_u8; 128], [0; 16], 0);
    let table = &cuda.table;
    // SAFETY: places to write to, of the length that is told.
    unsafe {
        table.check("cuDeviceGet", (table.device)(&raw mut device, index))?;
        let code = (table.device_name)(name.as_mut_ptr().cast(), name.len() as i32, device);
        table.check("cuDeviceGetName", code)?;
        table.check(
            "cuDeviceGetUuid",
            (table.device_uuid)(&raw mut uuid, device),
        )?;
        let code = (table.device_memory)(&raw mut memory, device);
        table.check("cuDeviceTotalMem", code)?;
    }
    let attribute = |which| {
        let mut value = 0;
        // SAFETY: a place to write to.
        let code = unsafe { (table.device_attribute)(&raw mut value, which, device) };
        table.check("cuDeviceGetAttribute", code).map(|()| value)
    };
    let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
    Ok(Device {
        name: String::from_utf8_lossy(name).into_owned(),
        uuid: written(uuid),
        memory_bytes: memory as u64,
        processors: attribute(PROCESSORS)?,
        capability: (attribute(MAJOR)?, attribute(MINOR)?),
    })
}

/// A UUID as the management library writes it.
fn written(uuid: [u8; 16]) -> String {
    format!("GPU-{}", digits(uuid))
}

/// The same without what kind of device it is of.
pub(super) fn digits(uuid: [u8; 16]) -> String {
    let digits = format!("{:032x}", u128::from_be_bytes(uuid));
    let (a, b, c) = (&digits[..8], &digits[8..12], &digits[12..16]);
    format!("{a}-{b}-{c}-{}-{}", &digits[16..20], &digits[20..])
}
