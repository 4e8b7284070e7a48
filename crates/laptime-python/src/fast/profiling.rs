//! Starting and stopping the segments of a `ProfilingTimer`.
//!
//! As a timer's (`fast/timer.rs`), but a call names its context too, both have defaults, and
//! both may be any object. What else the class does stands in `profiling.rs`.

use std::cell::{Cell, RefCell};
use std::ffi::CStr;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use pyo3::ffi;
use pyo3::prelude::*;

use super::gauge::Gauge;
use super::timer::{Clock, Context, Settings, start_one, stop_one, stop_then_start};
use super::{methods, name, none};
use crate::entry::measuring;

/// Name of the context that a call without one means.
pub const MAIN: &str = "main";

/// The contexts of a profiling timer.
pub struct Contexts {
    /// In the order of their first use.
    pub list: RefCell<Vec<Arc<Context>>>,
    /// Names of those that are off, whether there are such contexts or not.
    pub off: RefCell<Vec<String>>,
    /// Whether anything is measured.
    pub is_on: Arc<AtomicBool>,
    /// What all of them measure beside the clock.
    pub gauge: RefCell<Arc<Gauge>>,
    /// The context asked for last by an exact string, which is kept alive.
    last: Cell<(*mut ffi::PyObject, usize)>,
    /// The name of a call without one.
    default_name: Py<PyAny>,
}

impl Contexts {
    /// Only the main one, measuring host time.
    pub fn new(default_name: Py<PyAny>) -> Self {
        let contexts = Self {
            list: RefCell::default(),
            off: RefCell::default(),
            is_on: Arc::new(AtomicBool::new(true)),
            gauge: RefCell::new(Arc::new(Gauge::Clock)),
            last: Cell::new((null_mut(), 0)),
            default_name,
        };
        contexts.add(MAIN);
        contexts
    }

    /// Where the context of that name stands.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.list.borrow().iter().position(|one| one.name == name)
    }

    /// The same; made when there is none.
    pub fn add(&self, name: &str) -> usize {
        self.position(name).unwrap_or_else(|| {
            let settings = Settings {
                clock: Clock::Wall,
                cpu: false,
                profiling: true,
            };
            let gauge = self.gauge.borrow().clone();
            let made = Context::new(name.to_owned(), settings, gauge, self.is_on.clone());
            made.is_on
                .set(!self.off.borrow().iter().any(|off| off == name));
            let mut list = self.list.borrow_mut();
            list.push(Arc::new(made));
            list.len() - 1
        })
    }

    /// Forgets all but an empty main one.
    pub fn clear(&self) {
        let last = self.last.replace((null_mut(), 0));
        let gone = std::mem::take(&mut *self.list.borrow_mut());
        self.add(MAIN);
        // SAFETY: a string that this kept alive, with the lock held; `null` is fine.
        unsafe { ffi::Py_XDECREF(last.0) };
        drop(gone);
    }

    /// The context that an argument means. `None`: a Python error is set.
    #[inline]
    unsafe fn find(&self, given: *mut ffi::PyObject) -> Option<Arc<Context>> {
        // SAFETY: the caller passes a live object and holds the lock.
        if given.is_null() || given == unsafe { ffi::Py_None() } {
            return Some(self.list.borrow()[0].clone());
        }
        let (known, at) = self.last.get();
        if known == given {
            return Some(self.list.borrow()[at].clone());
        }
        // SAFETY: as above.
        unsafe { self.find_slowly(given) }
    }

    #[inline(never)]
    unsafe fn find_slowly(&self, given: *mut ffi::PyObject) -> Option<Arc<Context>> {
        // SAFETY: the caller's promise; what is made here is released here.
        unsafe {
            let shown = ffi::PyObject_Str(given);
            if shown.is_null() {
                return None;
            }
            let site = name::site(shown);
            ffi::Py_DECREF(shown);
            let at = self.add(site?.name());
            if ffi::PyUnicode_CheckExact(given) != 0 {
                let old = self.last.replace((ffi::Py_NewRef(given), at));
                ffi::Py_XDECREF(old.0);
            }
            Some(self.list.borrow()[at].clone())
        }
    }
}

impl Drop for Contexts {
    fn drop(&mut self) {
        // SAFETY: dropped by a Python object only, so the lock is held.
        unsafe { ffi::Py_XDECREF(self.last.get().0) };
    }
}

/// What a `ProfilingTimer` is made from.
#[pyclass(frozen, subclass, module = "laptime._core")]
pub struct ProfilingSegments {
    /// Its contexts.
    pub contexts: Locked,
}

/// Contexts, reached with the interpreter lock only.
pub struct Locked(pub Contexts);

// SAFETY: every access holds the interpreter lock.
unsafe impl Send for Locked {}
// SAFETY: as above.
unsafe impl Sync for Locked {}

