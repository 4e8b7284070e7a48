//! The state of a task: its stack of open spans and the last durations by name.
//!
//! The state lies in the task's own context, as the value of one context variable, and so lives as
//! long as the context does: nothing is leaked and nothing has to be told that a task ended.
//! A context copies its parent's variables when it is made, so the value found first is the
//! parent's: a pair of the parent's state and the path that was open there at that moment,
//! which is what the new task's spans open under. To keep that pair true, the variable is set
//! at both ends of every span inside a task (never in a thread's own context).
//!
//! **Cost** 100 to 200 ns a span inside a task.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::mem::offset_of;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU64, AtomicUsize};

use laptime_core::{PathId, SpanFlags};
use laptime_recorder::{self as recorder, Open, Site, TaskStack, clock};
use once_cell::race::OnceBox;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyWeakrefMethods, PyWeakrefReference};
use pyo3::{Borrowed, ffi};

use super::{graves, thread};
use crate::rate;
use crate::stacks::peek;

/// From this on a span says that its task gave no other one a turn: shorter ones keep to the short record.
const HELD_NS: f64 = 20_000_000.0;

/// The variable: a pair (state, number of the open path).
static VARIABLE: OnceBox<Py<PyAny>> = OnceBox::new();

/// One task.
#[pyclass(frozen, module = "laptime._core")]
pub struct TaskState {
    parts: Parts,
}

struct Parts {
    /// Of its stack.
    track: u32,
    /// Taken only when the state goes.
    stack: Option<Box<TaskStack>>,
    /// Number of the thread that ran the task last.
    used_on: Cell<usize>,
    /// The context that this is the state of: a copy of it finds the same value, and a dead context's
    /// address may be used again.
    context: Py<PyWeakrefReference>,
    last: RefCell<HashMap<u32, u64>>,
    /// Spans that a `with` opened and has not closed, by site.
    open: RefCell<Vec<Opened>>,
    /// Whether its spans open under a span of another track.
    inherits: bool,
    /// The Python object that this is the inside of. Borrowed: a strong one would be a cycle.
    this: Cell<*mut ffi::PyObject>,
}

/// A span that a `with` opened.
struct Opened {
    site: u32,
    open: Open,
    /// When, as the thread counts its turns from task to task.
    moment: u64,
}

// SAFETY: every access holds the interpreter lock.
unsafe impl Send for Parts {}
// SAFETY: as above.
unsafe impl Sync for Parts {}

impl TaskState {
    /// The task's stack.
    pub fn stack(&self) -> Option<&TaskStack> {
        self.parts.stack.as_deref()
    }

    /// Notes which thread runs the task.
    pub fn used_on(&self, thread: usize) {
        self.parts.used_on.set(thread);
    }

    /// Opens a span.
    pub fn enter(&self, site: &Site) -> Option<Open> {
        let open = recorder::enter(site)?;
        self.parts.open.borrow_mut().push(Opened {
            site: site.index(),
            open,
            moment: thread::moment(),
        });
        self.publish();
        Some(open)
    }

    /// Closes the innermost span of a site, now or at a moment that has passed.
    pub fn exit(&self, site: &Site, end: Option<u64>) -> Option<u64> {
        self.exit_flagged(site, end, SpanFlags::NONE)
    }

    /// The same, with what else is known of the span.
    pub fn exit_flagged(&self, site: &Site, end: Option<u64>, flags: SpanFlags) -> Option<u64> {
        let Opened { open, moment, .. } = {
            let mut open = self.parts.open.borrow_mut();
            let at = open.iter().rposition(|one| one.site == site.index())?;
            open.remove(at)
            // Let go of here: publishing allocates, which may run a finalizer that opens laps.
        };
        let end = end.map(|end| end.max(open.to_raw().1));
        if end.is_none() {
            recorder::wait_for_device(open.start());
        }
        if moment == thread::moment() {
            let now = end.unwrap_or_else(clock::now);
            let ticks = now.saturating_sub(open.to_raw().1);
            if ticks as f64 * rate::ns_per_tick(now) >= HELD_NS {
                return self.exit_with(open, Some(now), flags.with(SpanFlags::HELD));
            }
        }
        self.exit_with(open, end, flags)
    }

