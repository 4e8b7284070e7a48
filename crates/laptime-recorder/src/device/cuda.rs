//! The CUDA driver: looking for it, and its implementation of [`Driver`].
//!
//! There are two ways in. [`Cuda::examine`] is for a process of our own, such as `laptime doctor`: it
//! loads the library and initialises it. [`Cuda::join`] is for the measured program: it finds only
//! what the program has loaded and initialised, as a process that called `cuInit` can't use the
//! driver in children that it forks, and that must not become so by our doing. Neither makes a
//! context: that takes hundreds of megabytes, and is the program's to decide.

use std::ffi::{OsStr, c_int, c_uint};

use super::driver::{Context, Driver, Event, Stream};
use super::reason::{Absent, Fault, Untimed};
use super::table::Table;

const DEINITIALIZED: c_int = 4;
const NOT_INITIALIZED: c_int = 3;
const NO_DEVICE: c_int = 100;
const INVALID_HANDLE: c_int = 400;
const CONTEXT_IS_DESTROYED: c_int = 709;
const NOT_READY: c_int = 600;
/// What asking the default stream returns while another stream of its context is captured.
const CAPTURE_IMPLICIT: c_int = 906;
/// The capture mode in which a thread's calls break no capture.
const RELAXED: c_int = 2;
/// Events with times, for which nothing spins.
const EVENT_FLAGS: c_uint = 0;

/// The driver, found and started.
#[derive(Debug, Clone, Copy)]
pub struct Cuda {
    pub(super) table: Table,
}

impl Cuda {
    /// Loads the driver into a process of our own, and initialises it.
    ///
    /// **Cost** a few milliseconds to seconds, on machines with many devices that sleep.
    pub fn examine(library: &OsStr) -> Result<Self, Absent> {
        let cuda = Self {
            table: Table::open(library, false)?,
        };
        // SAFETY: a plain call.
        let code = unsafe { (cuda.table.init)(0) };
        if code == NO_DEVICE {
            return Err(Absent::NoDevice);
        }
        cuda.table.check("cuInit", code).map_err(Absent::Refused)?;
        cuda.device_count()?;
        Ok(cuda)
    }

    /// Finds the driver that the measured program uses, once it uses a device.
    ///
    /// **Cost** some microseconds, until there is an answer that stays ([`Absent::may_change`]).
    pub fn join(library: &OsStr) -> Result<Self, Absent> {
        let cuda = Self {
            table: Table::open(library, true)?,
        };
        let count = cuda.device_count()?;
        for device in 0..count {
            if cuda.has_context(device).map_err(Absent::Refused)? {
                return Ok(cuda);
            }
        }
        Err(Absent::NoContext)
    }

    /// How many devices there are; none is a reason.
    pub(super) fn device_count(&self) -> Result<c_int, Absent> {
        let mut count = 0;
        // SAFETY: a place to write to.
        match unsafe { (self.table.device_count)(&raw mut count) } {
            NOT_INITIALIZED => return Err(Absent::NotInitialized),
            DEINITIALIZED => return Err(Absent::Ended),
            NO_DEVICE => return Err(Absent::NoDevice),
            code => self
                .table
                .check("cuDeviceGetCount", code)
                .map_err(Absent::Refused)?,
        }
        if count < 1 {
            return Err(Absent::NoDevice);
        }
        Ok(count)
    }

    /// Whether a device has a primary context, which the program made. Makes none.
    pub(super) fn has_context(&self, device: c_int) -> Result<bool, Fault> {
        let (mut handle, mut flags, mut active) = (0, 0, 0);
        // SAFETY: places to write to.
        unsafe {
            let code = (self.table.device)(&raw mut handle, device);
            self.table.check("cuDeviceGet", code)?;
            let code = (self.table.primary_state)(handle, &raw mut flags, &raw mut active);
            self.table.check("cuDevicePrimaryCtxGetState", code)?;
        }
        Ok(active != 0)
    }

    /// Whether a question was answered by yes rather than by not yet.
    fn is_ready(&self, call: &'static str, code: c_int) -> Result<bool, Fault> {
        match code {
            NOT_READY => Ok(false),
            code => self.table.check(call, code).map(|()| true),
        }
    }

