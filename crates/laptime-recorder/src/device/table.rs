//! The functions of `libcuda.so.1` that Laptime calls, found at run time.
//!
//! Nothing is linked: on a machine without the driver the library is absent, and that is a reason
//! like others. None of the functions makes a context. Only `cuStreamSynchronize` waits for a device.

use std::ffi::{OsStr, c_char, c_int, c_uint};
use std::path::Path;

use libloading::os::unix::Library;

use super::reason::{Absent, Fault};

/// The driver's library.
pub const LIBRARY: &str = "libcuda.so.1";

const SUCCESS: c_int = 0;

macro_rules! table {
    ($($symbol:ident as $name:ident($($argument:ty),*);)*) => {
        /// The functions, all of them there.
        #[derive(Debug, Clone, Copy)]
        pub struct Table {
            $(#[doc = concat!("`", stringify!($symbol), "`.")] pub $name: unsafe extern "C" fn($($argument),*) -> c_int,)*
        }

        impl Table {
            /// Names of the functions, as the library has them.
            pub const SYMBOLS: &[&str] = &[$(stringify!($symbol)),*];

            fn of(library: &Library, path: &OsStr) -> Result<Self, Absent> {
                let missing = |symbol: &str| Absent::TooOld {
                    library: path.to_string_lossy().into_owned(),
                    symbol: symbol.to_owned(),
                };
                // SAFETY: the types are those of the driver's header.
                unsafe {
                    Ok(Self {
                        $($name: *library
                            .get(concat!(stringify!($symbol), "\0").as_bytes())
                            .map_err(|_| missing(stringify!($symbol)))?,)*
                    })
                }
            }
        }
    };
}

table! {
    cuInit as init(c_uint);
    cuDriverGetVersion as version(*mut c_int);
    cuGetErrorName as error_name(c_int, *mut *const c_char);
    cuDeviceGetCount as device_count(*mut c_int);
    cuDeviceGet as device(*mut c_int, c_int);
    cuDeviceGetName as device_name(*mut c_char, c_int, c_int);
    cuDeviceGetUuid as device_uuid(*mut [u8; 16], c_int);
    cuDeviceTotalMem_v2 as device_memory(*mut usize, c_int);
    cuDeviceGetAttribute as device_attribute(*mut c_int, c_int, c_int);
    cuDevicePrimaryCtxGetState as primary_state(c_int, *mut c_uint, *mut c_int);
    cuCtxGetCurrent as current_context(*mut usize);
    cuCtxPushCurrent_v2 as push_context(usize);
    cuCtxPopCurrent_v2 as pop_context(*mut usize);
    cuStreamGetCtx as stream_context(usize, *mut usize);
    cuStreamIsCapturing as stream_capture(usize, *mut c_int);
    cuStreamQuery as stream_query(usize);
    cuStreamSynchronize as stream_synchronize(usize);
    cuThreadExchangeStreamCaptureMode as exchange_capture_mode(*mut c_int);
    cuEventCreate as event_create(*mut usize, c_uint);
    cuEventRecord as event_record(usize, usize);
    cuEventQuery as event_query(usize);
    cuEventElapsedTime as event_elapsed(*mut f32, usize, usize);
}

impl Table {
    /// Opens the library, or only finds it where the program has loaded it before.
    ///
    /// It is never closed: drivers have threads of their own.
    pub fn open(path: &OsStr, only_if_loaded: bool) -> Result<Self, Absent> {
        let mut flags = libc::RTLD_NOW | libc::RTLD_LOCAL;
        if only_if_loaded {
            flags |= libc::RTLD_NOLOAD;
        }
        // SAFETY: opening a driver runs its initialisers, as in every program that uses it.
        let library = unsafe { Library::open(Some(path), flags) };
        let library = match library {
            Ok(library) => std::mem::ManuallyDrop::new(library),
            Err(_) if only_if_loaded => return Err(Absent::NotLoaded),
            Err(error) => return Err(not_opened(path, &error.to_string())),
        };
        Self::of(&library, path)
    }

    /// What a call returned, as a result.
    #[inline]
    pub fn check(&self, call: &'static str, code: c_int) -> Result<(), Fault> {
        if code == SUCCESS {
            return Ok(());
        }
        Err(self.fault(call, code))
    }

    #[cold]
    fn fault(&self, call: &'static str, code: c_int) -> Fault {
        let mut name = std::ptr::null();
        // SAFETY: a place to write to; the driver leaves it alone or points to a constant.
        let name = unsafe {
            (self.error_name)(code, &raw mut name);
            (!name.is_null()).then(|| std::ffi::CStr::from_ptr(name))
        };
        let name = name.map_or("an error without a name".into(), |name| {
            name.to_string_lossy().into_owned()
        });
        Fault { call, code, name }
    }
}

/// Which of its reasons the linker had: only its words tell.
pub fn not_opened(path: &OsStr, why: &str) -> Absent {
    let library = path.to_string_lossy().into_owned();
    let is_absent = why.contains(&format!("{library}: cannot open shared object file"))
        && why.contains("No such file")
        && !Path::new(path).exists();
    if is_absent {
        return Absent::NoLibrary { library };
    }
    Absent::NotLoadable {
        why: why.to_owned(),
    }
}