    /// Whether a span's parent is on another track.
    pub fn is_detached(&self, open: Open) -> bool {
        open.to_raw().0 == 1 && self.parts.inherits
    }

    /// Closes a span by its identity. The outermost runs beside its parent, not in it: the parent's
    /// own time must not lose it.
    pub fn exit_with(&self, open: Open, end: Option<u64>, flags: SpanFlags) -> Option<u64> {
        let flags = if self.is_detached(open) {
            flags.with(SpanFlags::DETACHED)
        } else {
            flags
        };
        let ticks = match (end, flags) {
            (None, SpanFlags::NONE) => recorder::exit(open),
            _ => recorder::exit_with(open, end, flags),
        };
        self.publish();
        ticks
    }

    /// Keeps the duration of a span that just closed.
    pub fn remember(&self, site: u32, ticks: u64) {
        self.parts.last.borrow_mut().insert(site, ticks);
    }

    /// The duration of the last span of a site.
    pub fn last(&self, site: u32) -> Option<u64> {
        self.parts.last.borrow().get(&site).copied()
    }

    fn innermost(&self) -> PathId {
        self.stack().map_or(PathId::ROOT, TaskStack::innermost)
    }

    /// Tells contexts copied from now on what is open here.
    pub fn publish(&self) {
        let Some(variable) = VARIABLE.get() else {
            return;
        };
        // SAFETY: called with the lock held. `self` is the inside of `this`, which the current context
        // holds; what is made here is released here. Nothing may be raised out of a span, so errors are dropped.
        unsafe {
            let path = ffi::PyLong_FromLong(self.innermost().0.into());
            // Out of memory: contexts copied from now on find what was open before.
            let pair = if path.is_null() {
                path
            } else {
                ffi::PyTuple_Pack(2, self.parts.this.get(), path)
            };
            ffi::Py_XDECREF(path);
            if !pair.is_null() {
                ffi::Py_XDECREF(ffi::PyContextVar_Set(variable.as_ptr(), pair));
                ffi::Py_DECREF(pair);
            }
            if !ffi::PyErr_Occurred().is_null() {
                ffi::PyErr_Clear();
            }
        }
    }
}

impl Drop for TaskState {
    fn drop(&mut self) {
        recorder::guard((), || {
            let used_on = self.parts.used_on.get();
            if thread::forget(self, used_on)
                && let Some(stack) = self.parts.stack.take()
            {
                graves::keep(used_on, stack);
            }
            // Closing what is open on it writes records, which is part of the guarded work.
            drop(self.parts.stack.take());
        });
    }
}

/// Made without a lock, as names are in [`crate::interned`]: a child of a fork may need it at once.
fn variable(python: Python<'_>) -> PyResult<&Py<PyAny>> {
    let variable = VARIABLE.get_or_try_init(|| {
        // SAFETY: a constant name, no default.
        let made = unsafe {
            let variable = ffi::PyContextVar_New(c"laptime".as_ptr(), std::ptr::null_mut());
            Bound::from_owned_ptr_or_err(python, variable)?
        };
        PyResult::Ok(Box::new(made.unbind()))
    })?;
    if PLACE.load(Relaxed) == 0 {
        HASH.store(variable.bind(python).hash()? as u64, Relaxed);
        PLACE.store(variable.as_ptr().addr(), Release);
    }
    Ok(variable)
}

/// Where the variable is, and its hash, for who reads contexts from outside.
static PLACE: AtomicUsize = AtomicUsize::new(0);
static HASH: AtomicU64 = AtomicU64::new(0);
/// How far into its Python object a state begins; the same for all.
static INSIDE: AtomicUsize = AtomicUsize::new(0);

/// The variable's address and its hash as trees of contexts have it; `None` before the first task.
pub fn variable_place() -> Option<(u64, u32)> {
    let place = PLACE.load(Acquire) as u64;
    let hash = HASH.load(Relaxed);
    let folded = hash as u32 ^ (hash >> 32) as u32;
    (place != 0).then_some((
        place,
        if folded == u32::MAX {
            u32::MAX - 1
        } else {
            folded
        },
    ))
}

/// What is told of a task to who reads it from outside.
pub struct Peeked {
    /// Its track.
    pub track: u32,
    /// The weak reference to the context that it is of.
    pub reference: u64,
}

