//! Starting and stopping a timer's segments.
//!
//! A segment is known by its name within a context; starting it again before it stopped nests.
//! Every segment leaves its duration in the timer's own history and, while laps are recorded,
//! a leaf span under the lap that was open at its start: aside, since segments may overlap.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use laptime_core::{PathId, SpanFlags};
use laptime_recorder::{self as recorder, Extra, Site, clock};
use pyo3::ffi;
use pyo3::prelude::*;

use super::{name, none, place};
use crate::rate;

/// What a segment's duration is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// Time that passed.
    Wall,
    /// CPU time of the process.
    Process,
    /// CPU time of the thread.
    Thread,
}

impl Clock {
    fn cpu_ns(self) -> u64 {
        match self {
            Self::Wall => 0,
            Self::Process => clock::process_ns(),
            Self::Thread => clock::thread_ns(),
        }
    }
}

/// A segment that runs.
#[derive(Clone, Copy)]
struct Running {
    ticks: u64,
    cpu_ns: u64,
    outside: PathId,
}

/// A segment's history.
pub struct Segment {
    /// Its name, as recorded.
    pub site: &'static Site,
    /// Durations in nanoseconds of the timer's clock.
    pub elapsed_ns: Vec<u64>,
    running: Vec<Running>,
}

/// Entries of a context's cache by the name object's address.
const CACHED: usize = 16;

/// A named set of segments.
pub struct Context {
    /// Its name.
    pub name: String,
    /// What its durations are measured by.
    pub clock: Clock,
    /// Whether it measures at all.
    pub is_on: Cell<bool>,
    /// Whether its timer does.
    pub timer_is_on: Arc<AtomicBool>,
    /// In order of their first start.
    pub segments: RefCell<Vec<Segment>>,
    by_site: RefCell<HashMap<u32, usize>>,
    /// Address of a name, which is kept alive, and its segment.
    cache: RefCell<[(*mut ffi::PyObject, usize); CACHED]>,
}

