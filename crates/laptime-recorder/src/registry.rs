//! What the threads of a process share: paths, the list of threads, and the file.
//!
//! Behind one lock that no hot path takes: threads come here for a new path, a new
//! window, and when they start and end.

use std::path::PathBuf;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, MutexGuard, PoisonError};

use laptime_core::format::window::WindowHeader;
use laptime_core::{Anchor, PathId, PathTable};

use crate::backing::{Place, Window};
use crate::clock;
use crate::collector;
use crate::file::ProcessFile;
use crate::fold;
use crate::lock::Lock;
use crate::messages;
use crate::platform;
use crate::stack::Stack;
use crate::thread::{Thread, ThreadPointer};
use crate::writer::Writer;

static REGISTRY: Lock<Option<Box<Registry>>> = Lock::new(None);
/// Wakes the collector: a window was retired, or few are set aside.
pub static WORK: Condvar = Condvar::new();

/// Track of the main thread, whichever thread opens the first span.
const MAIN_TRACK: u32 = 1;

static LOST: AtomicU64 = AtomicU64::new(0);
static CLAMPED: AtomicU64 = AtomicU64::new(0);

/// A recording in progress.
#[derive(Debug)]
pub struct Disk {
    pub folder: PathBuf,
    pub file: ProcessFile,
    /// Full windows, for the collector.
    pub full: Vec<Window>,
    /// Windows to keep set aside; grows when threads are faster than the collector.
    pub target: usize,
    /// Error number that ended writing.
    pub failed: Option<i32>,
    /// Slots of windows that a thread may still hold or that hold records: the file ends behind the highest.
    pub used_end: u64,
    pub collector: Option<std::thread::JoinHandle<()>>,
    pub stop: bool,
    /// Writes anchors, samples and notes.
    pub scribe: Option<Writer>,
    /// The collector holds windows that are not folded yet.
    pub folding: bool,
}

#[derive(Debug)]
pub struct Registry {
    pub paths: PathTable,
    pub threads: Vec<ThreadPointer>,
    pub disk: Option<Disk>,
    /// The recording that this process, forked from its parent, joins at its first span.
    pub pending: Option<PathBuf>,
    pub started: Anchor,
    /// Whether that is the last reset rather than the recorder's first use.
    pub is_reset: bool,
    pub notes: Vec<(String, String)>,
    /// Said as soon as the lock is free: a message may take its time.
    pub warnings: Vec<String>,
    pub main_track: u32,
    pub boot: u64,
    pub epoch: u64,
    /// Stacks that lie in a black box, that of a finished recording included.
    boxed: Vec<Boxed>,
    free: Vec<Window>,
    parked: Vec<Writer>,
    tracks: u32,
    streams: u32,
    sequence: u64,
}

impl Registry {
    fn new() -> Self {
        Self {
            paths: PathTable::new(),
            threads: Vec::new(),
            disk: None,
            pending: None,
            started: clock::anchor(),
            is_reset: false,
            notes: Vec::new(),
            warnings: Vec::new(),
            main_track: MAIN_TRACK,
            boot: u64::from_le_bytes(*platform::boot_id().first_chunk().unwrap_or(&[0; 8])),
            epoch: 0,
            boxed: Vec::new(),
            free: Vec::new(),
            parked: Vec::new(),
            tracks: MAIN_TRACK,
            streams: 0,
            sequence: 0,
        }
    }

    /// A track for a task or a thread other than the main one.
    pub fn next_track(&mut self) -> u32 {
        self.tracks += 1;
        self.tracks
    }

    /// A track for the calling thread.
    pub fn thread_track(&mut self) -> u32 {
        if platform::is_main_thread() {
            MAIN_TRACK
        } else {
            self.next_track()
        }
    }

    /// A writer that an ended thread left, with room in its window, or a new one.
    pub fn take_writer(&mut self, _track: u32) -> Writer {
        let epoch = self.epoch;
        self.parked.retain(|writer| {
            writer
                .window()
                .is_some_and(|window| window.epoch() == epoch)
        });
        self.parked.pop().unwrap_or_else(Writer::new)
    }

    /// Keeps an ended thread's writer for the next thread.
    pub fn park_writer(&mut self, writer: Writer) {
        self.parked.push(writer);
    }

    /// Writers that no thread uses now.
    pub fn parked(&mut self) -> &mut Vec<Writer> {
        &mut self.parked
    }

