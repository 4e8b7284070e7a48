//! A recording in progress: the file, and the windows on their way into it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar};

use crate::file::{ProcessFile, SHORT_WINDOWS};
use crate::samples::Sources;
use crate::stacks::{Book, Sampler};
use crate::telemetry::{Book as DeviceBook, Sampler as DeviceSampler};
use crate::window::Window;
use crate::worker::Worker;
use crate::writer::Writer;

/// Windows kept set aside once a process fills its first ones, and at most.
const SET_ASIDE: usize = 2;
const MAX_SET_ASIDE: usize = 16;

/// Wakes the collector: a window was retired, or few are set aside.
pub static WORK: Condvar = Condvar::new();

static LOST: AtomicU64 = AtomicU64::new(0);
static CLAMPED: AtomicU64 = AtomicU64::new(0);

#[derive(Debug)]
pub struct Disk {
    pub folder: PathBuf,
    pub file: ProcessFile,
    /// Full windows, for the collector.
    pub full: Vec<Window>,
    /// Windows to keep set aside; grows when threads are faster than the collector.
    target: usize,
    /// Error number that ended writing.
    pub failed: Option<i32>,
    /// Whether it was said that windows can't be had for want of memory.
    lacked_memory: bool,
    /// Slots of windows that a thread may still hold or that hold records: the file ends behind the highest.
    pub used_end: u64,
    pub collector: Option<Worker>,
    pub stop: bool,
    /// Writes anchors, samples and notes.
    pub scribe: Option<Writer>,
    /// The collector holds windows that are not folded yet.
    pub folding: bool,
    /// What the collector reads; kept here, so that a forked child closes its copies.
    pub sources: Arc<Sources>,
    /// Who looks at stacks, if they are sampled.
    pub sampler: Option<Sampler>,
    /// What the sampler saw.
    pub book: Book,
    /// Who reads devices, once the program has loaded their driver.
    pub devices: Option<DeviceSampler>,
    /// Which of them were told.
    pub device_book: DeviceBook,
}

impl Disk {
    pub fn new(folder: PathBuf, file: ProcessFile) -> Self {
        Self {
            folder,
            file,
            full: Vec::new(),
            target: 0,
            failed: None,
            lacked_memory: false,
            used_end: 0,
            collector: None,
            stop: false,
            scribe: None,
            folding: false,
            sources: Arc::new(Sources::open()),
            sampler: None,
            book: Book::default(),
            devices: None,
            device_book: DeviceBook::default(),
        }
    }

    /// A window of the file; `None` where it takes no more. **Errors** at the moment when it does not.
    pub fn take_window(&mut self) -> std::io::Result<Option<Window>> {
        if self.failed.is_some() {
            return Ok(None);
        }
        // A process that lives shortly gets by with its first windows: none is set aside for it.
        if self.file.ready() == 0 && self.used_end >= SHORT_WINDOWS {
            self.target = (self.target * 2).clamp(SET_ASIDE, MAX_SET_ASIDE);
        }
        let window = self.file.take_window()?;
        self.used_end = self.used_end.max(window.slot().unwrap_or(0) + 1);
        if self.lacks_windows() {
            WORK.notify_one();
        }
        Ok(Some(window))
    }

    /// Whether fewer windows are set aside than should be.
    pub fn lacks_windows(&self) -> bool {
        self.failed.is_none() && self.file.ready() < self.target
    }

    /// Whether the collector has nothing to do.
    pub fn is_idle(&self) -> bool {
        !self.stop && self.full.is_empty() && !self.lacks_windows()
    }

    /// The file takes no more: spans from here on are counted as lost to it. What to warn of, once.
    ///
    /// Where memory for a window is all that lacks, the spans of one window are lost, and the next is tried.
    pub fn fail(&mut self, error: &std::io::Error) -> Option<String> {
        if self.failed.is_some() {
            return None;
        }
        if error.raw_os_error() == Some(libc::ENOMEM) {
            self.target = 0;
            self.store_losses();
            return (!std::mem::replace(&mut self.lacked_memory, true)).then(|| {
                format!(
                    "spans are lost while the program has no memory left ({})",
                    self.folder.display()
                )
            });
        }
        self.failed = Some(error.raw_os_error().unwrap_or(libc::EIO));
        self.store_losses();
        Some(format!(
            "recording stopped: {error} ({}); the program goes on, and what was recorded before stays readable",
            self.folder.display()
        ))
    }

    /// Notes in the file how many spans were lost and clamped so far, and why.
    pub fn store_losses(&self) {
        self.file.store_losses(lost(), clamped(), self.failed);
    }

    /// In a forked child: nothing of the parent's file is touched. Returns the recording's folder.
    pub fn leave_to_parent(self) -> PathBuf {
        self.file.leave_to_parent();
        // Windows, and the handles of threads that do not exist here.
        std::mem::forget((
            self.full,
            self.scribe,
            self.collector,
            self.sampler,
            self.devices,
        ));
        self.folder
    }
}

/// Counts spans that did not reach the file.
pub fn count_lost(spans: u64) {
    LOST.fetch_add(spans, Ordering::Relaxed);
}

/// Counts a duration below zero.
pub fn count_clamped() {
    CLAMPED.fetch_add(1, Ordering::Relaxed);
}

pub fn lost() -> u64 {
    LOST.load(Ordering::Relaxed)
}

pub fn clamped() -> u64 {
    CLAMPED.load(Ordering::Relaxed)
}

/// In a forked child: what was lost before is the parent's.
pub fn forget_losses() {
    LOST.store(0, Ordering::Relaxed);
    CLAMPED.store(0, Ordering::Relaxed);
}
