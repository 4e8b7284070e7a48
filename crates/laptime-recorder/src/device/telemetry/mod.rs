//! What devices say of themselves while a recording is on: how busy they are, what they draw, what slows them.
//!
//! The collector watches for the program to load NVIDIA's driver ([`Watch`], `loaded`), and then starts a
//! thread (`sampler`) that waits until the program uses a device (`used`), opens NVIDIA's management library,
//! and reads each of these devices (`meter`) about ten times a second (`pace`). The collector writes what it
//! read (`written`, `book`). Where no driver is loaded there is no thread. Neither CUDA nor a context is made: that is
//! the program's to do.

mod book;
mod loaded;
mod meter;
mod pace;
mod sampler;
mod used;
mod written;

use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) use book::{Book, Told};
pub(crate) use sampler::Sampler;
pub(crate) use written::{finish, follow};

use crate::environment;
use loaded::Loaded;

/// Code of the note that says why there is no sample of any device.
pub(crate) const UNAVAILABLE: &str = "telemetry.unavailable";
/// Code of the note that says that a device stopped answering.
const LOST: &str = "telemetry.lost";

/// This process asked the drivers about devices in use: a child that is forked from it can't.
static HAS_ASKED: AtomicBool = AtomicBool::new(false);
/// It was forked from one that did. For good.
static IS_FORKED: AtomicBool = AtomicBool::new(false);

/// Waits for the program to load the driver.
#[derive(Debug)]
pub(crate) struct Watch {
    loaded: Loaded,
    is_over: bool,
}

impl Watch {
    /// Begins to watch, on the thread that starts the recording; `LAPTIME_DEVICE=off` leaves devices alone.
    pub fn begin() -> Self {
        Self {
            loaded: Loaded::default(),
            is_over: IS_FORKED.load(Ordering::Relaxed) || !environment::times_devices(),
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

/// In a forked child: where the parent asked the drivers, the child never does.
pub(super) fn start_over_after_fork() {
    if HAS_ASKED.load(Ordering::Relaxed) {
        IS_FORKED.store(true, Ordering::Relaxed);
    }
}
