//! What devices say of themselves while a recording is on: how busy they are, what they draw, what slows them.
//!
//! The collector watches for the program to load NVIDIA's driver ([`Watch`], `loaded`), and then starts a
//! thread (`sampler`) that waits until the program uses a device, opens NVIDIA's management library,
//! and reads each of these devices (`meter`) about ten times a second (`pace`). The collector writes what it
//! read (`book`). Where no driver is loaded there is no thread. Neither CUDA nor a context is made: that is
//! the program's to do.

mod book;
pub mod loaded;
mod meter;
mod pace;
mod sampler;

use std::ffi::OsString;
use std::sync::atomic::{AtomicU32, Ordering};

pub use book::{Book, Told};
pub use sampler::Sampler;

use crate::environment::{self, DeviceTime};
use loaded::Loaded;

/// Code of the note that says why there is no sample of any device.
pub const UNAVAILABLE: &str = "telemetry.unavailable";
/// Code of the note that says that a device stopped answering.
const LOST: &str = "telemetry.lost";

/// The process that asked the drivers about devices in use: a child that is forked from it can't. 0: none yet.
static ASKED_BY: AtomicU32 = AtomicU32::new(0);

/// Whether a process that this one was forked from asked the drivers.
fn is_forked() -> bool {
    let asked_by = ASKED_BY.load(Ordering::Relaxed);
    asked_by != 0 && asked_by != std::process::id()
}

/// Waits for the program to load the driver.
#[derive(Debug)]
pub struct Watch {
    loaded: Loaded,
    is_over: bool,
}

impl Watch {
    /// Begins to watch, on the thread that starts the recording; `LAPTIME_DEVICE=off` leaves devices alone.
    pub fn begin() -> Self {
        Self {
            loaded: Loaded::default(),
            is_over: is_forked() || environment::device_time() == DeviceTime::Off,
        }
    }

    /// The driver that the program has loaded, told once.
    ///
    /// **Cost** below a microsecond where nothing was loaded since it was asked last.
    pub fn look(&mut self) -> Option<OsString> {
        if self.is_over {
            return None;
        }
        let found = self.loaded.look()?;
        self.is_over = true;
        Some(found)
    }
}