    fn exchange(&self, mode: &mut c_int) -> Result<(), Fault> {
        // SAFETY: a place to read from and write to.
        let code = unsafe { (self.table.exchange_capture_mode)(mode) };
        self.table.check("cuThreadExchangeStreamCaptureMode", code)
    }

    fn create_here(&self) -> Result<Event, Fault> {
        let mut event = 0;
        // SAFETY: a place to write to.
        let code = unsafe { (self.table.event_create)(&raw mut event, EVENT_FLAGS) };
        self.table.check("cuEventCreate", code)?;
        Ok(Event(event))
    }
}

impl Driver for Cuda {
    fn context(&self, stream: Stream) -> Result<Context, Fault> {
        let mut context = 0;
        // SAFETY: a place to write to; the stream is the caller's, alive.
        let code = unsafe { (self.table.stream_context)(stream.0, &raw mut context) };
        self.table.check("cuStreamGetCtx", code)?;
        Ok(Context(context))
    }

    fn is_capturing(&self, stream: Stream) -> Result<bool, Fault> {
        let mut status = 0;
        // SAFETY: as above.
        let code = unsafe { (self.table.stream_capture)(stream.0, &raw mut status) };
        if code == CAPTURE_IMPLICIT {
            return Ok(true);
        }
        self.table.check("cuStreamIsCapturing", code)?;
        Ok(status != 0)
    }

    fn beside_captures<T>(&self, work: impl FnOnce() -> Result<T, Untimed>) -> Result<T, Untimed> {
        let mut mode = RELAXED;
        self.exchange(&mut mode).map_err(Untimed::Failed)?;
        let result = work();
        // The thread's own mode again. What fails here fails for the program too.
        let _ = self.exchange(&mut mode);
        result
    }

    fn is_idle(&self, stream: Stream) -> Result<bool, Fault> {
        // SAFETY: the stream is the caller's, alive.
        self.is_ready("cuStreamQuery", unsafe {
            (self.table.stream_query)(stream.0)
        })
    }

    fn create(&self, context: Context) -> Result<Event, Fault> {
        let mut current = 0;
        // SAFETY: a place to write to.
        let code = unsafe { (self.table.current_context)(&raw mut current) };
        self.table.check("cuCtxGetCurrent", code)?;
        if current == context.0 {
            return self.create_here();
        }
        // SAFETY: the context is that of a stream that is alive.
        let code = unsafe { (self.table.push_context)(context.0) };
        self.table.check("cuCtxPushCurrent", code)?;
        let event = self.create_here();
        // SAFETY: a place to write to; pops what was pushed above.
        let code = unsafe { (self.table.pop_context)(&raw mut current) };
        self.table.check("cuCtxPopCurrent", code)?;
        event
    }

    fn record(&self, event: Event, stream: Stream) -> Result<(), Fault> {
        // SAFETY: events are never destroyed, and the stream is the caller's.
        let code = unsafe { (self.table.event_record)(event.0, stream.0) };
        self.table.check("cuEventRecord", code)
    }

    fn is_complete(&self, event: Event) -> Result<bool, Fault> {
        // SAFETY: events are never destroyed.
        self.is_ready("cuEventQuery", unsafe { (self.table.event_query)(event.0) })
    }

    fn elapsed_ms(&self, from: Event, to: Event) -> Result<Option<f32>, Fault> {
        let mut ms = 0.0;
        // SAFETY: a place to write to; events are never destroyed.
        let code = unsafe { (self.table.event_elapsed)(&raw mut ms, from.0, to.0) };
        Ok(self.is_ready("cuEventElapsedTime", code)?.then_some(ms))
    }

    fn synchronize(&self, stream: Stream) -> Result<(), Fault> {
        // SAFETY: the stream is the caller's, alive.
        let code = unsafe { (self.table.stream_synchronize)(stream.0) };
        self.table.check("cuStreamSynchronize", code)
    }

    fn is_end(&self, fault: &Fault) -> bool {
        fault.code == DEINITIALIZED
    }

    fn is_stale(&self, fault: &Fault) -> bool {
        // A stream that was destroyed is refused by the same number, where it is asked for.
        fault.code == CONTEXT_IS_DESTROYED
            || (fault.code == INVALID_HANDLE && fault.call.starts_with("cuEvent"))
    }
}
