//! The program's own use of CUDA: a context and a stream, by the driver that is found at run time.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr::null_mut;

use libloading::Library;

/// A `CUstream`.
pub type Stream = *mut c_void;

/// The driver, with a context that is current on this thread.
pub struct Cuda {
    library: Library,
}

impl Cuda {
    /// Uses the first device.
    pub fn load() -> Result<Self, String> {
        // SAFETY: the driver's initialisers, which every program that uses it runs.
        let library = unsafe { Library::new("libcuda.so.1") };
        let cuda = Self {
            library: library.map_err(|error| format!("no NVIDIA driver: {error}"))?,
        };
        let mut context = null_mut::<c_void>();
        // SAFETY: the types are those of the driver's header, and the places are there to write to.
        unsafe {
            let init = cuda.function::<unsafe extern "C" fn(c_uint) -> c_int>("cuInit")?;
            check("cuInit", init(0))?;
            let retain = cuda.function::<unsafe extern "C" fn(*mut *mut c_void, c_int) -> c_int>(
                "cuDevicePrimaryCtxRetain",
            )?;
            check("cuDevicePrimaryCtxRetain", retain(&raw mut context, 0))?;
            let push =
                cuda.function::<unsafe extern "C" fn(*mut c_void) -> c_int>("cuCtxPushCurrent_v2")?;
            check("cuCtxPushCurrent_v2", push(context))?;
        }
        Ok(cuda)
    }

    /// A stream of its own, which is never destroyed.
    pub fn stream(&self) -> Result<Stream, String> {
        let mut stream = null_mut();
        // SAFETY: as above.
        unsafe {
            let create = self
                .function::<unsafe extern "C" fn(*mut Stream, c_uint) -> c_int>("cuStreamCreate")?;
            check("cuStreamCreate", create(&raw mut stream, 0))?;
        }
        Ok(stream)
    }

    /// What records an event pair on a stream, by the driver's own two calls.
    pub fn event_pair(&self, stream: Stream) -> Result<impl FnMut(), String> {
        type Event = *mut c_void;
        let mut events: [Event; 2] = [null_mut(); 2];
        // SAFETY: as above.
        let record = unsafe {
            let create = self
                .function::<unsafe extern "C" fn(*mut Event, c_uint) -> c_int>("cuEventCreate")?;
            for event in &mut events {
                check("cuEventCreate", create(event, 0))?;
            }
            self.function::<unsafe extern "C" fn(Event, Stream) -> c_int>("cuEventRecord")?
        };
        Ok(move || {
            for event in events {
                // SAFETY: neither is ever destroyed.
                unsafe { record(event, stream) };
            }
        })
    }

    /// Waits until the stream has nothing left to do.
    pub fn synchronize(&self, stream: Stream) -> Result<(), String> {
        // SAFETY: as above.
        unsafe {
            let wait =
                self.function::<unsafe extern "C" fn(Stream) -> c_int>("cuStreamSynchronize")?;
            check("cuStreamSynchronize", wait(stream))
        }
    }

    /// # Safety
    /// The type is the function's.
    unsafe fn function<F: Copy>(&self, name: &str) -> Result<F, String> {
        // SAFETY: the caller's promise.
        let found = unsafe { self.library.get::<F>(name.as_bytes()) };
        found
            .map(|function| *function)
            .map_err(|error| error.to_string())
    }
}

fn check(call: &str, code: c_int) -> Result<(), String> {
    if code == 0 {
        return Ok(());
    }
    Err(format!("{call} answered with error {code}"))
}
