//! Starting and stopping a timer's segments.
//!
//! A segment is known by its name within a context; starting it again before it stopped nests.
//! Every segment leaves its duration in the timer's own history and, while laps are recorded,
//! a leaf span under the lap that was open at its start: aside, since segments may overlap.
//! What is kept of it stands in `fast/history.rs`.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use laptime_core::{PathId, SpanFlags};
use laptime_recorder::{self as recorder, Extra, Site, clock};
use pyo3::ffi;
use pyo3::prelude::*;

use super::gauge::{Begun, Gauge, Memory};
use super::history::{Kept, Segment};
use super::{methods, name, none, place};
use crate::entry::measuring;
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

/// How a timer measures, in all its contexts.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// What durations are measured by.
    pub clock: Clock,
    /// Whether CPU times are noted beside them.
    pub cpu: bool,
    /// Whether starts are kept, and a name may be any object.
    pub profiling: bool,
}

impl Settings {
    /// CPU time of the process and of the thread, each where it is asked for.
    fn cpu_ns(self) -> (u64, u64) {
        let asked = |clock, read: fn() -> u64| {
            if self.cpu || self.clock == clock {
                read()
            } else {
                0
            }
        };
        (
            asked(Clock::Process, clock::process_ns),
            asked(Clock::Thread, clock::thread_ns),
        )
    }
}

/// A segment that runs.
pub struct Running {
    ticks: u64,
    cpu_ns: (u64, u64),
    delay_ns: Option<u64>,
    outside: PathId,
    begun: Begun,
}

/// A duration as `stop` returns it.
enum Stopped {
    Ns(u64),
    /// Something that will know it.
    Later(Py<PyAny>),
}

/// Entries of a context's cache by the name object's address.
const CACHED: usize = 16;

/// A named set of segments.
pub struct Context {
    /// Its name.
    pub name: String,
    /// How its timer measures.
    pub settings: Settings,
    /// Whether it measures at all.
    pub is_on: Cell<bool>,
    /// Whether its timer does.
    pub timer_is_on: Arc<AtomicBool>,
    /// In order of their first start.
    pub segments: RefCell<Vec<Segment>>,
    gauge: RefCell<Arc<Gauge>>,
    /// Whether there is nothing but the clock to read.
    is_plain: Cell<bool>,
    by_key: RefCell<HashMap<(u32, bool), usize>>,
    /// Address of a name, which is kept alive, and its segment.
    cache: RefCell<[(*mut ffi::PyObject, usize); CACHED]>,
}

