//! Says to nsys and ncu when to look: `cuProfilerStart` and `cuProfilerStop` of CUDA's driver.
//!
//! The driver is used only where the program has loaded it, and called only once a context exists: no
//! context is ever made here. Functions are found at run time, each missing one with its reason.

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::ptr::null_mut;

use laptime_core::Unavailable;

const SUCCESS: c_int = 0;

type Plain = unsafe extern "C" fn() -> c_int;
type Current = unsafe extern "C" fn(*mut *mut c_void) -> c_int;
type Count = unsafe extern "C" fn(*mut c_int) -> c_int;
type State = unsafe extern "C" fn(c_int, *mut c_uint, *mut c_int) -> c_int;

/// Lets the profiler begin.
///
/// **Errors** with the reason: no driver, no context, or what the driver answered.
pub fn start() -> Result<(), Unavailable> {
    call(c"cuProfilerStart")
}

/// Lets the profiler stop.
///
/// **Errors** as [`start`].
pub fn stop() -> Result<(), Unavailable> {
    call(c"cuProfilerStop")
}

fn call(name: &CStr) -> Result<(), Unavailable> {
    let driver = Driver::loaded()?;
    if !driver.has_context() {
        let reason = "no CUDA context exists yet: nothing has used the GPU in this process";
        return Err(Unavailable(reason.into()));
    }
    // SAFETY: a function of this type, by the driver's interface.
    let answer = unsafe { driver.function::<Plain>(name)?() };
    if answer == SUCCESS {
        return Ok(());
    }
    let name = name.to_string_lossy();
    Err(Unavailable(format!("{name} answered with error {answer}")))
}

/// The driver's library, which stays loaded.
struct Driver(*mut c_void);

impl Driver {
    /// The library, if the program has loaded it.
    fn loaded() -> Result<Self, Unavailable> {
        // SAFETY: loads nothing.
        let library = unsafe {
            libc::dlopen(
                c"libcuda.so.1".as_ptr(),
                libc::RTLD_LAZY | libc::RTLD_NOLOAD,
            )
        };
        if library.is_null() {
            let reason = "no NVIDIA driver is loaded in this process: nothing has used CUDA";
            return Err(Unavailable(reason.into()));
        }
        Ok(Self(library))
    }

    /// A function of the driver's.
    ///
    /// # Safety
    /// `F` is a pointer to a function of that name's type.
    unsafe fn function<F>(&self, name: &CStr) -> Result<F, Unavailable> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        // SAFETY: a library that stays loaded.
        let found = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        if found.is_null() {
            let name = name.to_string_lossy();
            return Err(Unavailable(format!("the NVIDIA driver has no {name}")));
        }
        // SAFETY: the caller's promise.
        Ok(unsafe { std::mem::transmute_copy(&found) })
    }

    /// Whether this thread has a context, or any device its primary one.
    fn has_context(&self) -> bool {
        // SAFETY: functions of these types, by the driver's interface; none makes a context.
        unsafe {
            let mut context = null_mut();
            if let Ok(current) = self.function::<Current>(c"cuCtxGetCurrent")
                && current(&raw mut context) == SUCCESS
                && !context.is_null()
            {
                return true;
            }
            let mut devices = 0;
            let (Ok(count), Ok(state)) = (
                self.function::<Count>(c"cuDeviceGetCount"),
                self.function::<State>(c"cuDevicePrimaryCtxGetState"),
            ) else {
                return false;
            };
            // Not initialized: an error, and so no device.
            if count(&raw mut devices) != SUCCESS {
                return false;
            }
            (0..devices).any(|device| {
                let (mut flags, mut active) = (0, 0);
                state(device, &raw mut flags, &raw mut active) == SUCCESS && active != 0
            })
        }
    }
}
