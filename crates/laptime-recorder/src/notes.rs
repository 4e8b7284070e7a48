//! Marks, metrics and notes: what is recorded besides spans.

use laptime_core::format::record::Record;
use laptime_core::{Holds, InputSizes, PathId, Sizes};

use crate::clock;
use crate::collector;
use crate::memory;
use crate::nvtx;
use crate::registration;
use crate::registry;
use crate::site::Site;
use crate::start::is_on_or_decide;
use crate::state;
use crate::thread::Thread;

/// Code of the note that says when the interpreter began to exit, in ticks.
const EXITS: &str = "interpreter.exits";

fn with_path(site: &Site, write: impl FnOnce(&mut Thread, PathId, u32)) {
    if is_on_or_decide() {
        registration::with(|thread| {
            let parent = thread.stack().innermost();
            let path = thread.path(parent, site);
            let track = thread.track();
            write(thread, path, track);
        });
    }
}

/// Records a named instant under the innermost open span.
pub fn mark(site: &Site) {
    let ticks = clock::now();
    if state::is_on() {
        nvtx::mark(site, ticks);
    }
    with_path(site, |thread, path, track| {
        thread.writer.record(&Record::Mark { path, ticks, track });
    });
}

/// Notes that the interpreter exits from here on, with the memory that the process has now.
pub fn leave_interpreter() {
    collector::note_resident();
    memory::at_exit();
    registration::note(EXITS, &clock::now().to_string());
}

/// Records a named instant outside of every span, such as an epoch that turned out to have
/// begun some time ago.
///
/// **Units** ticks.
pub fn mark_outermost(site: &Site, ticks: u64) {
    if is_on_or_decide() {
        registration::with(|thread| {
            let path = thread.path(PathId::ROOT, site);
            let track = thread.track();
            thread.writer.record(&Record::Mark { path, ticks, track });
        });
    }
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

/// Records the sizes of a tensor that the program's outermost module is given from now on: number `tensor` of those that
/// a call is given.
///
/// **Cost** a record: say it where they change, not for each call.
pub fn input_sizes(tensor: u32, holds: Holds, sizes: Sizes) {
    let ticks = clock::now();
    if is_on_or_decide() {
        registration::with(|thread| {
            let track = thread.track();
            thread.writer.record(&Record::InputSizes(InputSizes {
                ticks,
                track,
                tensor,
                holds,
                sizes,
            }));
        });
    }
}

/// Says that the innermost open span is that of a neural network's module, inside of `depth`
/// others; false where nothing is recorded.
///
/// **Cost** a record: say it once for a path, not for each span.
pub fn module(depth: u32, class: &str) -> bool {
    let is_on = is_on_or_decide();
    if is_on {
        registration::with(|thread| {
            let path = thread.stack().innermost();
            thread.writer.record(&Record::Module { path, depth, class });
        });
    }
    is_on
}

/// Tells readers of the recording something once, such as that a device was active.
///
/// A code that was noted before is not noted again.
pub fn note(code: &str, message: &str) {
    if registry::with(|registry| registry.note(code, message)) && is_on_or_decide() {
        registration::with(|thread| thread.writer.record(&Record::Note { code, message }));
    }
}
