//! What a program does, counted once and told with every run of the same.
//!
//! Whoever counts operations while they run sets the unit that is open aside: it goes on under
//! a name of its own, so that its time, which counting made longer, is in nobody's statistics.

use laptime_core::format::record::Record;
use laptime_core::operations::StretchOperations;
use laptime_core::{PathId, PhaseName, Span, SpanFlags};

use crate::clock;
use crate::memory::Quiet;
use crate::operators;
use crate::registration;
use crate::registry;
use crate::span::{Open, with_open};
use crate::start::is_on_or_decide;
use crate::thread::Thread;

/// Tells what a stretch does each time at one path.
pub fn operations(operations: &StretchOperations<'_>) {
    write(&Record::Operations(*operations));
}

/// Tells that a stretch runs, from now on, whose operations are known.
pub fn ran(stretch: u32) {
    let ticks = clock::now();
    write(&Record::Ran { ticks, stretch });
}

fn write(record: &Record<'_>) {
    if is_on_or_decide() {
        let _quiet = Quiet::begin();
        registration::with(|thread| thread.writer.record(record));
    }
}

/// The unit that is open goes on under a name of its own, with what is open inside.
///
/// It closes as before. Children that closed already keep their paths, and the time until the last of them
/// closed stays with these; but not from `held_since` on, as of then they are written later.
pub fn set_aside(held_since: Option<u64>) {
    let _quiet = Quiet::begin();
    Thread::with(|thread| set_unit_aside(thread, held_since));
}

/// An open span goes on with one that was set aside before it: under the path of that.
pub fn go_on_aside(open: Open, path: PathId) {
    let _quiet = Quiet::begin();
    with_open(open, |thread, index| {
        let entry = thread.stack().entry(index).moved(path);
        thread.stack().set_entry(index, entry);
        thread.writer.define_now(path);
    });
}

fn set_unit_aside(thread: &mut Thread, held_since: Option<u64>) {
    let stack = thread.stack();
    let open = stack.len();
    let names: Vec<String> = registry::with(|registry| {
        let name = |index| registry.paths.name(PathId(stack.entry(index).path));
        (1..=open).map(name).collect()
    });
    if names.iter().any(|name| is_aside(name)) {
        return;
    }
    // The innermost of these; without one, whatever is innermost.
    let unit = names
        .iter()
        .rposition(|name| PhaseName::of(name).is_some_and(PhaseName::is_unit));
    let Some(first) = unit.or_else(|| open.checked_sub(1)) else {
        return;
    };
    let written = thread.writer.last_end();
    let until = held_since.map_or(written, |since| written.min(since));
    leave_until(thread, first + 1, until);
    for (at, name) in names.iter().enumerate().skip(first) {
        let parent = PathId(thread.stack().entry(at).path);
        let path = registry::with(|registry| {
            if at == first {
                registry
                    .paths
                    .intern(parent, &format!("{}{name}", operators::prefix()))
            } else {
                registry.paths.intern(parent, name)
            }
        });
        let entry = thread.stack().entry(at + 1).moved(path);
        thread.stack().set_entry(at + 1, entry);
        thread.writer.define_now(path);
    }
}

/// What closed inside of the open spans from `first` on keeps its path, and its time must have a place in that:
/// until then they are spans of their own, which are cut short, and they go on from there as the rest of these.
fn leave_until(thread: &mut Thread, first: usize, until: u64) {
    let track = thread.track();
    for index in (first..=thread.stack().len()).rev() {
        let open = thread.stack().entry(index);
        let start = thread.stack().start(open);
        if until > start {
            let inside = SpanFlags::inside_if(thread.stack().is_part(index));
            thread.writer.span(&Span {
                flags: SpanFlags::UNFINISHED.with(inside),
                ..Span::plain(PathId(open.path), start, until - start, track)
            });
            thread.stack().part(index, until);
        }
    }
}

/// The path that a path has when nothing of it is aside, and whether anything is.
pub fn plain_path(path: PathId) -> (PathId, bool) {
    let plain = registry::with(|registry| registry.paths.plain(path));
    (plain.unwrap_or(path), plain.is_some())
}

fn is_aside(name: &str) -> bool {
    PhaseName::of_counted(name).is_some()
}
