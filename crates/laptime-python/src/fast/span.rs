//! Opening and closing a span where Python code stands: place first, then the recorder.

use laptime_core::SpanFlags;
use laptime_recorder::{self as recorder, Open, Site};

use super::place;

/// Opens a span; what `__enter__` does.
///
/// # Safety
/// The interpreter lock is held.
#[inline]
pub unsafe fn open(site: &Site) -> Option<Open> {
    if !recorder::is_on() {
        return None;
    }
    // SAFETY: the caller's promise.
    unsafe {
        place::with(|place| {
            let open = recorder::enter(site);
            if let Some(task) = place.task() {
                task.publish();
            }
            open
        })
    }
}

/// Closes the innermost open span of a site and returns its ticks; what `__exit__` does.
///
/// # Safety
/// The interpreter lock is held.
#[inline]
pub unsafe fn close(site: &Site) -> Option<u64> {
    // SAFETY: the caller's promise.
    unsafe {
        place::with(|place| {
            let ticks = recorder::exit_site(site)?;
            place.remember(site.index(), ticks);
            if let Some(task) = place.task() {
                task.publish();
            }
            Some(ticks)
        })
    }
}

/// Runs `body`, which opens, closes or renames spans, on the right stack.
pub fn at<R>(body: impl FnOnce() -> R) -> R {
    // SAFETY: called by functions of the extension module, which hold the lock.
    unsafe {
        place::with(|place| {
            let result = body();
            if let Some(task) = place.task() {
                task.publish();
            }
            result
        })
    }
}

/// Closes a span by its identity.
pub fn close_by_id(open: Open, end: Option<u64>, flags: SpanFlags) -> Option<u64> {
    at(|| match (end, flags) {
        (None, SpanFlags::NONE) => recorder::exit(open),
        _ => recorder::exit_with(open, end, flags),
    })
}
