//! A thread's way in and out: registered at its first span, taken off the list when it ends.
//!
//! Resolving a path stands here too: what a thread does with the registry and its own state.

use std::ptr::null_mut;

use laptime_core::format::record::Record;
use laptime_core::{PathId, Span, SpanFlags};

use crate::clock;
use crate::memory::Quiet;
use crate::platform;
use crate::registry::{self, ThreadName};
use crate::site::Site;
use crate::stack::Stack;
use crate::state;
use crate::thread::Thread;
use crate::wiped;

/// Bytes of a track's name that are kept.
const LONGEST_NAME: usize = 256;

thread_local! {
    static LEAVING: Leaving = const { Leaving };
}

/// Runs with the calling thread's state, made at its first call. `None` while the thread is ending.
///
/// Not re-entrant, as [`Thread::with`].
#[inline]
pub fn with<T>(run: impl FnOnce(&mut Thread) -> T) -> Option<T> {
    if wiped::is_unknown_child() {
        return None;
    }
    if Thread::with_while_on(|_| ()).is_none() {
        register();
    }
    Thread::with_while_on(run)
}

#[cold]
#[inline(never)]
fn register() {
    if LEAVING.try_with(|_| ()).is_err() {
        return;
    }
    let name = std::thread::current().name().map(str::to_owned);
    let name = name.unwrap_or_default();
    registry::with(|registry| {
        let track = registry.threads.thread_track();
        let mut own = Box::new(Stack::new(track, PathId::ROOT));
        registry.place_in_black_box(&mut own);
        let writer = registry.threads.take_writer(registry.epoch);
        let thread = Thread::set_current(Box::new(Thread::new(own, writer)));
        let named = ThreadName::of_caller(track, name.clone());
        registry.threads.enter(thread, named);
    });
    Thread::with(|thread| {
        let track = thread.track();
        thread.name_track(track, false, &name);
    });
}

/// Names the calling thread, where its language knows more than the system does.
pub fn name_thread(name: &str) {
    with(|thread| {
        let track = thread.own_stack().track();
        registry::with(|registry| registry.threads.rename(track, name));
        thread.name_track(track, false, name);
    });
}

/// Tells readers of the recording something once, where spans are recorded or a recording begins later.
pub fn note(code: &str, message: &str) {
    if registry::with(|registry| registry.note(code, message)) && state::is_on() {
        with(|thread| thread.writer.record(&Record::Note { code, message }));
    }
}

/// Takes the thread off the list when it ends.
struct Leaving;

impl Drop for Leaving {
    fn drop(&mut self) {
        let Some(mut thread) = Thread::take_current() else {
            return;
        };
        if wiped::is_unknown_child() {
            std::mem::forget(thread);
            return;
        }
        let _quiet = Quiet::begin();
        thread.use_stack(null_mut());
        if state::measures_memory() {
            thread.own_stack().memory.clear();
        }
        let mut own = thread.take_own_stack();
        own.ranges.clear();
        own.on_devices.clear();
        own.device_memory.clear();
        thread.close_all(&own);
        registry::with(|registry| {
            registry.threads.leave(&mut thread);
            registry.take_out_of_black_box(&mut own);
        });
    }
}

/// The record that names a track; a long name is cut off.
pub fn track_name(track: u32, is_task: bool, thread: u64, name: &str) -> Record<'_> {
    Record::TrackName {
        track,
        is_task,
        thread,
        name: &name[..name.floor_char_boundary(LONGEST_NAME)],
    }
}

impl Thread {
    /// The path of a site under a parent.
    pub fn path(&mut self, parent: PathId, site: &Site) -> PathId {
        site.cached(parent)
            .unwrap_or_else(|| self.resolve(parent, site))
    }

    /// The path of a site under a parent, beyond what the site itself remembers.
    #[cold]
    #[inline(never)]
    pub fn resolve(&mut self, parent: PathId, site: &Site) -> PathId {
        if let Some(path) = self.recent(parent, site.index()) {
            return path;
        }
        let path = registry::with(|registry| registry.paths.intern(parent, site.name()));
        if path != PathId::OVERFLOW {
            self.remember(parent, site.index(), path);
            site.remember(parent, path);
        }
        self.writer.define_now(path);
        path
    }

    pub fn name_track(&mut self, track: u32, is_task: bool, name: &str) {
        self.writer
            .record(&track_name(track, is_task, platform::thread_id(), name));
    }

    /// Writes what is still open as unclosed: the thread or task ends.
    pub fn close_all(&mut self, stack: &Stack) {
        let end = clock::now();
        for (index, open) in (1..)
            .zip(stack.open())
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
        {
            let duration = end.saturating_sub(open.start);
            // What it was said to do is not known to be done.
            self.writer.span(&Span {
                flags: SpanFlags::UNBALANCED.with(SpanFlags::inside_if(stack.is_part(index))),
                ..Span::plain(open.path, open.start, duration, open.track)
            });
        }
    }
}
