//! A thread's own state: its stack, its writer, and the paths it resolved lately.
//!
//! Reached through one thread-local pointer, which `registration` sets at the first span and
//! clears when the thread ends. Tasks bring stacks of their own, which take the thread's place
//! while they run.

use std::cell::Cell;
use std::ptr::{NonNull, null_mut};

use laptime_core::PathId;

use crate::stack::{Slot, Stack};
use crate::state;
use crate::wiped;
use crate::writer::Writer;

/// Paths remembered per thread, by parent and site, for sites that are used under several parents.
const RECENT: usize = 64;

thread_local! {
    static CURRENT: Cell<*mut Thread> = const { Cell::new(null_mut()) };
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
    /// The state of a thread that works on the given stack.
    pub fn new(mut own: Box<Stack>, writer: Writer) -> Self {
        Self {
            slot: own.slot(),
            writer,
            stack: &raw mut *own,
            own,
            recent: [(u32::MAX, 0, 0); RECENT],
        }
    }

    /// Runs with the calling thread's state; `None` for a thread without any. Not re-entrant: the
    /// one that runs has the only way to it.
    #[inline]
    pub fn with<T>(run: impl FnOnce(&mut Self) -> T) -> Option<T> {
        // What lies there is shared with the parent.
        if wiped::is_unknown_child() {
            return None;
        }
        Self::with_while_on(run)
    }

    /// Runs as [`Thread::with`], where it is known that spans are recorded: then this is no unknown child.
    #[inline(always)]
    #[allow(clippy::inline_always)] // the hot path of every span
    pub fn with_while_on<T>(run: impl FnOnce(&mut Self) -> T) -> Option<T> {
        // SAFETY: null, or made by `set_current` for this thread alone. Nothing that runs inside
        // asks for it again: the recorder's locks, clocks and windows know of no thread-local state.
        unsafe { CURRENT.get().as_mut() }.map(run)
    }

    /// Runs with the calling thread's state as [`Thread::with`], also for a thread without any.
    pub fn with_if_any<T>(run: impl FnOnce(Option<&mut Self>) -> T) -> T {
        // SAFETY: as in `with`.
        run(unsafe { CURRENT.get().as_mut() })
    }

    /// Makes `thread` the calling thread's state.
    pub fn set_current(thread: Box<Self>) -> NonNull<Self> {
        let thread = NonNull::from(Box::leak(thread));
        CURRENT.set(thread.as_ptr());
        thread
    }

    /// Takes the calling thread's state away from it: the thread ends.
    pub fn take_current() -> Option<Box<Self>> {
        let thread = CURRENT.replace(null_mut());
        // SAFETY: null, or made by `set_current` and unreachable from here on.
        (!thread.is_null()).then(|| unsafe { Box::from_raw(thread) })
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

    /// The thread's own stack, for a thread that ends. It stays in its place in memory.
    pub fn take_own_stack(&mut self) -> Box<Stack> {
        std::mem::replace(&mut self.own, Box::new(Stack::new(0, PathId::ROOT)))
    }

    /// Whether a stack is the thread's own or the one in use.
    pub fn uses(&self, stack: &Stack) -> bool {
        std::ptr::eq(self.stack, stack) || std::ptr::eq(&raw const *self.own, stack)
    }

    pub fn track(&mut self) -> u32 {
        self.stack().track()
    }

    /// The path of a site under a parent, if it was resolved here lately.
    pub fn recent(&self, parent: PathId, site: u32) -> Option<PathId> {
        let (known_parent, known_site, path) = self.recent[index(parent, site)];
        (known_parent == parent.0 && known_site == site).then_some(PathId(path))
    }

    pub fn remember(&mut self, parent: PathId, site: u32, path: PathId) {
        self.recent[index(parent, site)] = (parent.0, site, path.0);
    }

    /// After the stack in use moved or changed.
    pub fn refresh_slot(&mut self) {
        self.slot = self.stack().slot();
    }

    /// Makes a task's stack current, or the thread's own again.
    pub fn use_stack(&mut self, stack: *mut Stack) {
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

    /// In a forked child: what is open belongs to the parent, and so does the window.
    pub fn start_over_after_fork(&mut self) {
        self.writer.abandon();
        for stack in [self.stack, &raw mut *self.own] {
            // SAFETY: `own` or a task's stack, which outlives its being current.
            let stack = unsafe { &mut *stack };
            if stack.is_inherited() {
                stack.start_over(stack.track(), stack.innermost());
            }
        }
        self.refresh_slot();
    }
}

/// Where a path that was resolved lately is remembered.
fn index(parent: PathId, site: u32) -> usize {
    (parent.0.wrapping_mul(0x9e37_79b9) ^ site) as usize % RECENT
}
