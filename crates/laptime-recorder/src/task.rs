//! Stacks of asyncio tasks and other units that are no threads.

use std::cell::Cell;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::Ordering;

use laptime_core::PathId;

use crate::memory::Quiet;
use crate::nvtx::Ranges;
use crate::registration;
use crate::registry::{self, ThreadName};
use crate::stack::Stack;
use crate::wiped;

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
        stack.ranges = Ranges::of_task();
        let track = registry::with(|registry| {
            let track = registry.threads.next_track();
            // SAFETY: the slot is this stack's own.
            unsafe { stack.slot().as_ref() }
                .track
                .store(track, Ordering::Relaxed);
            registry.place_in_black_box(&mut stack);
            let named = ThreadName::of_caller(track, name.unwrap_or_default().to_owned());
            registry.threads.enter_task(named);
            track
        });
        registration::with(|thread| thread.name_track(track, true, name.unwrap_or_default()));
        Box::new(Self {
            stack: Cell::new(NonNull::from(Box::leak(stack))),
        })
    }

    /// Whether no span is open on it.
    pub fn is_empty(&self) -> bool {
        // SAFETY: used on one thread at a time.
        unsafe { self.stack() }.len() == 0
    }

    /// Its track.
    pub fn track(&self) -> u32 {
        // SAFETY: as above.
        unsafe { self.stack() }.track()
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
        if wiped::is_unknown_child() {
            // It is the parent's.
            std::mem::forget(stack);
            return;
        }
        stack.start_over_if_inherited();
        stack.ranges.clear();
        stack.on_devices.clear();
        stack.device_memory.clear();
        registration::with(|thread| thread.close_all(&stack));
        registry::with(|registry| {
            registry.threads.leave_task(stack.track());
            registry.take_out_of_black_box(&mut stack);
        });
    }
}

/// Makes a task's stack current on the calling thread; `None`: the thread's own.
///
/// The stack must outlive its being current, and be current on one thread at a time.
pub fn swap_stack(stack: Option<&TaskStack>) {
    registration::with(|thread| {
        // SAFETY: current on no other thread.
        let stack = stack.map_or(null_mut(), |task| unsafe { task.stack() });
        thread.use_stack(stack);
    });
}
