//! What the background thread notes of the process, of its training thread and of the machine.
//!
//! The files are opened by the thread that starts the recording: the program, going on beside the
//! background thread, would find the next number of a file taken for a moment. That thread is also
//! the one whose waiting for a CPU is noted: mostly the one that trains.

use std::fs::File;

use laptime_core::PrivateMemory;
use laptime_core::format::record::Record;

use crate::clock;
use crate::delay::ThreadDelay;
use crate::own_file::OwnFile;
use crate::platform;
use crate::processors::Processors;

/// What is read again and again; a file that can't be opened is not read.
#[derive(Debug)]
pub struct Sources {
    statm: Option<OwnFile>,
    delay: Option<ThreadDelay>,
    processors: Option<Processors>,
}

impl Sources {
    /// Opens them, for the calling thread.
    pub fn open() -> Self {
        Self {
            statm: File::open("/proc/self/statm").and_then(OwnFile::new).ok(),
            delay: ThreadDelay::of_this_thread(),
            processors: Processors::open(),
        }
    }

    /// Resident memory of the process, and the part of it that it allocated; 0 once its first thread is gone.
    pub fn memory_sizes(&self) -> Option<(u64, PrivateMemory)> {
        platform::memory_sizes(self.statm.as_ref()?.get().ok()?)
    }

    /// Resident memory now; `None` once the first thread is gone.
    pub fn resident(&self) -> Option<Record<'static>> {
        let (resident_bytes, private) = self.memory_sizes().filter(|sizes| sizes.0 > 0)?;
        Some(Record::Sample {
            ticks: clock::now(),
            resident_bytes,
            private: Some(private),
        })
    }

    /// How long the thread was kept from a CPU so far.
    pub fn delay(&self) -> Option<Record<'static>> {
        let delay = self.delay.as_ref()?;
        Some(Record::Delay {
            delayed_ns: delay.delayed_ns()?,
            ticks: clock::now(),
            thread: delay.thread,
        })
    }

    /// What the machine's processors did so far.
    pub fn processors(&self) -> Option<Record<'static>> {
        let time = self.processors.as_ref()?.read()?;
        Some(Record::Processors {
            ticks: clock::now(),
            busy_ns: time.busy_ns,
            stolen_ns: time.stolen_ns,
        })
    }
}
