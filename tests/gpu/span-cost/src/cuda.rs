//! The program's own use of CUDA: a context and a stream, by the driver that is found at run time.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr::null_mut;

use libloading::Library;

/// A `CUstream`.
pub type Stream = *mut c_void;

/// A `CUevent`.
type Event = *mut c_void;

/// Event pairs that take turns, as those of spans do: none is ever destroyed.
pub struct Pairs {
    record: unsafe extern "C" fn(Event, Stream) -> c_int,
    query: unsafe extern "C" fn(Event) -> c_int,
    elapsed: unsafe extern "C" fn(*mut f32, Event, Event) -> c_int,
    made: Vec<[Event; 2]>,
    at: usize,
}

impl Pairs {
    fn next(&mut self) -> [Event; 2] {
        self.at = (self.at + 1) % self.made.len();
        self.made[self.at]
    }

    /// Records the next pair on a stream.
    pub fn record(&mut self, stream: Stream) {
        for event in self.next() {
            // SAFETY: neither is ever destroyed.
            unsafe { (self.record)(event, stream) };
        }
    }

    /// Reads the next pair as a span's is read: whether it began, how long it took, and where it lies.
    pub fn read(&mut self) -> f32 {
        let ([start, end], first) = (self.next(), self.made[0][0]);
        let (mut took, mut lies) = (0.0, 0.0);
        // SAFETY: as above, and both were recorded.
        unsafe {
            (self.query)(start);
            (self.elapsed)(&raw mut took, start, end);
            (self.elapsed)(&raw mut lies, first, end);
        }
        took + lies
    }
}

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

    /// Event pairs, for the driver's own calls on them.
    pub fn pairs(&self, count: usize) -> Result<Pairs, String> {
        let mut made = vec![[null_mut(); 2]; count];
        // SAFETY: as above.
        unsafe {
            let create = self
                .function::<unsafe extern "C" fn(*mut Event, c_uint) -> c_int>("cuEventCreate")?;
            for event in made.as_flattened_mut() {
                check("cuEventCreate", create(event, 0))?;
            }
            Ok(Pairs {
                record: self.function("cuEventRecord")?,
                query: self.function("cuEventQuery")?,
                elapsed: self.function("cuEventElapsedTime")?,
                made,
                at: 0,
            })
        }
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