// SAFETY: every access holds the interpreter lock.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    /// An empty context.
    pub fn new(name: String, clock: Clock, timer_is_on: Arc<AtomicBool>) -> Self {
        Self {
            name,
            clock,
            is_on: Cell::new(true),
            timer_is_on,
            segments: RefCell::default(),
            by_site: RefCell::default(),
            cache: RefCell::new([(null_mut(), 0); CACHED]),
        }
    }

    fn measures(&self) -> bool {
        self.is_on.get() && self.timer_is_on.load(Relaxed)
    }

    /// Forgets one segment, or all, running ones included.
    pub fn forget(&self, site: Option<&Site>) -> bool {
        let mut segments = self.segments.borrow_mut();
        let before = segments.len();
        segments.retain(|segment| site.is_some_and(|site| segment.site.index() != site.index()));
        let by_site = segments.iter().enumerate();
        *self.by_site.borrow_mut() = by_site.map(|(at, one)| (one.site.index(), at)).collect();
        for entry in self.cache.borrow_mut().iter_mut() {
            // SAFETY: the cache holds a reference to each name in it; a `str` runs no code when freed.
            unsafe { ffi::Py_XDECREF(std::mem::replace(&mut entry.0, null_mut())) };
        }
        before > segments.len()
    }

    #[inline]
    fn find(&self, given: *mut ffi::PyObject) -> Option<usize> {
        let (known, at) = self.cache.borrow()[(given.addr() >> 4) % CACHED];
        if known == given {
            return Some(at);
        }
        self.find_slowly(given)
    }

    #[cold]
    #[inline(never)]
    fn find_slowly(&self, given: *mut ffi::PyObject) -> Option<usize> {
        // SAFETY: the lock is held, and only a `str` is taken for a name.
        unsafe {
            if ffi::PyUnicode_Check(given) == 0 {
                let message = c"a segment's name is a string";
                ffi::PyErr_SetString(ffi::PyExc_TypeError, message.as_ptr());
                return None;
            }
            let site = name::site(given)?;
            let at = *self
                .by_site
                .borrow_mut()
                .entry(site.index())
                .or_insert_with(|| {
                    let mut segments = self.segments.borrow_mut();
                    segments.push(Segment {
                        site,
                        elapsed_ns: Vec::new(),
                        running: Vec::new(),
                    });
                    segments.len() - 1
                });
            if ffi::PyUnicode_CheckExact(given) != 0 {
                let mut cache = self.cache.borrow_mut();
                let place = &mut cache[(given.addr() >> 4) % CACHED];
                let old = std::mem::replace(place, (ffi::Py_NewRef(given), at));
                ffi::Py_XDECREF(old.0);
            }
            Some(at)
        }
    }

    /// Starts a segment; false with a Python error set when the name is none.
    fn start(&self, given: *mut ffi::PyObject) -> bool {
        let Some(at) = self.find(given) else {
            return false;
        };
        // SAFETY: the lock is held.
        let outside = unsafe { place::with(|_| recorder::current_path()) };
        let segment = &mut self.segments.borrow_mut()[at];
        let ticks = clock::now();
        segment.running.push(Running {
            ticks,
            cpu_ns: self.clock.cpu_ns(),
            outside,
        });
        true
    }

    /// Stops a segment and returns its nanoseconds. `Err`: a Python error is set.
    fn stop(&self, given: *mut ffi::PyObject) -> Result<Option<u64>, ()> {
        let cpu_ns = self.clock.cpu_ns();
        let now = clock::now();
        let at = self.find(given).ok_or(())?;
        let segment = &mut self.segments.borrow_mut()[at];
        let Some(running) = segment.running.pop() else {
            return Ok(None);
        };
        let ticks = now.saturating_sub(running.ticks);
        let cpu_ns = cpu_ns.saturating_sub(running.cpu_ns);
        let elapsed_ns = match self.clock {
            Clock::Wall => (ticks as f64 * rate::ns_per_tick(now)).round() as u64,
            Clock::Process | Clock::Thread => cpu_ns,
        };
        segment.elapsed_ns.push(elapsed_ns);
        if recorder::is_on() {
            let extra = Extra {
                flags: SpanFlags::ASIDE,
                wall: None,
                process_ns: (self.clock == Clock::Process).then_some(cpu_ns),
                thread_ns: (self.clock == Clock::Thread).then_some(cpu_ns),
            };
            recorder::emit_under(running.outside, segment.site, running.ticks, ticks, extra);
        }
        Ok(Some(elapsed_ns))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // The names in the cache are released; dropped by Python objects only, so the lock is held.
        self.forget(None);
    }
}

/// An object that has a context: a timer has its main one.
pub trait HasContext: pyo3::PyClass<Frozen = pyo3::pyclass::boolean_struct::True> + Sync {
    /// The context.
    fn context(&self) -> &Context;
}

/// The context of `self`.
///
/// # Safety
/// `this` is an instance of `T` that outlives the reference, and the lock is held.
unsafe fn context<'a, T: HasContext>(this: *mut ffi::PyObject) -> &'a Context {
    // SAFETY: the caller's promise.
    unsafe {
        let object = Bound::from_borrowed_ptr(Python::assume_attached(), this);
        let context: *const Context = object.cast_unchecked::<T>().get().context();
        &*context
    }
}

/// The only argument; `None` with a Python error set when there is another number.
unsafe fn single(
    arguments: *mut *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
) -> Option<*mut ffi::PyObject> {
    // SAFETY: the interpreter passes `count` arguments and holds the lock.
    unsafe {
        if count == 1 {
            return Some(*arguments);
        }
        let message = c"expected one argument, the segment's name";
        ffi::PyErr_SetString(ffi::PyExc_TypeError, message.as_ptr());
        None
    }
}