    /// A fresh window and the header to open it with.
    pub fn take_window(&mut self, track: u32) -> (Window, WindowHeader) {
        let window = self
            .take_disk_window()
            .or_else(|| self.free.pop())
            .unwrap_or_else(|| Window::on_heap(Place::Heap, self.epoch));
        self.streams += 1;
        self.sequence += 1;
        let header = WindowHeader {
            pid: std::process::id(),
            stream: self.streams,
            sequence: window.slot().unwrap_or(self.sequence),
            boot: self.boot,
            anchor: clock::anchor(),
            lost: LOST.load(Ordering::Relaxed),
            track,
        };
        (window, header)
    }

    fn take_disk_window(&mut self) -> Option<Window> {
        let disk = self.disk.as_mut()?;
        if disk.failed.is_some() {
            return None;
        }
        if disk.file.ready() == 0 && disk.used_end > 0 {
            disk.target = (disk.target * 2).min(collector::MAX_SET_ASIDE);
        }
        let window = match disk.file.take_window() {
            Ok(window) => window,
            Err(error) => {
                self.fail(&error);
                return None;
            }
        };
        disk.used_end = disk.used_end.max(window.slot().unwrap_or(0) + 1);
        if disk.file.ready() < disk.target {
            WORK.notify_one();
        }
        Some(window)
    }

    /// The file takes no more: spans from here on are counted as lost to it.
    pub fn fail(&mut self, error: &std::io::Error) {
        let Some(disk) = self.disk.as_mut() else {
            return;
        };
        if disk.failed.is_none() {
            let reason = error.raw_os_error().unwrap_or(libc::EIO);
            disk.failed = Some(reason);
            disk.file.store_losses(lost(), clamped(), Some(reason));
            self.warnings.push(format!(
                "recording stopped: {error} ({}); the program goes on, and what was recorded before stays readable",
                disk.folder.display()
            ));
        }
    }

    /// Takes a full window back.
    pub fn retire(&mut self, window: Window) {
        let current = window.epoch() == self.epoch;
        match (window.place(), self.disk.as_mut()) {
            (Place::Heap, disk) => {
                let bytes = window.copy();
                if let (true, Some(disk)) = (current, disk) {
                    count_lost(spans_in(&bytes), Some(disk));
                }
                fold::fold(bytes, self.started);
                if current {
                    self.free.push(window);
                }
            }
            (_, Some(disk)) if current => {
                disk.full.push(window);
                WORK.notify_one();
            }
            // Of a recording that was closed meanwhile, which took what it held.
            _ => {}
        }
    }

    /// Whether a window still counts: it was not taken in by a recording that is closed.
    pub fn is_live(&self, window: &Window) -> bool {
        window.place() == Place::Heap || window.epoch() == self.epoch
    }

    /// Moves a stack into the black box, when a recording is on and has a slot left. The stack must
    /// not be moved in memory until it is taken out again.
    pub fn place_in_black_box(&mut self, stack: &mut Stack) {
        self.take_out_of_black_box(stack);
        if let Some(disk) = self.disk.as_mut()
            && let Some(slot) = disk.file.take_slot()
        {
            // SAFETY: the slot was free, and the prefix is never unmapped.
            unsafe { stack.move_to(slot) };
            self.boxed.push(Boxed::new(stack));
        }
    }

    /// Moves a stack back onto memory of its own and gives its slot to others.
    pub fn take_out_of_black_box(&mut self, stack: &mut Stack) {
        if !stack.is_boxed() {
            return;
        }
        let slot = stack.slot();
        stack.move_home();
        self.boxed.retain(|boxed| !boxed.is(stack));
        if let Some(disk) = self.disk.as_mut() {
            disk.file.free_slot(slot);
        }
    }

    /// Before a fork: notes what is open in the black boxes. The child shares their memory with its
    /// parent, which goes on changing it.
    fn note_bases(&mut self, thread: *mut Thread) {
        for boxed in &mut self.boxed {
            // SAFETY: boxed stacks are alive and stay where they are.
            let stack = unsafe { boxed.stack.as_ref() };
            // SAFETY: the calling thread's state, when it has one.
            let ours = unsafe { thread.as_mut() }.is_some_and(|thread| thread.uses(stack));
            boxed.track = stack.track();
            boxed.base = if ours {
                stack.innermost()
            } else {
                stack.innermost_in_slot()
            };
        }
    }

    /// Sends every thread the slow way at its next record, to windows of the new epoch.
    pub fn interrupt_all(&mut self) {
        self.epoch += 1;
        self.free.clear();
        for thread in &self.threads {
            // SAFETY: registered threads are alive; `interrupt` is an atomic store.
            unsafe { (*thread.0).writer.interrupt() };
        }
    }

