//! What the threads of a process share: [`paths`], the list of [`threads`], and the [`disk`].
//!
//! Behind one lock that no hot path takes: threads come here for a new path, a new
//! window, and when they start and end.

mod disk;
mod paths;
mod threads;

use std::path::PathBuf;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use laptime_core::Anchor;
use laptime_core::format::window::{WINDOW_LEN, WindowHeader};

pub use self::disk::{Disk, WORK, clamped, count_clamped, count_lost, lost};
use self::paths::Paths;
pub use self::threads::ThreadName;
use self::threads::Threads;
use crate::clock;
use crate::fold;
use crate::follow;
use crate::fork;
use crate::keeper;
use crate::lock::Lock;
use crate::messages;
use crate::platform;
use crate::stack::Stack;
use crate::thread::Thread;
use crate::window::{Destination, Window};
use crate::wiped;
use crate::writer::Writer;

static REGISTRY: Lock<Option<Box<Registry>>> = Lock::new(None);

#[derive(Debug)]
pub struct Registry {
    pub paths: Paths,
    pub threads: Threads,
    pub disk: Option<Disk>,
    /// The recording that this process, forked from its parent, joins at its first span.
    pub pending: Option<PathBuf>,
    /// The root of all folders at the start.
    pub root: Option<(u64, u64)>,
    /// The program's name, before anybody gives the process a title.
    pub program: String,
    pub started: Anchor,
    /// Whether `started` is the last reset rather than the recorder's first use.
    pub is_reset: bool,
    pub notes: Vec<(String, String)>,
    /// Said as soon as the lock is free: a message may take its time.
    warnings: Vec<String>,
    boot: u64,
    pub epoch: u64,
    free: Vec<Window>,
    streams: u32,
    sequence: u64,
}

impl Registry {
    fn new() -> Self {
        Self {
            paths: Paths::new(),
            threads: Threads::new(),
            disk: None,
            pending: None,
            root: keeper::root(),
            program: platform::program_name(),
            started: clock::anchor(),
            is_reset: false,
            notes: Vec::new(),
            warnings: Vec::new(),
            boot: u64::from_le_bytes(*platform::boot_id().first_chunk().unwrap_or(&[0; 8])),
            epoch: 0,
            free: Vec::new(),
            streams: 0,
            sequence: 0,
        }
    }

    /// Keeps a note for the recording and for reports. Whether its code is new.
    pub fn note(&mut self, code: &str, message: &str) -> bool {
        let is_new = self.notes.iter().all(|(noted, _)| noted != code);
        if is_new {
            self.notes.push((code.to_owned(), message.to_owned()));
        }
        is_new
    }

    /// A fresh window and the header to open it with.
    pub fn take_window(&mut self, track: u32) -> (Window, WindowHeader) {
        let on_disk = self.disk.as_mut().map(Disk::take_window).transpose();
        let on_disk = on_disk.unwrap_or_else(|error| {
            self.fail(&error);
            None
        });
        let window = on_disk
            .flatten()
            .or_else(|| self.free.pop())
            .unwrap_or_else(|| Window::on_heap(Destination::Nowhere, WINDOW_LEN, self.epoch));
        self.streams += 1;
        self.sequence += 1;
        let header = WindowHeader {
            pid: std::process::id(),
            stream: self.streams,
            sequence: window.slot().unwrap_or(self.sequence),
            boot: self.boot,
            anchor: clock::anchor(),
            lost: lost(),
            track,
        };
        (window, header)
    }

    /// The file takes no more: spans from here on are counted as lost to it.
    pub fn fail(&mut self, error: &std::io::Error) {
        let warning = self.disk.as_mut().and_then(|disk| disk.fail(error));
        self.warnings.extend(warning);
    }

    /// Takes a full window back.
    pub fn retire(&mut self, window: Window) {
        let is_of_now = window.epoch() == self.epoch;
        match (window.destination(), self.disk.as_mut()) {
            (Destination::Nowhere, disk) => {
                let bytes = window.copy();
                if let (true, Some(disk)) = (is_of_now, disk) {
                    count_lost(fold::spans_in(&bytes));
                    disk.store_losses();
                }
                fold::fold(bytes, self.started);
                if is_of_now {
                    self.free.push(window);
                }
            }
            (_, Some(disk)) if is_of_now => {
                // The collector takes its time.
                follow::retired(&window, self.started);
                disk.full.push(window);
                WORK.notify_one();
            }
            // Of a recording that was closed meanwhile, which took what it held.
            _ => {}
        }
    }

    /// Whether a window still counts: it was not taken in by a recording that is closed.
    pub fn is_live(&self, window: &Window) -> bool {
        window.destination() == Destination::Nowhere || window.epoch() == self.epoch
    }

