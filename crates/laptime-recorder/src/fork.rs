//! What a fork does to the recorder.
//!
//! Locks are held over the fork, so that the child finds everything whole. The child is
//! alone: its thread lets go of the parent's window and stack slot, forgets the parent's
//! spans, and joins the recording with a file of its own at its first window. What was
//! open in the parent becomes the base under which the child's spans nest.
//!
//! A child whose handlers don't run records nothing, nor does what it forks: see [`crate::wiped`].

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::calls::counted as calls;
use crate::device;
use crate::device_memory::devices as device_memory;
use crate::fold;
use crate::guard::guard;
use crate::memory::switch as memory;
use crate::registry;
use crate::site;
use crate::stack;
use crate::stacks;
use crate::state;
use crate::telemetry::loaded;
use crate::thread::Thread;
use crate::wiped;

/// Whether who forks is a child whose own handlers didn't run: what it inherited, its children inherit.
static IS_UNKNOWN: AtomicBool = AtomicBool::new(false);

/// Registers the handlers, once.
pub fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: plain functions, good for the life of the process.
        unsafe { libc::pthread_atfork(Some(prepare), Some(parent), Some(child)) };
        wiped::set_up();
    });
}

extern "C" fn prepare() {
    IS_UNKNOWN.store(wiped::is_unknown_child(), Relaxed);
    guard((), || {
        // First, as it may have to wait, and then the program's other threads wait for nothing.
        stacks::lock_for_fork();
        site::lock_for_fork();
        Thread::with_if_any(|thread| registry::lock_for_fork(thread.map(|thread| &*thread)));
        fold::lock_for_fork();
        memory::lock_for_fork();
        calls::lock_for_fork();
        device::lock_for_fork();
        device_memory::lock_for_fork();
        loaded::lock_for_fork();
    });
}

extern "C" fn parent() {
    guard((), || {
        // SAFETY: locked by `prepare`, on this thread.
        unsafe {
            loaded::unlock_after_fork();
            device_memory::unlock_after_fork();
            device::unlock_after_fork();
            calls::unlock_after_fork();
            memory::unlock_after_fork();
            fold::unlock_after_fork();
            registry::unlock_after_fork();
            site::unlock_after_fork();
            stacks::unlock_after_fork();
        }
    });
}

extern "C" fn child() {
    if IS_UNKNOWN.load(Relaxed) {
        return parent();
    }
    wiped::know();
    state::keep_after_fork();
    parent();
    guard((), start_over);
}

fn start_over() {
    stack::count_fork();
    fold::forget();
    Thread::with_if_any(|mut thread| {
        let joins = registry::with(|registry| {
            registry.start_over_after_fork(thread.as_deref_mut());
            registry.pending.is_some()
        });
        if joins {
            state::undecide_if_on();
        }
        if let Some(thread) = thread {
            thread.start_over_after_fork();
        }
    });
    memory::start_over_after_fork();
    calls::start_over_after_fork();
    device::start_over_after_fork();
    device_memory::start_over_after_fork();
}
