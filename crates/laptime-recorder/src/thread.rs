//! A thread's own state: its stack, its writer, and the paths it resolved lately.
//!
//! Reached through one thread-local pointer, which is set at the first span and cleared
//! when the thread ends. Tasks bring stacks of their own, which take the thread's place
//! while they run.

use std::cell::Cell;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::Ordering;

use laptime_core::format::record::Record;
use laptime_core::{PathId, Span, SpanFlags};

use crate::clock;
use crate::memory::Quiet;
use crate::platform;
use crate::registry::{self, Registry};
use crate::site::Site;
use crate::stack::{Slot, Stack};
use crate::state;
use crate::writer::Writer;

/// Paths remembered per thread, by parent and site, for sites that are used under several parents.
const RECENT: usize = 64;

thread_local! {
    static CURRENT: Cell<*mut Thread> = const { Cell::new(null_mut()) };
    static AT_EXIT: AtExit = const { AtExit };
}

#[derive(Debug)]
pub struct Thread {
    /// The slot of the stack in use: what the hot path reads.
    pub slot: NonNull<Slot>,
    pub writer: Writer,
    stack: *mut Stack,
    own: Box<Stack>,
    recent: [(u32, u32, u32); RECENT],
}

impl Thread {
    /// The calling thread's state; registers it at its first call. Null while the thread is ending.
    #[inline]
    pub fn current() -> *mut Self {
        let thread = CURRENT.get();
        if thread.is_null() {
            Self::register()
        } else {
            thread
        }
    }

    /// The calling thread's state, if it has one.
    #[inline]
    pub fn existing() -> *mut Self {
        CURRENT.get()
    }

    #[cold]
    #[inline(never)]
    fn register() -> *mut Self {
        if AT_EXIT.try_with(|_| ()).is_err() {
            return null_mut();
        }
        let name = std::thread::current().name().map(str::to_owned);
        let thread = registry::with(|registry| {
            let track = registry.thread_track();
            let mut own = Box::new(Stack::new(track, PathId::ROOT));
            registry.place_in_black_box(&mut own);
            let thread = Box::into_raw(Box::new(Self {
                slot: own.slot(),
                writer: registry.take_writer(track),
                stack: &raw mut *own,
                own,
                recent: [(u32::MAX, 0, 0); RECENT],
            }));
            registry.threads.push(ThreadPointer(thread));
            thread
        });
        CURRENT.set(thread);
        // SAFETY: just made, and only this thread uses it.
        let this = unsafe { &mut *thread };
        let track = this.track();
        this.name_track(track, false, &name.unwrap_or_default());
        thread
    }

    pub fn name_track(&mut self, track: u32, is_task: bool, name: &str) {
        self.writer.record(&Record::TrackName {
            track,
            is_task,
            thread: platform::thread_id(),
            name: name.get(..name.len().min(256)).unwrap_or_default(),
        });
    }

    /// The stack in use: the thread's own or a task's.
    pub fn stack(&mut self) -> &mut Stack {
        // SAFETY: points to `own` or to a task's stack, which outlives its being current.
        unsafe { &mut *self.stack }
    }

    /// The thread's own stack.
    pub fn own_stack(&mut self) -> &mut Stack {
        &mut self.own
    }

    /// Whether a stack is the thread's own or the one in use.
    pub fn uses(&self, stack: &Stack) -> bool {
        std::ptr::eq(self.stack, stack) || std::ptr::eq(&raw const *self.own, stack)
    }

    pub fn track(&mut self) -> u32 {
        self.stack().track()
    }

    /// The path of a site under a parent, beyond what the site itself remembers.
    #[cold]
    #[inline(never)]
    pub fn resolve(&mut self, parent: PathId, site: &Site) -> PathId {
        let place = (parent.0.wrapping_mul(0x9e37_79b9) ^ site.index()) as usize % RECENT;
        let (known_parent, known_site, known_path) = self.recent[place];
        if known_parent == parent.0 && known_site == site.index() {
            return PathId(known_path);
        }
        let path = registry::with(|registry| registry.paths.intern(parent, site.name()));
        if path != PathId::OVERFLOW {
            self.recent[place] = (parent.0, site.index(), path.0);
            site.remember(parent, path);
        }
        self.writer.define_now(path);
        path
    }

    /// After the stack in use moved or changed.
    pub fn refresh_slot(&mut self) {
        self.slot = self.stack().slot();
    }

    /// Makes a task's stack current, or the thread's own again.
    fn use_stack(&mut self, stack: *mut Stack) {
        let counts = state::measures_memory();
        if counts {
            self.stack().memory.leave();
        }
        self.stack = if stack.is_null() {
            &raw mut *self.own
        } else {
            stack
        };
        if counts {
            self.stack().memory.arrive();
        }
        self.refresh_slot();
    }

    /// In a forked child: what is open belongs to the parent.
    pub fn start_over_after_fork(&mut self) {
        for stack in [self.stack, &raw mut *self.own] {
            // SAFETY: `own` or a task's stack, which outlives its being current.
            let stack = unsafe { &mut *stack };
            if stack.is_inherited() {
                stack.start_over(stack.track(), stack.innermost());
            }
        }
        self.refresh_slot();
    }