    /// Moves a stack into the black box, when a recording is on and has a slot left. The stack must
    /// not be moved in memory until it is taken out again.
    pub fn place_in_black_box(&mut self, stack: &mut Stack) {
        self.take_out_of_black_box(stack);
        let slot = self.disk.as_mut().and_then(|disk| disk.file.take_slot());
        if let Some(slot) = slot {
            // SAFETY: the slot was free, and the prefix stays mapped while one is taken.
            unsafe { stack.move_to(slot) };
            self.threads.note_boxed(stack);
        }
    }

    /// Moves a stack back onto memory of its own and gives its slot to others.
    pub fn take_out_of_black_box(&mut self, stack: &mut Stack) {
        if !stack.is_boxed() {
            return;
        }
        let slot = stack.slot();
        stack.move_home();
        self.threads.forget_boxed(stack);
        if let Some(disk) = self.disk.as_mut() {
            disk.file.free_slot(slot);
        }
    }

    /// Sends every thread the slow way at its next record, to windows of the new epoch.
    pub fn interrupt_all(&mut self) {
        self.epoch += 1;
        self.free.clear();
        self.threads.interrupt();
    }

    /// Forgets what was recorded in memory: every window from before is closed at its writer's next
    /// record, and no longer counts here. A file keeps what it has.
    pub fn reset(&mut self) {
        self.threads.interrupt();
        self.threads.interrupt_parked();
        fold::reset(self.streams);
        self.started = clock::anchor();
        self.is_reset = true;
    }

    /// The open windows of all threads, parked writers and the scribe.
    pub fn open_windows(&self) -> impl Iterator<Item = &Window> {
        let scribe = self.disk.as_ref().and_then(|disk| disk.scribe.as_ref());
        let scribe = scribe.and_then(Writer::window);
        self.threads.open_windows().chain(scribe)
    }

    /// In a child that no fork handler told: nothing of the parent's file is touched, and none is made.
    fn leave_to_parent(&mut self) {
        if let Some(disk) = self.disk.take() {
            disk.leave_to_parent();
        }
        self.pending = None;
    }

    /// In a forked child: only the calling thread is left, and nothing of the parent's file is touched.
    pub fn start_over_after_fork(&mut self, thread: Option<&mut Thread>) {
        self.threads.start_over_after_fork(thread);
        if let Some(disk) = self.disk.take() {
            self.pending = Some(disk.leave_to_parent());
        }
        self.epoch += 1;
        self.started = clock::anchor();
        self.notes.clear();
        disk::forget_losses();
    }
}

#[cfg(debug_assertions)]
thread_local! {
    static IS_HELD: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Checks, in debug builds, that the calling thread doesn't hold the registry: what it does next
/// asks for the registry now and then, and would wait for itself for ever.
pub fn expect_open() {
    #[cfg(debug_assertions)]
    assert!(!IS_HELD.get(), "the registry is held");
}

/// Runs with the registry locked. Not re-entrant.
pub fn with<T>(run: impl FnOnce(&mut Registry) -> T) -> T {
    run_and_warn(REGISTRY.lock(), run)
}

fn run_and_warn<T>(
    mut held: MutexGuard<'_, Option<Box<Registry>>>,
    run: impl FnOnce(&mut Registry) -> T,
) -> T {
    let registry = held.get_or_insert_with(|| {
        fork::install();
        messages::remember_stderr();
        Box::new(Registry::new())
    });
    if wiped::is_unknown_child() {
        registry.leave_to_parent();
    }
    #[cfg(debug_assertions)]
    IS_HELD.set(true);
    let result = run(registry);
    #[cfg(debug_assertions)]
    IS_HELD.set(false);
    let warnings = std::mem::take(&mut registry.warnings);
    drop(held);
    for warning in warnings {
        messages::warn(&warning);
    }
    result
}

/// Waits for work with the lock released, then runs with it held.
pub fn wait_then_with<T>(timeout: Duration, run: impl FnOnce(&mut Registry) -> T) -> T {
    let mut registry = REGISTRY.lock();
    let disk = registry
        .as_ref()
        .and_then(|registry| registry.disk.as_ref());
    if disk.is_none_or(Disk::is_idle) {
        let woken = WORK.wait_timeout(registry, timeout);
        registry = woken.unwrap_or_else(PoisonError::into_inner).0;
    }
    run_and_warn(registry, run)
}

/// Locks over a fork that the given thread makes.
pub fn lock_for_fork(thread: Option<&Thread>) {
    REGISTRY.hold_with(|registry| {
        if let Some(registry) = registry {
            registry.threads.note_bases(thread);
        }
    });
}

/// Undoes [`lock_for_fork`].
///
/// # Safety
/// The calling thread holds the lock.
pub unsafe fn unlock_after_fork() {
    // SAFETY: the caller's promise.
    unsafe { REGISTRY.release() };
}