    /// Forgets what was recorded in memory: every window from before is closed at its writer's next
    /// record, and no longer counts here. A file keeps what it has.
    pub fn reset(&mut self) {
        for thread in &self.threads {
            // SAFETY: registered threads are alive; `interrupt` is an atomic store.
            unsafe { (*thread.0).writer.interrupt() };
        }
        self.parked.iter().for_each(Writer::interrupt);
        fold::reset(self.streams);
        self.started = clock::anchor();
        self.is_reset = true;
    }

    /// The open windows of all threads, parked writers and the scribe.
    pub fn open_windows(&self) -> impl Iterator<Item = &Window> {
        let threads = self.threads.iter().filter_map(|thread: &ThreadPointer| {
            // SAFETY: a thread changes its window only under the lock that we hold.
            let writer = unsafe { NonNull::new_unchecked(&raw mut (*thread.0).writer).as_ref() };
            writer.window()
        });
        let scribe = self.disk.as_ref().and_then(|disk| disk.scribe.as_ref());
        threads
            .chain(self.parked.iter().filter_map(Writer::window))
            .chain(scribe.and_then(Writer::window))
    }

    /// In a forked child: only the calling thread is left, and nothing of the parent's file is touched.
    pub fn start_over_after_fork(&mut self, thread: *mut Thread) {
        for mut boxed in std::mem::take(&mut self.boxed) {
            // SAFETY: alive and in its place as in the parent; no other thread exists.
            unsafe { boxed.stack.as_mut() }.start_over(boxed.track, boxed.base);
        }
        if let Some(disk) = self.disk.take() {
            self.pending = Some(disk.folder);
            disk.file.leave_to_parent();
            // Windows, and the handle of a thread that does not exist here.
            std::mem::forget((disk.full, disk.scribe, disk.collector));
        }
        std::mem::forget(std::mem::take(&mut self.parked));
        self.epoch += 1;
        self.started = clock::anchor();
        self.notes.clear();
        self.threads.retain(|known| std::ptr::eq(known.0, thread));
        // SAFETY: the calling thread's state, when it has one.
        if let Some(thread) = unsafe { thread.as_mut() } {
            self.main_track = thread.own_stack().track();
        }
        LOST.store(0, Ordering::Relaxed);
        CLAMPED.store(0, Ordering::Relaxed);
    }
}

/// A stack in a black box, and what a fork's child has to know of it.
#[derive(Debug)]
struct Boxed {
    stack: NonNull<Stack>,
    track: u32,
    base: PathId,
}

// SAFETY: the stack is touched only by its thread, and as `Registry` documents under its lock.
unsafe impl Send for Boxed {}

impl Boxed {
    fn new(stack: &mut Stack) -> Self {
        Self {
            track: stack.track(),
            base: PathId::ROOT,
            stack: NonNull::from(stack),
        }
    }

    fn is(&self, stack: &Stack) -> bool {
        std::ptr::eq(self.stack.as_ptr(), stack)
    }
}

/// How many spans a window's bytes hold.
pub fn spans_in(bytes: &[u8]) -> u64 {
    let mut count = 0;
    if let Ok(Some(window)) = laptime_core::format::window::Window::parse(bytes, 0) {
        let _ = window.for_each(|record| {
            count += u64::from(matches!(
                record,
                laptime_core::format::record::Record::Span(_)
            ));
        });
    }
    count
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
        crate::fork::install();
        messages::remember_stderr();
        Box::new(Registry::new())
    });
    let result = run(registry);
    let warnings = std::mem::take(&mut registry.warnings);
    drop(held);
    for warning in warnings {
        messages::warn(&warning);
    }
    result
}

/// Waits for work with the lock released, then runs with it held.
pub fn wait_then_with<T>(timeout: std::time::Duration, run: impl FnOnce(&mut Registry) -> T) -> T {
    let mut registry = REGISTRY.lock();
    let idle = registry
        .as_ref()
        .and_then(|registry| registry.disk.as_ref())
        .is_none_or(|disk| {
            !disk.stop
                && disk.full.is_empty()
                && (disk.failed.is_some() || disk.file.ready() >= disk.target)
        });
    if idle {
        let woken = WORK.wait_timeout(registry, timeout);
        registry = woken.unwrap_or_else(PoisonError::into_inner).0;
    }
    run_and_warn(registry, run)
}

/// Counts spans that did not reach the file.
pub fn count_lost(spans: u64, disk: Option<&Disk>) {
    let lost = LOST.fetch_add(spans, Ordering::Relaxed) + spans;
    if let Some(disk) = disk {
        disk.file.store_losses(lost, clamped(), disk.failed);
    }
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

/// Locks over a fork that the given thread makes.
pub fn lock_for_fork(thread: *mut Thread) {
    REGISTRY.hold_with(|registry| {
        if let Some(registry) = registry {
            registry.note_bases(thread);
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
