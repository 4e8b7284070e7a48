//! Where a span opens: the stack of the thread, or of the task that runs on it.
//!
//! Spans belong to a task, not to a thread. A task is told by its context (PEP 567). At
//! every span the thread state's context version is compared with the one seen last:
//! unchanged, which is the rule, means the same context. Only after a change is the context
//! looked at, in [`arrive`]: a thread's base context, which nobody entered, and the one that
//! `threading` has all of a thread run in use the thread's own stack; any other has a
//! [`TaskState`]. A greenlet is a task too, whose context nobody enters: see [`greenlets`].

use std::cell::Cell;
use std::ptr::null_mut;

use laptime_core::PathId;
use laptime_recorder as recorder;
use pyo3::prelude::*;
use pyo3::{Borrowed, ffi};

use super::task::{self, TaskState};
use super::{graves, greenlets, thread_object};
use crate::entry::keeping_error;

/// A thread state and how often its context has changed.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq)]
struct Version {
    version: u64,
    thread: u64,
}

/// Equal to no thread state's version.
const NOWHERE: Version = Version {
    version: 0,
    thread: u64::MAX,
};

unsafe extern "C" {
    fn laptime_context_place() -> Version;
    fn laptime_context_current() -> *mut ffi::PyObject;
}

/// What the calling thread knows about its context.
pub struct ThreadContext {
    seen: Cell<Version>,
    /// The running task's state; null in the base context. Alive: its context holds it.
    task: Cell<*const TaskState>,
    /// The thread's base context, once known, and the thread state it belongs to. Compared only.
    base: Cell<(*mut ffi::PyObject, u64)>,
    /// The same of the context that all of the thread runs in, which its `threading.Thread` holds.
    whole: Cell<(*mut ffi::PyObject, u64)>,
    /// The path that a task without a stack of its own is in, and where that was looked up.
    looked: Cell<(Version, PathId)>,
    /// Durations of the last span by site, in ticks, outside of tasks.
    last: Cell<*mut Vec<u64>>,
    /// Spans opened here by `with` and not closed yet.
    open: Cell<u32>,
    /// Whether `threading` was asked about the thread.
    is_known: Cell<bool>,
}

thread_local! {
    static CONTEXT: ThreadContext = const {
        ThreadContext {
            seen: Cell::new(NOWHERE),
            task: Cell::new(std::ptr::null()),
            base: Cell::new((null_mut(), u64::MAX)),
            whole: Cell::new((null_mut(), u64::MAX)),
            looked: Cell::new((NOWHERE, PathId::ROOT)),
            last: Cell::new(null_mut()),
            open: Cell::new(0),
            is_known: Cell::new(false),
        }
    };
    static LAST: LastOwner = const { LastOwner(Cell::new(null_mut())) };
}

/// Frees the table of last durations when its thread ends.
struct LastOwner(Cell<*mut Vec<u64>>);

impl Drop for LastOwner {
    fn drop(&mut self) {
        let table = self.0.get();
        if !table.is_null() {
            CONTEXT.with(|thread| thread.last.set(null_mut()));
            // SAFETY: made by `make_last`, and unreachable from here on.
            drop(unsafe { Box::from_raw(table) });
        }
    }
}

/// Sites whose last duration is kept by thread: a bound on the table's size.
pub const MAX_REMEMBERED: u32 = 65_536;

/// Runs with the calling thread's context, the recorder's stack being that of the running task.
///
/// # Safety
/// The interpreter lock is held.
#[inline]
pub unsafe fn with<R>(body: impl FnOnce(&ThreadContext) -> R) -> R {
    CONTEXT.with(|thread| {
        // SAFETY: the lock is held, so there is a thread state.
        let now = unsafe { laptime_context_place() };
        if now != thread.seen.get() {
            arrive(thread);
        }
        body(thread)
    })
}

/// The innermost open lap of the running task: a task that has none of its own is inside those that were
/// open where it was made. Unlike [`with`], this gives no task a stack.
///
/// # Safety
/// The interpreter lock is held.
#[inline]
pub unsafe fn path() -> PathId {
    CONTEXT.with(|thread| {
        // SAFETY: the lock is held, so there is a thread state.
        let now = unsafe { laptime_context_place() };
        if now == thread.seen.get() {
            return recorder::current_path();
        }
        match thread.looked.get() {
            (then, path) if then == now => path,
            _ => keeping_error(|| look(thread)),
        }
    })
}

