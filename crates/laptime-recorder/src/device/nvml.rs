//! NVIDIA's management library: what the driver is called, and all devices of the machine.
//!
//! Loaded at run time by `nvml-wrapper`. It counts devices in another order than CUDA and knows
//! nothing of `CUDA_VISIBLE_DEVICES`: the UUID tells which device is which.

use std::ffi::OsStr;

use libloading::os::unix::Library;
use nvml_wrapper::Nvml;
use nvml_wrapper::error::NvmlError;

use super::reason::Absent;
use super::table::not_opened;

/// The library. Its name without a version is only there where programs are compiled.
pub const LIBRARY: &str = "libnvidia-ml.so.1";

/// What the library tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Managed {
    /// Version of the driver, such as `580.95.05`.
    pub driver: String,
    /// All devices of the machine that tell what they are, in its own order: UUID and name.
    pub devices: Vec<(String, String)>,
}

/// Loads the library and asks.
///
/// **Cost** some ten milliseconds.
pub fn examine(library: &OsStr) -> Result<Managed, Absent> {
    let refused = |error: NvmlError| refused(library, error);
    let nvml = open(library)?;
    let driver = nvml.sys_driver_version().map_err(refused)?;
    let count = nvml.device_count().map_err(refused)?;
    let devices = (0..count)
        .filter_map(|index| {
            let device = nvml.device_by_index(index).ok()?;
            Some((device.uuid().ok()?, device.name().ok()?))
        })
        .collect();
    close(nvml);
    Ok(Managed { driver, devices })
}

/// Loads the library and starts it. It needs neither CUDA nor a context.
///
/// **Cost** some ten milliseconds.
pub(crate) fn open(library: &OsStr) -> Result<Nvml, Absent> {
    // SAFETY: opening a driver runs its initialisers, as in every program that uses it.
    if let Ok(held) = unsafe { Library::open(Some(library), libc::RTLD_NOW | libc::RTLD_LOCAL) } {
        // Never closed, as drivers aren't: the wrapper would.
        std::mem::forget(held);
    }
    Nvml::builder()
        .lib_path(library)
        .init()
        .map_err(|error| refused(library, error))
}

/// Shuts the library down. The program's own use of it goes on, as uses are counted.
pub(crate) fn close(nvml: Nvml) {
    // Without this function the wrapper would panic.
    if nvml.lib().nvmlShutdown.is_err() {
        std::mem::forget(nvml);
    }
}

fn refused(library: &OsStr, error: NvmlError) -> Absent {
    match error {
        NvmlError::LibloadingError(error) => match not_opened(library, &error.to_string()) {
            Absent::NoLibrary { library } => Absent::NoManagement { library },
            absent => absent,
        },
        NvmlError::FailedToLoadSymbol(why) => Absent::Unmanaged { why },
        error => Absent::Unmanaged {
            why: error.to_string(),
        },
    }
}