    /// Writes what is still open as unclosed: the thread or task ends.
    pub fn close_all(&mut self, stack: &Stack) {
        let end = clock::now();
        for open in stack.open().into_iter().rev() {
            let duration = end.saturating_sub(open.start);
            // What it was said to do is not known to be done.
            self.writer.span(&Span {
                flags: SpanFlags::UNBALANCED,
                ..Span::plain(open.path, open.start, duration, open.track)
            });
        }
    }
}

/// A registered thread, in the shared list.
#[derive(Debug, Clone, Copy)]
pub struct ThreadPointer(pub *mut Thread);

// SAFETY: other threads touch only what `Registry` documents, under its lock.
unsafe impl Send for ThreadPointer {}

/// Leaves the list when the thread ends.
struct AtExit;

impl Drop for AtExit {
    fn drop(&mut self) {
        let thread = CURRENT.replace(null_mut());
        if thread.is_null() {
            return;
        }
        // SAFETY: this thread's state, unreachable from its thread-local from here on.
        let mut thread = unsafe { Box::from_raw(thread) };
        let _quiet = Quiet::begin();
        thread.use_stack(null_mut());
        if state::measures_memory() {
            thread.own.memory.clear();
        }
        let mut own = std::mem::replace(&mut thread.own, Box::new(Stack::new(0, PathId::ROOT)));
        thread.close_all(&own);
        registry::with(|registry: &mut Registry| {
            let pointer: *const Thread = &raw const *thread;
            registry
                .threads
                .retain(|known| !std::ptr::eq(known.0, pointer));
            registry.take_out_of_black_box(&mut own);
            registry.park_writer(std::mem::replace(&mut thread.writer, Writer::new()));
        });
    }
}

/// The stack of an asyncio task or another unit that is not a thread.
///
/// Dropping it writes what is still open as unclosed. It must not be current then.
#[derive(Debug)]
pub struct TaskStack {
    stack: Cell<NonNull<Stack>>,
}

// SAFETY: a task runs on one thread at a time.
unsafe impl Send for TaskStack {}

impl TaskStack {
    /// A stack with a track of its own whose spans open under `inherit`.
    pub fn new(inherit: PathId, name: Option<&str>) -> Box<Self> {
        let _quiet = Quiet::begin();
        let mut stack = Box::new(Stack::new(0, inherit));
        let track = registry::with(|registry| {
            let track = registry.next_track();
            // SAFETY: the slot is this stack's own.
            unsafe { stack.slot().as_ref() }
                .track
                .store(track, Ordering::Relaxed);
            registry.place_in_black_box(&mut stack);
            track
        });
        let thread = Thread::current();
        if !thread.is_null() {
            // SAFETY: this thread's state.
            unsafe { &mut *thread }.name_track(track, true, name.unwrap_or_default());
        }
        Box::new(Self {
            stack: Cell::new(NonNull::from(Box::leak(stack))),
        })
    }

    /// Whether no span is open on it.
    pub fn is_empty(&self) -> bool {
        // SAFETY: used on one thread at a time.
        unsafe { self.stack() }.len() == 0
    }

    /// Path under which its next span opens.
    pub fn innermost(&self) -> PathId {
        // SAFETY: as above.
        unsafe { self.stack() }.innermost()
    }

    /// The stack, which in a forked child is no longer the parent's.
    ///
    /// # Safety
    /// No other reference to it is alive.
    #[expect(
        clippy::mut_from_ref,
        reason = "reached through a pointer, by one thread at a time"
    )]
    unsafe fn stack(&self) -> &mut Stack {
        // SAFETY: made in `new`, freed in `drop`; alone by the caller's promise.
        let stack = unsafe { self.stack.get().as_mut() };
        stack.start_over_if_inherited();
        stack
    }
}

impl Drop for TaskStack {
    fn drop(&mut self) {
        let _quiet = Quiet::begin();
        // SAFETY: made in `new`, and not current any more.
        let mut stack = unsafe { Box::from_raw(self.stack.get().as_ptr()) };
        stack.start_over_if_inherited();
        let thread = Thread::current();
        if !thread.is_null() && stack.len() > 0 {
            // SAFETY: this thread's state.
            unsafe { &mut *thread }.close_all(&stack);
        }
        registry::with(|registry| registry.take_out_of_black_box(&mut stack));
    }
}

/// Makes a task's stack current on the calling thread; `None`: the thread's own.
///
/// The stack must outlive its being current, and be current on one thread at a time.
pub fn swap_stack(stack: Option<&TaskStack>) {
    let thread = Thread::current();
    if !thread.is_null() {
        // SAFETY: current on no other thread.
        let stack = stack.map_or(null_mut(), |task| unsafe { task.stack() });
        // SAFETY: this thread's state.
        unsafe { &mut *thread }.use_stack(stack);
    }
}