/// The context that is current, borrowed; null where none was made yet.
pub fn current_context() -> *mut ffi::PyObject {
    // SAFETY: called by functions of the extension module, which hold the lock.
    unsafe { laptime_context_current() }
}

/// A number that changes when this thread leaves a task, or enters one.
pub fn moment() -> u64 {
    // SAFETY: called by functions of the extension module, which hold the lock.
    unsafe { laptime_context_place() }.version
}

/// Whether a `with` on this thread may still have to close its span.
#[inline]
pub fn has_open() -> bool {
    CONTEXT.with(|thread| thread.open.get() > 0)
}

impl ThreadContext {
    /// Counts a span opened by `with`.
    #[inline]
    pub fn opened(&self) {
        self.open.set(self.open.get() + 1);
    }

    /// Counts a span closed by `with`.
    #[inline]
    pub fn closed(&self) {
        self.open.set(self.open.get().saturating_sub(1));
    }

    /// The running task's state, outside of the base context.
    #[inline]
    pub fn task(&self) -> Option<&TaskState> {
        // SAFETY: null, or held by the context that is current.
        unsafe { self.task.get().as_ref() }
    }

    /// Keeps the duration of a span that just closed.
    #[inline]
    pub fn remember(&self, site: u32, ticks: u64) {
        if let Some(task) = self.task() {
            task.remember(site, ticks);
            return;
        }
        if site >= MAX_REMEMBERED {
            return;
        }
        // SAFETY: null or this thread's table, and no other reference to it is alive.
        match unsafe { self.last.get().as_mut() }.and_then(|last| last.get_mut(site as usize)) {
            Some(last) => *last = ticks,
            None => self.make_last(site, ticks),
        }
    }

    #[cold]
    #[inline(never)]
    fn make_last(&self, site: u32, ticks: u64) {
        let mut table = self.last.get();
        if table.is_null() {
            table = Box::into_raw(Box::default());
            if LAST.try_with(|owner| owner.0.set(table)).is_err() {
                // SAFETY: just made. The thread is ending: nobody will ask.
                drop(unsafe { Box::from_raw(table) });
                return;
            }
            self.last.set(table);
        }
        // SAFETY: this thread's table.
        let table = unsafe { &mut *table };
        table.resize((site as usize + 1).max(table.len()), u64::MAX);
        table[site as usize] = ticks;
    }

    /// The duration of the last span of a site that closed in this task.
    pub fn last(&self, site: u32) -> Option<u64> {
        if let Some(task) = self.task() {
            return task.last(site);
        }
        // SAFETY: null or this thread's table.
        let last = unsafe { self.last.get().as_ref() }?;
        last.get(site as usize)
            .copied()
            .filter(|ticks| *ticks != u64::MAX)
    }

    fn settle(&self, task: *const TaskState) {
        let moved = self.task.replace(task) != task;
        // SAFETY: null, or held by the context that is current.
        recorder::swap_stack(unsafe { task.as_ref() }.and_then(TaskState::stack));
        if moved {
            graves::bury_those_left(self.number());
        }
        // SAFETY: null or alive, as above.
        if let Some(task) = unsafe { task.as_ref() } {
            task.used_on(self.number());
        }
        // SAFETY: called with the lock held. Read again: looking around may have changed it.
        self.seen.set(unsafe { laptime_context_place() });
    }
}

/// The context has changed since the last span of this thread: finds out where it is now.
#[cold]
#[inline(never)]
fn arrive(thread: &ThreadContext) {
    if !thread.is_known.replace(true) {
        // SAFETY: only called with the lock held.
        let python = unsafe { Python::assume_attached() };
        keeping_error(|| get_to_know(thread, python));
    }
    if !settle_if_known(thread) {
        // SAFETY: only called with the lock held.
        let python = unsafe { Python::assume_attached() };
        thread.settle(std::ptr::null());
        match task::make(python, outside(python)) {
            Ok(state) => thread.settle(state),
            // Out of memory, in practice: the spans go to the thread's own stack.
            Err(error) => drop(error),
        }
    }
}