/// Reads a state by the address of its Python object, from any thread and without the lock; `None` where
/// nothing is.
pub fn peek(object: u64) -> Option<Peeked> {
    let parts = (INSIDE.load(Relaxed) + offset_of!(TaskState, parts)) as u64;
    let reference = peek::word(object, parts + offset_of!(Parts, context) as u64)?;
    let track = peek::half(object, parts + offset_of!(Parts, track) as u64)?;
    Some(Peeked { track, reference })
}

/// What the current context holds: its own pair or its parent's.
fn value(python: Python<'_>) -> Option<Bound<'_, PyTuple>> {
    let mut value = std::ptr::null_mut();
    // SAFETY: a context variable; the value is a new reference or null.
    let value = unsafe {
        ffi::PyContextVar_Get(
            variable(python).ok()?.as_ptr(),
            std::ptr::null_mut(),
            &raw mut value,
        );
        Bound::from_owned_ptr_or_opt(python, value)?
    };
    value.cast_into::<PyTuple>().ok()
}

/// Everything stays `Bound`: `PyO3` does not know that this thread holds the lock, and would put
/// off the release of an unbound reference.
fn parts_of<'py>(pair: &Bound<'py, PyTuple>) -> Option<(Bound<'py, TaskState>, PathId)> {
    let state = pair.get_item(0).ok()?.cast_into::<TaskState>().ok()?;
    Some((state, PathId(pair.get_item(1).ok()?.extract().ok()?)))
}

/// The state of the current context, if it has one of its own.
pub fn known(context: Borrowed<'_, '_, PyAny>) -> Option<*const TaskState> {
    let pair = value(context.py())?;
    let (state, _) = parts_of(&pair)?;
    let state = state.get();
    let owner = state.parts.context.bind(context.py()).upgrade()?;
    owner.is(context).then_some(std::ptr::from_ref(state))
}

/// What was open where the current context was made, unless that was outside of any task.
pub fn inherited(python: Python<'_>) -> Option<PathId> {
    let pair = value(python)?;
    parts_of(&pair).map(|(_, path)| path)
}

/// Whether a context was copied where something was open inside of a task, or is a task's own.
pub fn is_inherited_by(context: &Bound<'_, PyAny>) -> bool {
    let has = variable(context.py()).and_then(|variable| context.contains(variable));
    has.unwrap_or(false)
}

/// The current context. A greenlet that has none gets one here, as it does when it sets a variable.
fn current(python: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    // SAFETY: called with the lock held; copying the current context makes one, and the copy is released.
    unsafe {
        if thread::current_context().is_null() {
            drop(Bound::from_owned_ptr_or_err(
                python,
                ffi::PyContext_CopyCurrent(),
            )?);
        }
        Bound::from_borrowed_ptr_or_err(python, thread::current_context())
    }
}

/// Gives the current context a state. Its spans open under what was open where the context was
/// made, or, when that was outside of any task, under `outside`.
pub fn make(python: Python<'_>, outside: PathId) -> PyResult<*const TaskState> {
    let context = current(python)?;
    let inherit = inherited(python).unwrap_or(outside);
    let stack = TaskStack::new(inherit, None);
    let state = Bound::new(
        python,
        TaskState {
            parts: Parts {
                track: stack.track(),
                stack: Some(stack),
                used_on: Cell::new(0),
                context: PyWeakrefReference::new(&context)?.unbind(),
                last: RefCell::default(),
                open: RefCell::default(),
                inherits: inherit != PathId::ROOT,
                this: Cell::new(std::ptr::null_mut()),
            },
        },
    )?;
    state.get().parts.this.set(state.as_ptr());
    let inside = std::ptr::from_ref(state.get()).addr() - state.as_ptr().addr();
    INSIDE.store(inside, Relaxed);
    let pair = (&state, inherit.0).into_pyobject(python)?;
    // SAFETY: a context variable and its value; the token is released.
    unsafe {
        let token = ffi::PyContextVar_Set(variable(python)?.as_ptr(), pair.as_ptr());
        Bound::from_owned_ptr_or_err(python, token)?;
    }
    // The context holds it from here on.
    Ok(std::ptr::from_ref(state.get()))
}
