//! Which devices the program uses: those with a primary context, by the driver's own word.
//!
//! The driver has read `CUDA_VISIBLE_DEVICES` when the program initialised it, and numbers devices as that
//! says: by indices, UUIDs, beginnings of UUIDs or names of MIG instances. So each device is asked for its
//! UUID, and nothing is read from the environment, which a program may change at any time.

use std::ffi::{OsStr, c_int};

use libloading::os::unix::Library;

use super::cuda::Cuda;
use super::found::digits;
use super::reason::{Absent, Fault};

/// Tells the UUID of a MIG instance rather than that of its GPU. Absent from drivers before 470.
const UUID_OF_INSTANCE: &[u8] = b"cuDeviceGetUuid_v2\0";

type UuidOf = unsafe extern "C" fn(*mut [u8; 16], c_int) -> c_int;

/// A device in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Used {
    /// Its index, as the program counts devices.
    pub index: u32,
    /// Its UUID, without what stands before it: `GPU-` or `MIG-`.
    pub uuid: String,
    /// That of the GPU that it is a part of; the same for a whole one.
    pub whole_uuid: String,
}

/// The devices that the program uses now, by the driver in this library, which it has loaded.
///
/// **Cost** a few microseconds a device.
pub fn devices(library: &OsStr) -> Result<Vec<Used>, Absent> {
    let cuda = Cuda::join(library)?;
    let of_instance = uuid_of_instance(library);
    let mut used = Vec::new();
    for index in 0..cuda.device_count()? {
        if cuda.has_context(index).map_err(Absent::Refused)? {
            used.push(device(&cuda, of_instance, index).map_err(Absent::Refused)?);
        }
    }
    Ok(used)
}

fn device(cuda: &Cuda, of_instance: Option<UuidOf>, index: c_int) -> Result<Used, Fault> {
    let (mut device, mut whole) = (0, [0; 16]);
    let table = &cuda.table;
    // SAFETY: places to write to.
    unsafe {
        table.check("cuDeviceGet", (table.device)(&raw mut device, index))?;
        table.check(
            "cuDeviceGetUuid",
            (table.device_uuid)(&raw mut whole, device),
        )?;
    }
    let mut own = whole;
    if let Some(uuid_of) = of_instance {
        // SAFETY: as above.
        unsafe { table.check("cuDeviceGetUuid_v2", uuid_of(&raw mut own, device))? };
    }
    Ok(Used {
        index: index as u32,
        uuid: digits(own),
        whole_uuid: digits(whole),
    })
}

fn uuid_of_instance(library: &OsStr) -> Option<UuidOf> {
    // SAFETY: it is loaded already, so nothing runs.
    let library = unsafe { Library::open(Some(library), libc::RTLD_NOW | libc::RTLD_NOLOAD) };
    // Never closed, as the table's isn't.
    let library = std::mem::ManuallyDrop::new(library.ok()?);
    // SAFETY: the type is that of the driver's header.
    unsafe { library.get::<UuidOf>(UUID_OF_INSTANCE) }
        .ok()
        .map(|found| *found)
}
