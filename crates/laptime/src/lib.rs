//! Tells where a program spends its time.
//!
//! ```
//! let recording = laptime::record(std::env::temp_dir().join("train.lap"))?;
//! for step in laptime::track(0..3, "step") {
//!     let _lap = laptime::lap!("forward");
//!     laptime::metric("loss", 1.0 / f64::from(step + 1));
//! }
//! println!("{}", laptime::report());
//! # std::fs::remove_dir_all(
//! recording.finish()?
//! # )?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A program that only links this crate records nothing, at the cost of one atomic load a
//! lap, until [`record`] or [`enable`] is called or it is started under `laptime run`.

/// The guide's examples compile.
#[cfg(all(doctest, feature = "tracing"))]
#[doc = include_str!("../../../docs/rust.md")]
#[doc = include_str!("../../../docs/ceilings.md")]
#[doc = include_str!("../../../README.md")]
struct Guide;

#[cfg(feature = "report")]
mod compared;
#[cfg(feature = "count")]
pub mod count;
#[cfg(feature = "export")]
mod exported;
mod future;
mod guard;
mod job;
#[cfg(feature = "tracing")]
mod layer;
#[cfg(feature = "report")]
mod recorded;
#[cfg(feature = "report")]
mod report;
mod track;

use std::path::Path;

#[cfg(feature = "report")]
pub use compared::Compared;
#[cfg(feature = "export")]
pub use exported::{ExportError, ExportFormat, Exported};
pub use future::{LapFuture, LapName, lap_future};
pub use guard::{Amount, Lap, WorkLap};
pub use job::{Job, JobError};
pub use laptime_recorder::{
    LazySite, RecordOptions, RecorderError, Recording, Site, disable, enable, is_on,
};
#[cfg(feature = "tracing")]
pub use layer::{Layer, layer};
#[cfg(feature = "report")]
pub use recorded::{Recorded, open, summarize_live};
#[cfg(feature = "report")]
pub use report::{Format, Report, report};
pub use track::{Track, track};

/// Counting the memory of laps.
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: laptime::alloc::Tally = laptime::alloc::Tally::system();
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// laptime::alloc::start()?;
/// let recording = laptime::record(std::env::temp_dir().join("memory.lap"))?;
/// {
///     let _lap = laptime::lap!("load");
///     let _data = vec![0_u8; 1 << 20];
/// }
/// # std::fs::remove_dir_all(
/// recording.finish()?
/// # )?;
/// # Ok(())
/// # }
/// ```
pub mod alloc {
    pub use laptime_recorder::memory::{Tally, start, stop};
}

/// Timing laps on a device, by events on its streams and without waiting for it.
///
/// ```no_run
/// # fn stream() -> *mut std::ffi::c_void { std::ptr::null_mut() }
/// laptime::device::turn_on();
/// // SAFETY: a stream of CUDA's, which lives as long as the program.
/// let _on = unsafe { laptime::device::on_cuda_stream(0, stream()) };
/// let _lap = laptime::lap!("forward");
/// ```
pub mod device {
    pub use laptime_recorder::device::here::On;
    use laptime_recorder::device::{Stream, here};
    pub use laptime_recorder::{leave_devices as turn_off, time_on_devices as turn_on};

    /// Laps that the calling thread opens while the value lives are timed on this stream of the device of
    /// this index, too. Null is the default stream.
    ///
    /// **Cost** two events a lap, once timing is [on](turn_on).
    ///
    /// # Safety
    /// The stream is a `CUstream` or `cudaStream_t`, and lives until these laps have closed.
    pub unsafe fn on_cuda_stream(device: u32, stream: *mut std::ffi::c_void) -> On {
        let stream = Stream(stream.addr());
        // SAFETY: the caller's promise.
        unsafe { here::on(here::Place { device, stream }) }
    }
}

/// What arithmetic and memory reach on this machine at most.
///
/// ```no_run
/// let ceilings = laptime::ceilings::kept_or_measured();
/// match ceilings.flop("cpu", "float32") {
///     Ok(peak) => println!("{}: {:.3e} FLOP/s", peak.label(), peak.per_s),
///     Err(why) => println!("{why}"),
/// }
/// ```
pub mod ceilings {
    pub use laptime_core::ceilings::{Bound, Ceiling, Ceilings, Measured, Origin};
    pub use laptime_recorder::ceilings::{kept_or_measured, measure};
}

/// Attributes. In a module of their own because Rust keeps one name for macros of all kinds, and
/// `laptime::lap!` has it at the root: `use laptime::attribute::lap;`, then `#[lap] fn forward() {}`.
pub mod attribute {
    pub use laptime_macros::lap;
}

/// Opens a lap that ends when the guard is dropped: `let _lap = laptime::lap!("forward");`.
///
/// `laptime::lap!("gemm", flop = 2 * m * n * k, bytes = …)` says what it does, both or either, as
/// integers; the report then has its rate.
///
/// **Cost** about two clock reads, 30 ns, while recording; one atomic load otherwise. With `flop`
/// or `bytes` some 100 ns more.
#[macro_export]
macro_rules! lap {
    ($name:literal) => {{
        static SITE: $crate::LazySite = $crate::LazySite::new($name);
        $crate::Lap::open(&SITE)
    }};
    ($name:expr) => {
        $crate::Lap::named($name)
    };
    ($name:literal, $($what:ident = $amount:expr),+ $(,)?) => {{
        static SITE: $crate::LazySite = $crate::LazySite::new($name);
        $crate::WorkLap::open(&SITE)$(.$what($amount))+
    }};
    ($name:expr, $($what:ident = $amount:expr),+ $(,)?) => {
        $crate::WorkLap::named($name)$(.$what($amount))+
    };
}

/// Starts a recording of this process, and what it forks, in a new folder.
///
/// Never overwrites: when the path is taken, the next free `-<n>` is used; compare
/// [`Recording::path`]. Lasts until the result is dropped or [`Recording::finish`]ed.
///
/// **Errors** when the folder or a file in it cannot be made.
pub fn record(path: impl AsRef<Path>) -> Result<Recording, RecorderError> {
    laptime_recorder::record(path.as_ref(), &RecordOptions::default())
}

/// Records a named instant under the innermost open lap.
pub fn mark(name: &str) {
    laptime_recorder::mark(Site::intern(name));
}

/// Records a named number at this instant, such as a loss.
pub fn metric(name: &str, value: f64) {
    laptime_recorder::metric(Site::intern(name), value);
}
