//! The builtin `lap`: a name to its handle, or a function to its timed twin.
//!
//! Names that stand in source code are always the same object, so a small table keyed by the
//! object's address answers first; it keeps the `str` alive, so an address means one name.

use std::collections::HashMap;
use std::ffi::c_int;
use std::ptr::null_mut;

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;

use laptime_core::SpanWork;
use laptime_recorder::Site;

use super::decorate::decorate;
use super::handle::{self, TYPES, raise};
use super::{kinds, work};
use crate::entry::{measuring, raised};
use crate::fast::{Locked, name};
use crate::jax::launches;

/// Entries of the table by address: 16 kB.
const CACHED: usize = 1_024;
/// Longest name that is kept alive for good, in characters.
const MAX_CACHED_LENGTH: isize = 256;

#[derive(Clone, Copy)]
struct Entry {
    name: *mut ffi::PyObject,
    handle: *mut ffi::PyObject,
}

static CACHE: Locked<[Entry; CACHED]> = Locked::new(
    [Entry {
        name: null_mut(),
        handle: null_mut(),
    }; CACHED],
);

/// A handle that records nothing, for names that get none: the memory is used up, or a mistake of ours.
static SPARE: Locked<*mut ffi::PyObject> = Locked::new(null_mut());

/// Handles with a type of their own, by the site's index.
static OWN: Locked<Option<HashMap<u32, usize>>> = Locked::new(None);

const DOC: &std::ffi::CStr = c"lap(name, /, *, flop=None, bytes=None)\n--\n\n\
A lap: `with lap(\"forward\"): ...`, `async with`, `@lap(\"name\")`, or `@lap` on a function.\n\n\
`flop` and `bytes` say what it does: floating-point operations, and bytes read and written.";

static DEFINITION: Locked<ffi::PyMethodDef> = Locked::new(ffi::PyMethodDef {
    ml_name: c"lap".as_ptr(),
    ml_meth: ffi::PyMethodDefPointer {
        PyCFunctionFastWithKeywords: lap,
    },
    ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
    ml_doc: DOC.as_ptr(),
});

/// The builtin itself; the types of handles are made before it.
pub fn builtin(python: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    // SAFETY: a static definition; the module's name is a `str`.
    unsafe {
        let spare = pyo3::types::PyString::intern(python, "lap");
        let site = Site::intern("lap");
        *SPARE.get() = handle::instance(python, TYPES.get().idle, spare.as_ptr(), site)?;
        let module = ffi::PyUnicode_InternFromString(c"laptime".as_ptr());
        let function = ffi::PyCFunction_NewEx(&raw mut *DEFINITION.get(), null_mut(), module);
        ffi::Py_XDECREF(module);
        Bound::from_owned_ptr_or_err(python, function)
    }
}

/// What stands for a name that gets no site, after a mistake of ours.
pub fn spare() -> &'static Site {
    // SAFETY: made with the module, and never freed.
    unsafe { handle::handle(*SPARE.get()) }.site
}

