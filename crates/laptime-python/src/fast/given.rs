//! Laps that are given their work: `lt.lap("gemm", flop=…, bytes=…)`.
//!
//! Such a handle is an instance of one type of its own, below that of all handles: only its
//! `__enter__` does more, so handles without work stay as fast as they are. `lap.flop = …`
//! inside a `with` reaches the innermost open span of that name here, whatever its handle.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use laptime_core::SpanWork;
use laptime_recorder::{self as recorder, Site};
use pyo3::exceptions::{PyAttributeError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat};

use super::handle::{self, Handle};
use super::{Locked, span};
use crate::entry::measuring;
use crate::jax::launches;

/// The keywords, and the attributes.
pub const KEYWORDS: [&str; 2] = ["flop", "bytes"];

/// A handle with its work.
#[repr(C)]
struct Given {
    handle: Handle,
    work: Work,
}

/// [`SpanWork`] in words: an object of Python's lies where 8 divides its address.
#[repr(C)]
#[derive(Clone, Copy)]
struct Work([Option<[u64; 2]>; 2]);

impl Work {
    fn new(work: SpanWork) -> Self {
        let words = |amount: u128| [(amount >> 64) as u64, amount as u64];
        Self([work.flop.map(words), work.bytes.map(words)])
    }

    fn get(self) -> SpanWork {
        let whole = |[upper, lower]: [u64; 2]| u128::from(upper) << 64 | u128::from(lower);
        let [flop, bytes] = self.0.map(|words| words.map(whole));
        SpanWork { flop, bytes }
    }
}

static KIND: Locked<*mut ffi::PyTypeObject> = Locked::new(null_mut());

/// A whole number from Python; `None` stands for nothing said.
pub fn amount(what: &str, given: &Bound<'_, PyAny>) -> PyResult<Option<u128>> {
    if given.is_none() {
        return Ok(None);
    }
    let wrong = |kind: fn(String) -> PyErr| {
        let shown = given.repr().map(|repr| repr.to_string());
        kind(format!(
            "{what} of a lap is a whole number from 0 on, not {}",
            shown.unwrap_or_default()
        ))
    };
    if given.is_instance_of::<PyBool>() {
        return Err(wrong(PyTypeError::new_err));
    }
    if let Ok(float) = given.cast::<PyFloat>() {
        let value = float.value();
        let is_whole = value >= 0.0 && value < 2_f64.powi(128) && value.fract() == 0.0;
        return if is_whole {
            Ok(Some(value as u128))
        } else {
            Err(wrong(PyValueError::new_err))
        };
    }
    match given.extract::<u128>() {
        Ok(number) => Ok(Some(number)),
        Err(error) if error.is_instance_of::<PyTypeError>(given.py()) => {
            Err(wrong(PyTypeError::new_err))
        }
        Err(_) => Err(wrong(PyValueError::new_err)),
    }
}

/// The work in keywords.
///
/// # Safety
/// `values` has as many as `keywords`, which is a tuple of `str`, and the lock is held.
pub unsafe fn work(
    python: Python<'_>,
    keywords: *mut ffi::PyObject,
    values: *const *mut ffi::PyObject,
) -> PyResult<SpanWork> {
    let mut work = SpanWork::default();
    // SAFETY: the caller's promise.
    for index in 0..unsafe { ffi::PyTuple_Size(keywords) } {
        // SAFETY: as above.
        let (keyword, value) = unsafe {
            let keyword = ffi::PyTuple_GetItem(keywords, index);
            (
                Bound::from_borrowed_ptr(python, keyword),
                Bound::from_borrowed_ptr(python, *values.offset(index)),
            )
        };
        let keyword: String = keyword.extract()?;
        let place = match keyword.as_str() {
            "flop" => &mut work.flop,
            "bytes" => &mut work.bytes,
            _ => {
                return Err(PyTypeError::new_err(format!(
                    "lap() takes flop= and bytes=, not {keyword:?}"
                )));
            }
        };
        *place = amount(&keyword, &value)?;
    }
    Ok(work)
}

