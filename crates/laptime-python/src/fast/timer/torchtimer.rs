//! `start`, `stop`, `end` and `stop_and_start` of a `ProfilingTimer`.
//!
//! A call names its context too, both names have defaults, and both may be any object. What the
//! class does besides stands in `crate::torchtimer`.

use std::cell::RefCell;
use std::ffi::CStr;
use std::ptr::null_mut;
use std::sync::Arc;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::context::Context;
use super::contexts::Contexts;
use super::gauge::Gauge;
use super::methods::{self as segment, START, STOP, STOP_AND_START, What};
use super::settings::{Clock, Settings};
use crate::entry::measuring_lap;
use crate::fast::{methods, name, none};

/// How every `ProfilingTimer` measures.
const SETTINGS: Settings = Settings {
    clock: Clock::Wall,
    cpu: false,
    profiling: true,
};

/// What a `ProfilingTimer` is made from.
#[pyclass(frozen, subclass, module = "laptime._core")]
pub struct ProfilingSegments {
    /// The timer's contexts.
    pub contexts: Contexts,
    /// The name of a segment that is given none.
    default_name: Py<PyAny>,
    last: Last,
}

/// The context that was asked for last by an exact string, and that string.
#[derive(Default)]
struct Last(RefCell<Option<(Py<PyAny>, Arc<Context>)>>);

// SAFETY: every access holds the interpreter lock.
unsafe impl Send for Last {}
// SAFETY: as above.
unsafe impl Sync for Last {}

impl ProfilingSegments {
    /// Only the main context, measuring host time.
    pub fn empty(python: Python<'_>) -> Self {
        Self {
            contexts: Contexts::new(SETTINGS, Gauge::Clock),
            default_name: PyString::intern(python, "default").into_any().unbind(),
            last: Last::default(),
        }
    }

    /// Forgets all but an empty main context.
    pub fn forget(&self) {
        let last = self.last.0.take();
        self.contexts.clear();
        drop(last);
    }

    /// The context that an argument means. `None`: a Python error is set.
    ///
    /// # Safety
    /// `given` is a live object or null, and the lock is held.
    #[inline]
    unsafe fn find(&self, given: *mut ffi::PyObject) -> Option<Arc<Context>> {
        // SAFETY: the caller's promise.
        if given.is_null() || given == unsafe { ffi::Py_None() } {
            return Some(self.contexts.main.clone());
        }
        if let Some((known, context)) = &*self.last.0.borrow()
            && known.as_ptr() == given
        {
            return Some(context.clone());
        }
        // SAFETY: the caller's promise.
        let given = unsafe { Bound::from_borrowed_ptr(Python::assume_attached(), given) };
        self.find_slowly(&given)
    }

    #[inline(never)]
    fn find_slowly(&self, given: &Bound<'_, PyAny>) -> Option<Arc<Context>> {
        let python = given.py();
        let shown = given.str().map_err(|error| error.restore(python)).ok()?;
        // SAFETY: a `str`, with the lock held.
        let site = unsafe { name::site(shown.as_ptr()) }?;
        let context = self.contexts.find_or_make(site.name());
        if given.is_exact_instance_of::<PyString>() {
            let new = (given.clone().unbind(), context.clone());
            let old = self.last.0.replace(Some(new));
            // Bound, so that it is released at once.
            drop(old.map(|(name, context)| (name.into_bound(python), context)));
        }
        Some(context)
    }

    /// The name that an argument means.
    fn named(&self, given: *mut ffi::PyObject) -> *mut ffi::PyObject {
        if given.is_null() {
            self.default_name.as_ptr()
        } else {
            given
        }
    }
}

/// The timer that a method is called on.
///
/// # Safety
/// `this` is an instance that outlives the reference, and the lock is held.
unsafe fn timer<'a>(this: *mut ffi::PyObject) -> &'a ProfilingSegments {
    // SAFETY: the caller's promise.
    unsafe {
        let object = Bound::from_borrowed_ptr(Python::assume_attached(), this);
        let timer: *const ProfilingSegments = object.cast_unchecked().get();
        &*timer
    }
}

/// The arguments by position or name; null where there is none. `None`: a Python error is set.
unsafe fn arguments(
    names: &[&CStr],
    given: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
) -> Option<[*mut ffi::PyObject; 3]> {
    let mut found = [null_mut(); 3];
    let count = count as usize;
    // SAFETY: the interpreter passes that many arguments, then one for each keyword.
    unsafe {
        if count > names.len() {
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

unsafe extern "C" fn method<const WHAT: What>(
    this: *mut ffi::PyObject,
    given: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    let names: &[&CStr] = match WHAT {
        STOP_AND_START => &[c"stop_name", c"start_name", c"context"],
        _ => &[c"name", c"context"],
    };
    // SAFETY: called by the interpreter as a method of the class.
    measuring_lap(none, || unsafe {
        let timer = timer(this);
        let Some(found) = arguments(names, given, count, keywords) else {
            return null_mut();
        };
        if WHAT == START && !timer.contexts.is_on() {
            return none();
        }
        let Some(context) = timer.find(found[names.len() - 1]) else {
            return null_mut();
        };
        let [one, other, _] = found;
        let is_given = |name: *mut ffi::PyObject| !name.is_null() && name != ffi::Py_None();
        match WHAT {
            START => segment::start(&context, timer.named(one)),
            STOP => segment::stop(&context, timer.named(one)),
            _ => match (is_given(one), is_given(other)) {
                (true, true) => segment::stop_and_start(&context, one, other),
                (true, false) => segment::stop(&context, one),
                (false, true) => segment::start(&context, other),
                (false, false) => none(),
            },
        }
    })
}

/// Puts the methods into the class; their definitions live as long as the process.
pub fn add_methods(python: Python<'_>) -> PyResult<()> {
    let table: [(&'static CStr, ffi::PyCFunctionFastWithKeywords, &'static CStr); 4] = [
        (c"start", method::<START>, c"start($self, name='default', context=None)\n--\n\nStarts a segment."),
        (c"stop", method::<STOP>, c"stop($self, name='default', context=None)\n--\n\nStops a segment and returns its seconds; None when disabled or not started."),
        (c"end", method::<STOP>, c"end($self, name='default', context=None)\n--\n\nStops a segment, as stop does."),
        (c"stop_and_start", method::<STOP_AND_START>, c"stop_and_start($self, stop_name=None, start_name=None, context=None)\n--\n\nStops one segment, starts another, and returns the seconds of the first."),
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
