//! Marks, metrics and notes: what is recorded besides spans.

use laptime_core::PathId;
use laptime_core::format::record::Record;

use crate::clock;
use crate::registry;
use crate::site::Site;
use crate::state;
use crate::thread::Thread;

fn with_path(site: &Site, write: impl FnOnce(&mut Thread, PathId, u32)) {
    if !state::is_on_or_decide() {
        return;
    }
    // SAFETY: this thread's state.
    let Some(thread) = (unsafe { Thread::current().as_mut() }) else {
        return;
    };
    let parent = thread.stack().innermost();
    let path = site
        .cached(parent)
        .unwrap_or_else(|| thread.resolve(parent, site));
    let track = thread.track();
    write(thread, path, track);
}

/// Records a named instant under the innermost open span.
pub fn mark(site: &Site) {
    let ticks = clock::now();
    with_path(site, |thread, path, track| {
        thread.writer.record(&Record::Mark { path, ticks, track });
    });
}

/// Records a named instant outside of every span, such as an epoch that turned out to have
/// begun some time ago.
///
/// **Units** ticks.
pub fn mark_outermost(site: &Site, ticks: u64) {
    if !state::is_on_or_decide() {
        return;
    }
    // SAFETY: this thread's state.
    let Some(thread) = (unsafe { Thread::current().as_mut() }) else {
        return;
    };
    let path = site
        .cached(PathId::ROOT)
        .unwrap_or_else(|| thread.resolve(PathId::ROOT, site));
    let track = thread.track();
    thread.writer.record(&Record::Mark { path, ticks, track });
}

/// Records a named number at this instant, such as a loss.
pub fn metric(site: &Site, value: f64) {
    let ticks = clock::now();
    with_path(site, |thread, path, track| {
        thread.writer.record(&Record::Metric {
            path,
            ticks,
            value,
            track,
        });
    });
}

/// Tells readers of the recording something once, such as that a device was active.
///
/// A code that was noted before is not noted again.
pub fn note(code: &str, message: &str) {
    let known = registry::with(|registry| {
        let known = registry.notes.iter().any(|(noted, _)| noted == code);
        if !known {
            registry.notes.push((code.to_owned(), message.to_owned()));
        }
        known
    });
    if known || !state::is_on_or_decide() {
        return;
    }
    // SAFETY: this thread's state.
    if let Some(thread) = unsafe { Thread::current().as_mut() } {
        thread.writer.record(&Record::Note { code, message });
    }
}