/// Asks `threading` about the thread: for its name, and for the context that all of it runs in.
fn get_to_know(thread: &ThreadContext, python: Python<'_>) {
    let Some(object) = thread_object::of_caller(python) else {
        return;
    };
    if let Some(name) = thread_object::name(&object) {
        recorder::name_thread(&name);
    }
    // One that was copied inside a task has what was open there, and opens its spans under that.
    if let Some(context) = thread_object::context(&object)
        && !task::is_inherited_by(&context)
    {
        // SAFETY: called with the lock held.
        let state = unsafe { laptime_context_place() }.thread;
        thread.whole.set((context.as_ptr(), state));
    }
}

/// Turns to the stack of the context that is current, if it has one, and says whether it does; a base
/// context has the thread's own.
fn settle_if_known(thread: &ThreadContext) -> bool {
    // SAFETY: only called with the lock held.
    let (now, context) = unsafe { (laptime_context_place(), laptime_context_current()) };
    let place = (context, now.thread);
    // SAFETY: as above.
    let python = unsafe { Python::assume_attached() };
    if context.is_null() {
        return settle_outside(thread, python);
    }
    if thread.base.get() == place || thread.whole.get() == place {
        thread.settle(std::ptr::null());
        return true;
    }
    // SAFETY: the context is the current one, which the thread state holds.
    let context = unsafe { Borrowed::from_ptr(python, context) };
    if let Some(state) = task::known(context) {
        thread.settle(state);
        return true;
    }
    if !is_base(context) || !settle_outside(thread, python) {
        return false;
    }
    thread.base.set(place);
    true
}

/// Turns to the thread's own stack where nobody has entered a context, unless a greenlet runs there.
fn settle_outside(thread: &ThreadContext, python: Python<'_>) -> bool {
    let is_outside = !greenlets::is_in_one(python);
    if is_outside {
        thread.settle(std::ptr::null());
    }
    is_outside
}

/// What spans of a context open under that was made outside of any task, the stack being the thread's: what
/// is open there. A greenlet runs beside that, as likely as not while it waits.
fn outside(python: Python<'_>) -> PathId {
    if greenlets::is_in_one(python) {
        PathId::ROOT
    } else {
        recorder::current_path()
    }
}

/// Finds the path of [`path`] after the context has changed.
#[cold]
#[inline(never)]
fn look(thread: &ThreadContext) -> PathId {
    if settle_if_known(thread) {
        return recorder::current_path();
    }
    // SAFETY: only called with the lock held.
    let python = unsafe { Python::assume_attached() };
    let path = task::inherited(python).unwrap_or_else(|| {
        thread.settle(std::ptr::null());
        outside(python)
    });
    // The stack isn't that of this context, which a lap must find out.
    thread.seen.set(NOWHERE);
    // SAFETY: only called with the lock held. Read again: looking around may have changed it.
    let now = unsafe { laptime_context_place() };
    thread.looked.set((now, path));
    path
}

/// Whether nobody entered this context, the current one: an entered one refuses a second entry.
fn is_base(context: Borrowed<'_, '_, PyAny>) -> bool {
    // SAFETY: a context, with the lock held; leaving it at once restores what was.
    unsafe {
        if ffi::PyContext_Enter(context.as_ptr()) == 0 {
            ffi::PyContext_Exit(context.as_ptr());
            return true;
        }
        ffi::PyErr_Clear();
    }
    false
}

impl ThreadContext {
    /// A number of the thread.
    fn number(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}

/// A task is over: this thread no longer leads to its stack. Whether another thread, the one with
/// that number, still may.
pub fn forget(state: *const TaskState, used_on: usize) -> bool {
    CONTEXT
        .try_with(|thread| {
            if thread.task.get() == state {
                thread.task.set(std::ptr::null());
                thread.seen.set(NOWHERE);
                recorder::swap_stack(None);
            }
            thread.number() != used_on
        })
        .unwrap_or(true)
}
