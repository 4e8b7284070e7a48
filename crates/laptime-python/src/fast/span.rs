//! Opening and closing a span where Python code stands: the thread's context first, then the recorder.

use laptime_core::SpanFlags;
use laptime_recorder::{self as recorder, Open, Site};

use super::thread;

/// Opens a span; what `__enter__` does.
///
/// # Safety
/// The interpreter lock is held.
#[inline]
pub unsafe fn open(site: &Site) -> Option<Open> {
    // Not `!is_on()`: in a forked child it is decided by the first span.
    if recorder::is_off() {
        return None;
    }
    // SAFETY: the caller's promise.
    unsafe {
        thread::with(|thread| {
            thread.opened();
            match thread.task() {
                None => recorder::enter(site),
                Some(task) => task.enter(site),
            }
        })
    }
}

/// Closes the innermost open span of a site and returns its ticks; what `__exit__` does.
///
/// # Safety
/// The interpreter lock is held.
#[inline]
pub unsafe fn close(site: &Site) -> Option<u64> {
    if !recorder::is_on() && !thread::has_open() {
        return None;
    }
    // SAFETY: the caller's promise.
    unsafe {
        thread::with(|thread| {
            thread.closed();
            let ticks = match thread.task() {
                None => recorder::exit_site(site),
                Some(task) => task.exit(site, None),
            }?;
            thread.remember(site.index(), ticks);
            Some(ticks)
        })
    }
}

/// Closes the innermost open span of a site at a moment that has passed, but never before it opened.
pub fn close_at(site: &Site, end: u64) {
    // SAFETY: called by functions of the extension module, which hold the lock.
    unsafe {
        thread::with(|thread| {
            thread.closed();
            match thread.task() {
                None => recorder::exit_site_at(site, end),
                Some(task) => task.exit(site, Some(end)),
            };
        });
    }
}

/// Closes the span of a `with` that is known to be the innermost of its site, at a given time.
///
/// # Safety
/// The interpreter lock is held.
pub unsafe fn close_known(site: &Site, open: Open, end: u64, flags: SpanFlags) -> Option<u64> {
    // SAFETY: the caller's promise.
    unsafe {
        thread::with(|thread| {
            thread.closed();
            let ticks = match thread.task() {
                None => recorder::exit_with(open, Some(end), flags),
                Some(task) => (task.exit_flagged(site, Some(end), flags))
                    .or_else(|| task.exit_with(open, Some(end), flags)),
            }?;
            thread.remember(site.index(), ticks);
            Some(ticks)
        })
    }
}

/// Runs `body`, which opens or renames spans or asks what is open, on the right stack.
pub fn at<R>(body: impl FnOnce() -> R) -> R {
    // SAFETY: called by functions of the extension module, which hold the lock.
    unsafe {
        thread::with(|thread| {
            let result = body();
            if let Some(task) = thread.task() {
                task.publish();
            }
            result
        })
    }
}

/// Closes a span by its identity.
pub fn close_by_id(open: Open, end: Option<u64>, flags: SpanFlags) -> Option<u64> {
    // SAFETY: called by functions of the extension module, which hold the lock.
    unsafe {
        thread::with(|thread| match (thread.task(), end, flags) {
            (Some(task), ..) => task.exit_with(open, end, flags),
            (None, None, SpanFlags::NONE) => recorder::exit(open),
            (None, ..) => recorder::exit_with(open, end, flags),
        })
    }
}

/// Whether an open span is the outermost of a task, and its parent another task's or the thread's.
pub fn is_detached(open: Open) -> bool {
    // SAFETY: called by functions of the extension module, which hold the lock.
    unsafe { thread::with(|thread| thread.task().is_some_and(|task| task.is_detached(open))) }
}
