//! An allocator that a thread can have to itself.
//!
//! A child that was made without fork handlers finds the C library's allocator as it was: locked for ever, where another
//! thread was in it. Tests that go on in such a child make it when nobody is.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Threads that are in it.
static INSIDE: AtomicUsize = AtomicUsize::new(0);
/// The thread that has it to itself; 0 for none.
static CLOSED_BY: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static GATED: Gated = Gated;

struct Gated;

thread_local! {
    static MARK: u8 = const { 0 };
}

/// A number that no other thread has.
fn own() -> usize {
    MARK.with(|mark| std::ptr::from_ref(mark) as usize)
}

fn inside<T>(action: impl FnOnce() -> T) -> T {
    loop {
        INSIDE.fetch_add(1, Ordering::SeqCst);
        let closed_by = CLOSED_BY.load(Ordering::SeqCst);
        if closed_by == 0 || closed_by == own() {
            break;
        }
        INSIDE.fetch_sub(1, Ordering::SeqCst);
        std::thread::yield_now();
    }
    let done = action();
    INSIDE.fetch_sub(1, Ordering::SeqCst);
    done
}

// SAFETY: the system's allocator does it all.
unsafe impl GlobalAlloc for Gated {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        inside(|| unsafe { System.alloc(layout) })
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        inside(|| unsafe { System.dealloc(at, layout) });
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        inside(|| unsafe { System.realloc(at, layout, size) })
    }
}

/// Runs `action`, which allocates nothing, while no thread is in the allocator.
pub fn alone<T>(action: impl FnOnce() -> T) -> T {
    while CLOSED_BY
        .compare_exchange(0, own(), Ordering::SeqCst, Ordering::SeqCst)
        .is_err()
    {
        std::thread::yield_now();
    }
    while INSIDE.load(Ordering::SeqCst) > 0 {
        std::thread::yield_now();
    }
    let done = action();
    CLOSED_BY.store(0, Ordering::SeqCst);
    done
}

/// A forked child begins: the others that were in it are in the parent.
pub fn in_child() {
    INSIDE.store(0, Ordering::SeqCst);
    CLOSED_BY.store(0, Ordering::SeqCst);
}