unsafe extern "C" fn start<T: HasContext>(
    this: *mut ffi::PyObject,
    arguments: *mut *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    // SAFETY: called by the interpreter as a method of `T`.
    let (context, given) = unsafe { (context::<T>(this), single(arguments, count)) };
    let Some(given) = given else {
        return null_mut();
    };
    if context.measures() && !context.start(given) {
        return null_mut();
    }
    none()
}

/// `stop` of the first name and, unless it is the same call, `start` of the second.
unsafe fn stop_one(context: &Context, given: *mut ffi::PyObject) -> *mut ffi::PyObject {
    if !context.measures() {
        return none();
    }
    match context.stop(given) {
        // SAFETY: the lock is held.
        Ok(Some(ns)) => unsafe { ffi::PyFloat_FromDouble(ns as f64 / 1e9) },
        Ok(None) => {
            // SAFETY: a live object, with the lock held.
            unsafe { warn_not_started(given) };
            none()
        }
        Err(()) => null_mut(),
    }
}

/// Tells the log that a segment was stopped that was not started.
unsafe fn warn_not_started(given: *mut ffi::PyObject) {
    // SAFETY: the caller's promise.
    let (python, given) = unsafe {
        let python = Python::assume_attached();
        (python, Bound::from_borrowed_ptr(python, given))
    };
    let warned = python
        .import("logging")
        .and_then(|logging| logging.call_method1("getLogger", ("laptime",)))
        .and_then(|log| {
            let message = "segment %r was stopped but not started: nothing is measured";
            log.call_method1("warning", (message, given))
        });
    // A timer never raises into the program because of its log.
    drop(warned);
}

unsafe extern "C" fn stop<T: HasContext>(
    this: *mut ffi::PyObject,
    arguments: *mut *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    // SAFETY: called by the interpreter as a method of `T`.
    unsafe {
        match single(arguments, count) {
            Some(given) => stop_one(context::<T>(this), given),
            None => null_mut(),
        }
    }
}

unsafe extern "C" fn stop_and_start<T: HasContext>(
    this: *mut ffi::PyObject,
    arguments: *mut *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    // SAFETY: called by the interpreter as a method of `T`, with `count` arguments.
    unsafe {
        if count != 2 {
            let message = c"expected the segment to stop and the segment to start";
            ffi::PyErr_SetString(ffi::PyExc_TypeError, message.as_ptr());
            return null_mut();
        }
        let context = context::<T>(this);
        let elapsed = stop_one(context, *arguments);
        if elapsed.is_null() || (context.measures() && !context.start(*arguments.add(1))) {
            ffi::Py_XDECREF(elapsed);
            return null_mut();
        }
        elapsed
    }
}

/// Puts the three methods into the class; their definitions live as long as the process.
pub fn add_methods<T: HasContext>(python: Python<'_>) -> PyResult<()> {
    let methods: [(&std::ffi::CStr, ffi::PyCFunctionFast, &std::ffi::CStr); 3] = [
        (c"start", start::<T>, c"start($self, name, /)\n--\n\nStarts a segment."),
        (
            c"stop",
            stop::<T>,
            c"stop($self, name, /)\n--\n\nStops a segment and returns its seconds; None when disabled or not started.",
        ),
        (
            c"stop_and_start",
            stop_and_start::<T>,
            c"stop_and_start($self, stop, start, /)\n--\n\nStops one segment, starts another, and returns the seconds of the first.",
        ),
    ];
    let class = python.get_type::<T>();
    for (name, function, doc) in methods {
        let definition = Box::leak(Box::new(ffi::PyMethodDef {
            ml_name: name.as_ptr(),
            ml_meth: ffi::PyMethodDefPointer {
                PyCFunctionFast: function,
            },
            ml_flags: ffi::METH_FASTCALL,
            ml_doc: doc.as_ptr(),
        }));
        // SAFETY: a class and a definition that stay.
        let method = unsafe {
            let method = ffi::PyDescr_NewMethod(class.as_ptr().cast(), definition);
            Bound::from_owned_ptr_or_err(python, method)?
        };
        class.setattr(name.to_string_lossy().as_ref(), method)?;
    }
    Ok(())
}