// SAFETY: every access holds the interpreter lock.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    /// An empty context.
    pub fn new(
        name: String,
        settings: Settings,
        gauge: Arc<Gauge>,
        timer_is_on: Arc<AtomicBool>,
    ) -> Self {
        Self {
            name,
            settings,
            is_on: Cell::new(true),
            timer_is_on,
            segments: RefCell::default(),
            is_plain: Cell::new(matches!(*gauge, Gauge::Clock)),
            gauge: RefCell::new(gauge),
            by_key: RefCell::default(),
            cache: RefCell::new([(null_mut(), 0); CACHED]),
        }
    }

    /// What is measured from now on beside the clock.
    pub fn measure(&self, gauge: Arc<Gauge>) {
        self.is_plain.set(matches!(*gauge, Gauge::Clock));
        let before = self.gauge.replace(gauge);
        drop(before);
    }

    /// What is measured beside the clock.
    pub fn gauge(&self) -> Arc<Gauge> {
        self.gauge.borrow().clone()
    }

    /// Whether it and its timer are on.
    #[inline]
    pub fn measures(&self) -> bool {
        self.is_on.get() && self.timer_is_on.load(Relaxed)
    }

    /// Forgets one segment, or all, running ones included.
    pub fn forget(&self, key: Option<(u32, bool)>) -> bool {
        let mut segments = self.segments.borrow_mut();
        let before = segments.len();
        let (kept, gone): (Vec<_>, Vec<_>) = segments
            .drain(..)
            .partition(|segment| key.is_some_and(|key| segment.key() != key));
        *segments = kept;
        let by_key = segments.iter().enumerate();
        *self.by_key.borrow_mut() = by_key.map(|(at, one)| (one.key(), at)).collect();
        for entry in self.cache.borrow_mut().iter_mut() {
            // SAFETY: the cache holds a reference to each name in it; a `str` runs no code when freed.
            unsafe { ffi::Py_XDECREF(std::mem::replace(&mut entry.0, null_mut())) };
        }
        let is_less = before > segments.len();
        drop(segments);
        // Only now: what they hold may run code when it goes.
        drop(gone);
        is_less
    }

    /// The name as a key; `None` with a Python error set when it is none.
    ///
    /// # Safety
    /// `given` is a live object, and the interpreter lock is held.
    pub unsafe fn key(&self, given: *mut ffi::PyObject) -> Option<(&'static Site, bool)> {
        // SAFETY: the caller's promise.
        unsafe {
            if ffi::PyUnicode_Check(given) != 0 {
                return Some((name::site(given)?, true));
            }
            if !self.settings.profiling {
                let python = Python::assume_attached();
                let given = Bound::from_borrowed_ptr(python, given);
                name::refused("a segment's name is a str", &given).restore(python);
                return None;
            }
            let shown = ffi::PyObject_Repr(given);
            if shown.is_null() {
                return None;
            }
            let site = name::site(shown);
            ffi::Py_DECREF(shown);
            Some((site?, false))
        }
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
        // SAFETY: the lock is held, and the object is the caller's argument.
        unsafe {
            let (site, is_text) = self.key(given)?;
            let at = self.add(Segment::new(site, is_text));
            if ffi::PyUnicode_CheckExact(given) != 0 {
                let mut cache = self.cache.borrow_mut();
                let place = &mut cache[(given.addr() >> 4) % CACHED];
                let old = std::mem::replace(place, (ffi::Py_NewRef(given), at));
                ffi::Py_XDECREF(old.0);
            }
            Some(at)
        }
    }

    /// Where the segment of that key stands; added when there is none.
    pub fn add(&self, segment: Segment) -> usize {
        let mut by_key = self.by_key.borrow_mut();
        *by_key.entry(segment.key()).or_insert_with(|| {
            let mut segments = self.segments.borrow_mut();
            segments.push(segment);
            segments.len() - 1
        })
    }

    /// Starts a segment; false with a Python error set when the name is none.
    #[inline]
    pub fn start(&self, given: *mut ffi::PyObject) -> bool {
        if self.is_plain.get() {
            return self.start_with(given, Begun::Nothing);
        }
        self.start_gauged(given)
    }

    #[inline(never)]
    fn start_gauged(&self, given: *mut ffi::PyObject) -> bool {
        // SAFETY: the lock is held.
        let python = unsafe { Python::assume_attached() };
        // The name first, so that no gauge begins for a wrong one.
        if self.find(given).is_none() {
            return false;
        }
        let begun = self.gauge().begin(python).unwrap_or_else(|error| {
            error.write_unraisable(python, None);
            Begun::Nothing
        });
        self.start_with(given, begun)
    }

    #[inline]
    fn start_with(&self, given: *mut ffi::PyObject, begun: Begun) -> bool {
        // SAFETY: the lock is held.
        let outside = unsafe { place::with(|_| recorder::current_path()) };
        let delay_ns = self.delay_ns();
        // Last, as looking for the place may run a finalizer that forgets segments.
        let Some(at) = self.find(given) else {
            return false;
        };
        let segment = &mut self.segments.borrow_mut()[at];
        // CPU time is read inside of the wall time it is the clock for, and outside when beside it.
        let is_clock = self.settings.clock != Clock::Wall;
        let before = if is_clock {
            (0, 0)
        } else {
            self.settings.cpu_ns()
        };
        let ticks = clock::now();
        segment.running.push(Running {
            ticks,
            cpu_ns: if is_clock {
                self.settings.cpu_ns()
            } else {
                before
            },
            delay_ns,
            outside,
            begun,
        });
        true
    }

    /// Stops a segment and returns its duration. `Err`: a Python error is set.
    #[inline]
    fn stop(&self, given: *mut ffi::PyObject) -> Result<Option<Stopped>, ()> {
        let is_clock = self.settings.clock != Clock::Wall;
        let before = if is_clock {
            self.settings.cpu_ns()
        } else {
            (0, 0)
        };
        let now = clock::now();
        let cpu_ns = if is_clock {
            before
        } else {
            self.settings.cpu_ns()
        };
        let at = self.find(given).ok_or(())?;
        if !self.is_plain.get() {
            return Ok(self.stop_gauged(at, now, cpu_ns));
        }
        let segment = &mut self.segments.borrow_mut()[at];
        let Some(running) = segment.running.pop() else {
            return Ok(None);
        };
        let kept = self.finished(segment.site, &running, now, cpu_ns);
        segment.keep(kept, self.settings, Memory::NOT_READ);
        Ok(Some(Stopped::Ns(kept.elapsed_ns)))
    }

    #[inline(never)]
    fn stop_gauged(&self, at: usize, now: u64, cpu_ns: (u64, u64)) -> Option<Stopped> {
        // SAFETY: the lock is held.
        let python = unsafe { Python::assume_attached() };
        let (running, site, id) = {
            let segment = &mut self.segments.borrow_mut()[at];
            (segment.running.pop(), segment.site, segment.id)
        };
        let mut running = running?;
        let kept = self.finished(site, &running, now, cpu_ns);
        let begun = std::mem::replace(&mut running.begun, Begun::Nothing);
        let (memory, elapsed) = match self.gauge().end(python, begun) {
            Ok(ended) => (ended.memory, ended.elapsed),
            Err(error) => {
                error.write_unraisable(python, None);
                (Memory::NOT_READ, None)
            }
        };
        // Python code ran: the segment may stand elsewhere, or be gone.
        let mut segments = self.segments.borrow_mut();
        if let Some(segment) = segments.iter_mut().find(|segment| segment.id == id) {
            segment.keep(kept, self.settings, memory);
            if let Some(elapsed) = &elapsed {
                segment.keep_for_later(elapsed.clone_ref(python));
            }
        }
        drop(segments);
        self.settle_some(python);
        Some(elapsed.map_or(Stopped::Ns(kept.elapsed_ns), Stopped::Later))
    }

    /// The figures of a segment that ends, and its span.
    #[inline]
    fn finished(
        &self,
        site: &'static Site,
        running: &Running,
        now: u64,
        cpu_ns: (u64, u64),
    ) -> Kept {
        let ticks = now.saturating_sub(running.ticks);
        let process_ns = cpu_ns.0.saturating_sub(running.cpu_ns.0);
        let thread_ns = cpu_ns.1.saturating_sub(running.cpu_ns.1);
        let Settings { clock, cpu, .. } = self.settings;
        if recorder::is_on() {
            let extra = Extra {
                flags: SpanFlags::ASIDE,
                process_ns: (cpu || clock == Clock::Process).then_some(process_ns),
                thread_ns: (cpu || clock == Clock::Thread).then_some(thread_ns),
                ..Extra::default()
            };
            recorder::emit_under(running.outside, site, running.ticks, ticks, extra);
        }
        Kept {
            started: running.ticks,
            elapsed_ns: match clock {
                Clock::Wall => (ticks as f64 * rate::ns_per_tick(now)).round() as u64,
                Clock::Process => process_ns,
                Clock::Thread => thread_ns,
            },
            process_ns,
            thread_ns,
            delayed_ns: running
                .delay_ns
                .and_then(|before| Some(self.delay_ns()?.saturating_sub(before))),
        }
    }

    /// The thread's run delay so far, where CPU times are asked for.
    #[inline]
    fn delay_ns(&self) -> Option<u64> {
        if self.settings.cpu {
            recorder::delay_ns()
        } else {
            None
        }
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
    measuring(none, || unsafe {
        match single(arguments, count) {
            Some(given) => start_one(context::<T>(this), given),
            None => null_mut(),
        }
    })
}