#[inline]
fn place_of(name: *mut ffi::PyObject) -> usize {
    // Objects lie at multiples of 16; the multiplication spreads neighbours.
    ((name.addr() >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) % CACHED
}

unsafe extern "C" fn lap(
    _module: *mut ffi::PyObject,
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    if count == 1 && keywords.is_null() {
        // SAFETY: one argument; the lock is held, and nothing below runs Python code.
        unsafe {
            let argument = *arguments;
            if let Some(entry) = CACHE.get().get(place_of(argument))
                && entry.name == argument
            {
                return ffi::Py_NewRef(entry.handle);
            }
        }
    }
    // SAFETY: called by the interpreter.
    unsafe {
        let lap = measuring(
            || instead(arguments, count),
            || lap_slowly(arguments, count, keywords),
        );
        if lap.is_null() && ffi::PyErr_ExceptionMatches(ffi::PyExc_MemoryError) != 0 {
            ffi::PyErr_Clear();
            return instead(arguments, count);
        }
        lap
    }
}

/// What a call gives where there is no memory for a lap, or after a mistake of ours: the function as it is,
/// or a lap that records nothing.
///
/// # Safety
/// The interpreter passes `count` arguments and holds the lock.
#[cold]
unsafe fn instead(arguments: *const *mut ffi::PyObject, count: isize) -> *mut ffi::PyObject {
    // SAFETY: the caller's promise; the spare is made with the module.
    unsafe {
        if count != 1 || ffi::PyUnicode_Check(*arguments) != 0 {
            return ffi::Py_NewRef(*SPARE.get());
        }
        if ffi::PyCallable_Check(*arguments) == 0 && !is_descriptor(*arguments) {
            return ffi::PyErr_NoMemory(); // a mistake of the program's, which there is no memory to tell
        }
        ffi::Py_NewRef(*arguments)
    }
}

#[cold]
#[inline(never)]
unsafe fn lap_slowly(
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: called by the interpreter, which holds the lock and passes `count` arguments.
    unsafe {
        let python = Python::assume_attached();
        let has_keywords = !keywords.is_null() && ffi::PyTuple_Size(keywords) > 0;
        let work = if has_keywords {
            match work::of_call(python, keywords, arguments.offset(count)) {
                Ok(work) => work,
                Err(error) => return raise(python, error),
            }
        } else {
            SpanWork::default()
        };
        if count != 1 {
            Err(PyTypeError::new_err(format!(
                "lap() takes one name or function ({count} given)"
            )))
        } else if ffi::PyUnicode_Check(*arguments) != 0 && has_keywords {
            match name::site(*arguments) {
                Some(site) => handle::worked(python, *arguments, site, work),
                None => Err(raised(python)),
            }
        } else if ffi::PyUnicode_Check(*arguments) != 0 {
            find(python, *arguments)
        } else if ffi::PyCallable_Check(*arguments) != 0 || is_descriptor(*arguments) {
            return decorate(python, *arguments, None, work);
        } else {
            let given = Bound::from_borrowed_ptr(python, *arguments);
            Err(name::refused(
                "lap() takes a name (str) or a function",
                &given,
            ))
        }
        .unwrap_or_else(|error| raise(python, error))
    }
}

/// Whether it is a `classmethod`, which is not callable by itself.
unsafe fn is_descriptor(object: *mut ffi::PyObject) -> bool {
    // SAFETY: a live object, with the lock held.
    unsafe { ffi::PyObject_TypeCheck(object, &raw mut ffi::PyClassMethod_Type) as c_int != 0 }
}

/// The handle of a name, as a new reference.
///
/// # Safety
/// `given` is a `str` and the lock is held.
pub unsafe fn find(python: Python<'_>, given: *mut ffi::PyObject) -> PyResult<*mut ffi::PyObject> {
    // SAFETY: the caller's promise; tables are read and written without running Python code in
    // between, except where an entry is replaced: there the new one stands before the old goes.
    unsafe {
        let Some(site) = name::site(given) else {
            return Err(raised(python));
        };
        let known = OWN
            .get()
            .get_or_insert_default()
            .get(&site.index())
            .copied();
        if known.is_none() && launches::is_due(python) {
            kinds::look_at_laps();
        }
        let may_own = OWN.get().get_or_insert_default().len() < kinds::OWN_TYPES
            && ffi::PyUnicode_GetLength(given) <= MAX_CACHED_LENGTH;
        // Without the memory for a type it shares one.
        let own = (known.is_none() && may_own)
            .then(|| kinds::with_own_type(python, given, site).ok())
            .flatten();
        if let Some(own) = own {
            OWN.get()
                .get_or_insert_default()
                .insert(site.index(), ffi::Py_NewRef(own).addr());
        }
        let object = match (known, own) {
            (Some(known), _) => ffi::Py_NewRef(known as *mut ffi::PyObject),
            (None, Some(own)) => own,
            (None, None) => handle::instance(python, TYPES.get().base, given, site)?,
        };
        if ffi::PyUnicode_CheckExact(given) != 0
            && ffi::PyUnicode_GetLength(given) <= MAX_CACHED_LENGTH
        {
            let entry = &mut CACHE.get()[place_of(given)];
            let old = std::mem::replace(
                entry,
                Entry {
                    name: ffi::Py_NewRef(given),
                    handle: ffi::Py_NewRef(object),
                },
            );
            ffi::Py_XDECREF(old.name);
            ffi::Py_XDECREF(old.handle);
        }
        Ok(object)
    }
}