/// The contexts of `self`.
unsafe fn contexts<'a>(this: *mut ffi::PyObject) -> &'a Contexts {
    // SAFETY: called as a method of the class, whose object outlives the call.
    unsafe {
        let object = Bound::from_borrowed_ptr(Python::assume_attached(), this);
        let contexts: *const Contexts = &raw const object
            .cast_unchecked::<ProfilingSegments>()
            .get()
            .contexts
            .0;
        &*contexts
    }
}

/// The arguments by position or name; null where there is none. `None`: a Python error is set.
unsafe fn arguments<const N: usize>(
    names: [&CStr; N],
    given: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
) -> Option<[*mut ffi::PyObject; N]> {
    let mut found = [null_mut(); N];
    let count = count as usize;
    // SAFETY: the interpreter passes that many arguments, then one for each keyword.
    unsafe {
        if count > N {
            let message = c"too many arguments: expected names of segments and a context";
            ffi::PyErr_SetString(ffi::PyExc_TypeError, message.as_ptr());
            return None;
        }
        for (at, place) in found.iter_mut().enumerate().take(count) {
            *place = *given.add(at);
        }
        if keywords.is_null() {
            return Some(found);
        }
        for at in 0..ffi::PyTuple_Size(keywords) {
            let keyword = ffi::PyTuple_GetItem(keywords, at);
            let is_it =
                |name: &&CStr| ffi::PyUnicode_CompareWithASCIIString(keyword, name.as_ptr()) == 0;
            match names.iter().position(is_it) {
                Some(place) if found[place].is_null() => {
                    found[place] = *given.add(count + at as usize);
                }
                _ => {
                    let message = c"unexpected or repeated argument %R".as_ptr();
                    ffi::PyErr_Format(ffi::PyExc_TypeError, message, keyword);
                    return None;
                }
            }
        }
    }
    Some(found)
}

/// The name that an argument means.
fn named(contexts: &Contexts, given: *mut ffi::PyObject) -> *mut ffi::PyObject {
    if given.is_null() {
        contexts.default_name.as_ptr()
    } else {
        given
    }
}

unsafe extern "C" fn start(
    this: *mut ffi::PyObject,
    given: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: called by the interpreter as a method of the class.
    measuring(none, || unsafe {
        let contexts = contexts(this);
        let Some([name, context]) = arguments([c"name", c"context"], given, count, keywords) else {
            return null_mut();
        };
        if !contexts.is_on.load(std::sync::atomic::Ordering::Relaxed) {
            return none();
        }
        contexts.find(context).map_or(null_mut(), |context| {
            start_one(&context, named(contexts, name))
        })
    })
}

unsafe extern "C" fn stop(
    this: *mut ffi::PyObject,
    given: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: called by the interpreter as a method of the class.
    measuring(none, || unsafe {
        let contexts = contexts(this);
        let Some([name, context]) = arguments([c"name", c"context"], given, count, keywords) else {
            return null_mut();
        };
        contexts.find(context).map_or(null_mut(), |context| {
            stop_one(&context, named(contexts, name))
        })
    })
}

unsafe extern "C" fn stop_and_start(
    this: *mut ffi::PyObject,
    given: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    const NAMES: [&CStr; 3] = [c"stop_name", c"start_name", c"context"];
    // SAFETY: called by the interpreter as a method of the class.
    measuring(none, || unsafe {
        let contexts = contexts(this);
        let Some([stop, start, context]) = arguments(NAMES, given, count, keywords) else {
            return null_mut();
        };
        let Some(context) = contexts.find(context) else {
            return null_mut();
        };
        let is_given = |name: *mut ffi::PyObject| !name.is_null() && name != ffi::Py_None();
        match (is_given(stop), is_given(start)) {
            (true, true) => stop_then_start(&context, stop, start),
            (true, false) => stop_one(&context, stop),
            (false, true) => start_one(&context, start),
            (false, false) => none(),
        }
    })
}

/// Puts the methods into the class; their definitions live as long as the process.
pub fn add_methods(python: Python<'_>) -> PyResult<()> {
    let table: [(&'static CStr, ffi::PyCFunctionFastWithKeywords, &'static CStr); 4] = [
        (c"start", start, c"start($self, name='default', context=None)\n--\n\nStarts a segment."),
        (c"stop", stop, c"stop($self, name='default', context=None)\n--\n\nStops a segment and returns its seconds; None when disabled or not started."),
        (c"end", stop, c"end($self, name='default', context=None)\n--\n\nThe same as stop."),
        (c"stop_and_start", stop_and_start, c"stop_and_start($self, stop_name=None, start_name=None, context=None)\n--\n\nStops one segment, starts another, and returns the seconds of the first."),
    ];
    let class = python.get_type::<ProfilingSegments>();
    for (name, function, doc) in table {
        let function = ffi::PyMethodDefPointer {
            PyCFunctionFastWithKeywords: function,
        };
        methods::add(
            &class,
            name,
            function,
            ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
            doc,
        )?;
    }
    Ok(())
}