/// `start`, unless nothing is measured; `None`, or null with a Python error set.
#[inline]
pub fn start_one(context: &Context, given: *mut ffi::PyObject) -> *mut ffi::PyObject {
    if context.measures() && !context.start(given) {
        return null_mut();
    }
    none()
}

/// `stop`, unless nothing is measured: the duration, `None`, or null with a Python error set.
pub unsafe fn stop_one(context: &Context, given: *mut ffi::PyObject) -> *mut ffi::PyObject {
    if !context.measures() {
        return none();
    }
    match context.stop(given) {
        // SAFETY: the lock is held.
        Ok(Some(Stopped::Ns(ns))) => unsafe { ffi::PyFloat_FromDouble(ns as f64 / 1e9) },
        Ok(Some(Stopped::Later(elapsed))) => elapsed.into_ptr(),
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
    measuring(none, || unsafe {
        match single(arguments, count) {
            Some(given) => stop_one(context::<T>(this), given),
            None => null_mut(),
        }
    })
}

unsafe extern "C" fn stop_and_start<T: HasContext>(
    this: *mut ffi::PyObject,
    arguments: *mut *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    // SAFETY: called by the interpreter as a method of `T`, with `count` arguments.
    measuring(none, || unsafe {
        if count != 2 {
            let message = c"expected the segment to stop and the segment to start";
            ffi::PyErr_SetString(ffi::PyExc_TypeError, message.as_ptr());
            return null_mut();
        }
        let context = context::<T>(this);
        stop_then_start(context, *arguments, *arguments.add(1))
    })
}

/// Stops the one, starts the other, and gives the duration of the first.
///
/// # Safety
/// Live objects, with the lock held.
pub unsafe fn stop_then_start(
    context: &Context,
    stop: *mut ffi::PyObject,
    start: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the caller's promise; what is not handed on is released.
    unsafe {
        let elapsed = stop_one(context, stop);
        if elapsed.is_null() {
            return elapsed;
        }
        let started = start_one(context, start);
        if started.is_null() {
            ffi::Py_DECREF(elapsed);
            return started;
        }
        ffi::Py_DECREF(started);
        elapsed
    }
}

/// Puts the three methods into the class; their definitions live as long as the process.
pub fn add_methods<T: HasContext>(python: Python<'_>) -> PyResult<()> {
    let table: [(&'static std::ffi::CStr, ffi::PyCFunctionFast, &'static std::ffi::CStr); 3] = [
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
    for (name, function, doc) in table {
        let function = ffi::PyMethodDefPointer {
            PyCFunctionFast: function,
        };
        methods::add(&class, name, function, ffi::METH_FASTCALL, doc)?;
    }
    Ok(())
}