/// The work as keywords for Python.
pub fn keywords(python: Python<'_>, work: SpanWork) -> PyResult<Bound<'_, PyDict>> {
    let keywords = PyDict::new(python);
    for (keyword, amount) in KEYWORDS.into_iter().zip([work.flop, work.bytes]) {
        keywords.set_item(keyword, amount)?;
    }
    Ok(keywords)
}

/// A handle with work, as a new reference.
///
/// # Safety
/// `name` is a `str` and the lock is held.
pub unsafe fn handle(
    python: Python<'_>,
    name: *mut ffi::PyObject,
    site: &'static Site,
    work: SpanWork,
) -> PyResult<*mut ffi::PyObject> {
    let kind = kind(python)?;
    // SAFETY: a type made here, so instances have the size of `Given`.
    unsafe {
        let object = handle::instance(python, kind, name, site)?;
        (&raw mut (*object.cast::<Given>()).work).write(Work::new(work));
        Ok(object)
    }
}

/// # Safety
/// `this` is an instance of the type made here.
unsafe fn given_of<'a>(this: *mut ffi::PyObject) -> &'a Given {
    // SAFETY: the caller's promise.
    unsafe { &*this.cast::<Given>() }
}

/// Opens the span and says what it does.
///
/// # Safety
/// `this` is an instance of the type made here, and the lock is held.
unsafe fn open(this: *mut ffi::PyObject) {
    // SAFETY: the caller's promise.
    let given = unsafe { given_of(this) };
    // SAFETY: as above.
    let begin = || unsafe {
        let open = if launches::is_on() {
            launches::open(given.handle.site)
        } else {
            span::open(given.handle.site)
        };
        if let Some(open) = open {
            span::at(|| recorder::give(open, given.work.get()));
        }
    };
    measuring(|| (), begin);
}

unsafe extern "C" fn enter(
    this: *mut ffi::PyObject,
    _arguments: *mut *mut ffi::PyObject,
    _count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    // SAFETY: called by the interpreter with an instance.
    unsafe {
        open(this);
        ffi::Py_NewRef(this)
    }
}

unsafe extern "C" fn enter_async(
    this: *mut ffi::PyObject,
    _arguments: *mut *mut ffi::PyObject,
    _count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    // SAFETY: called by the interpreter with an instance.
    unsafe {
        open(this);
        handle::ready(this)
    }
}

/// `lap("gemm", flop=…)(function)`.
unsafe extern "C" fn call(
    this: *mut ffi::PyObject,
    arguments: *mut ffi::PyObject,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the interpreter passes an instance, a tuple, and a dictionary or null.
    unsafe { handle::decorate_only(this, arguments, keywords, given_of(this).work.get()) }
}

/// The work that a handle was made with; `None` where it is not one of those.
///
/// # Safety
/// `this` is a handle and the lock is held.
pub unsafe fn own_work(this: *mut ffi::PyObject) -> Option<SpanWork> {
    // SAFETY: the caller's promise; an instance of the type made here has its size.
    unsafe {
        let is_given = KIND.get().cast() == ffi::Py_TYPE(this);
        is_given.then(|| given_of(this).work.get())
    }
}

/// Reads `flop` or `bytes`; `closure` is the index of the keyword.
pub unsafe extern "C" fn get(this: *mut ffi::PyObject, closure: *mut c_void) -> *mut ffi::PyObject {
    // SAFETY: called by the interpreter with a handle.
    let read = || unsafe {
        let python = Python::assume_attached();
        let site = handle::site(this);
        let open = span::at(|| recorder::innermost_of(site).map(recorder::given));
        let own = own_work(this);
        let work = own.unwrap_or_default().or_later(open.unwrap_or_default());
        let amount = if closure.addr() == 0 {
            work.flop
        } else {
            work.bytes
        };
        match amount.into_pyobject(python) {
            Ok(number) => number.into_ptr(),
            Err(error) => handle::raise(python, error.into()),
        }
    };
    measuring(super::none, read)
}

/// Sets `flop` or `bytes` of the span that is open.
pub unsafe extern "C" fn set(
    this: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
    closure: *mut c_void,
) -> c_int {
    // SAFETY: called by the interpreter with a handle and a value, or null to delete it.
    let (python, result) = unsafe {
        let python = Python::assume_attached();
        let what = KEYWORDS[closure.addr()];
        let value = Bound::from_borrowed_ptr_or_opt(python, value);
        let said = || say(handle::site(this), what, value);
        (python, measuring(|| Ok(()), said))
    };
    match result {
        Ok(()) => 0,
        Err(error) => {
            error.restore(python);
            -1
        }
    }
}

fn say(site: &Site, what: &str, value: Option<Bound<'_, PyAny>>) -> PyResult<()> {
    let value = value.ok_or_else(|| {
        PyAttributeError::new_err(format!("{what} of a lap is set, and never deleted"))
    })?;
    let amount = amount(what, &value)?;
    let work = if what == KEYWORDS[0] {
        SpanWork {
            flop: amount,
            bytes: None,
        }
    } else {
        SpanWork {
            flop: None,
            bytes: amount,
        }
    };
    let given = span::at(|| recorder::innermost_of(site).map(|open| recorder::give(open, work)));
    if given == Some(true) || !recorder::is_on() {
        return Ok(());
    }
    Err(PyRuntimeError::new_err(format!(
        "the lap {:?} is not open here: set its {what} inside its `with`",
        site.name()
    )))
}

const fn method(name: &'static std::ffi::CStr, function: ffi::PyCFunctionFast) -> ffi::PyMethodDef {
    ffi::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: ffi::PyMethodDefPointer {
            PyCFunctionFast: function,
        },
        ml_flags: ffi::METH_FASTCALL,
        ml_doc: std::ptr::null(),
    }
}

static METHODS: Locked<[ffi::PyMethodDef; 3]> = Locked::new([
    method(c"__enter__", enter),
    method(c"__aenter__", enter_async),
    ffi::PyMethodDef::zeroed(),
]);

/// The type of handles with work.
fn kind(python: Python<'_>) -> PyResult<*mut ffi::PyTypeObject> {
    let base = handle::base_type(python)?;
    // SAFETY: the lock is held; making a type of these slots runs no Python code.
    let known = unsafe { KIND.get() };
    if !known.is_null() {
        return Ok(*known);
    }
    let slot = |slot: c_int, pointer: *mut c_void| ffi::PyType_Slot {
        slot,
        pfunc: pointer,
    };
    // SAFETY: static tables of the right kinds, ended by zeros.
    let made = unsafe {
        let mut slots = [
            slot(ffi::Py_tp_call, call as *mut c_void),
            slot(ffi::Py_tp_methods, METHODS.get().as_mut_ptr().cast()),
            slot(0, null_mut()),
        ];
        let mut spec = ffi::PyType_Spec {
            name: handle::NAME.as_ptr(),
            basicsize: size_of::<Given>() as c_int,
            itemsize: 0,
            flags: (ffi::Py_TPFLAGS_DEFAULT | ffi::Py_TPFLAGS_DISALLOW_INSTANTIATION) as u32,
            slots: slots.as_mut_ptr(),
        };
        ffi::PyType_FromSpecWithBases(&raw mut spec, base.cast())
    };
    if made.is_null() {
        return Err(PyErr::fetch(python));
    }
    *known = made.cast();
    Ok(*known)
}
