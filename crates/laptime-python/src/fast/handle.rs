//! The object that `lt.lap("x")` returns.
//!
//! A `with` looks `__enter__` and `__exit__` up on the object's type and binds them, which
//! allocates two method objects. For the first [`OWN_TYPES`] names it does not: each of their
//! handles is the only instance of a type of its own, in whose dictionary lie builtins that
//! are already bound to it, and binding a builtin is a no-op. Such a type takes 1.8 kB, so
//! later names share the type [`base_type`].

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use laptime_core::SpanWork;
use laptime_recorder::{Site, guard};
use pyo3::exceptions::{PyStopIteration, PyTypeError};
use pyo3::prelude::*;
use pyo3::{ffi, intern};

use super::{Locked, copied, given, place, span};
use crate::entry::{asked, measuring};
use crate::jax::launches;
use crate::rate;

/// Names that get a type of their own.
pub const OWN_TYPES: usize = 1_024;

/// A handle's memory.
#[repr(C)]
pub struct Handle {
    head: ffi::PyObject,
    /// What it opens.
    pub site: &'static Site,
    /// The name as given, a `str`.
    pub name: *mut ffi::PyObject,
    /// Last duration in ticks, for sites that no table remembers.
    last: Cell<u64>,
}

static BASE: Locked<*mut ffi::PyTypeObject> = Locked::new(null_mut());

/// Reads a handle.
///
/// # Safety
/// `object` is an instance of the base type or of a type made here.
#[inline]
unsafe fn handle<'a>(object: *mut ffi::PyObject) -> &'a Handle {
    // SAFETY: the caller's promise.
    unsafe { &*object.cast::<Handle>() }
}

/// The site of a handle.
///
/// # Safety
/// `object` is an instance of the base type or of a type made here.
pub unsafe fn site(object: *mut ffi::PyObject) -> &'static Site {
    // SAFETY: the caller's promise.
    unsafe { handle(object) }.site
}

/// The site of a lap that was made here; `None` for any other object.
pub fn site_of(object: &Bound<'_, PyAny>) -> PyResult<Option<&'static Site>> {
    let base = base_type(object.py())?;
    // SAFETY: a live object and a type that stays, with the lock held; then it is a handle.
    let site = unsafe {
        let is_handle = ffi::PyObject_TypeCheck(object.as_ptr(), base) as c_int != 0;
        is_handle.then(|| handle(object.as_ptr()).site)
    };
    Ok(site)
}

/// `__enter__`: arguments are ignored, since `ExitStack` passes the handle once more. `LOOKS`: what its lap
/// launches is looked at.
unsafe extern "C" fn enter<const LOOKS: bool>(
    this: *mut ffi::PyObject,
    _arguments: *mut *mut ffi::PyObject,
    _count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    // SAFETY: called by the interpreter with a handle, bound or as `self`.
    unsafe {
        let site = handle(this).site;
        if LOOKS {
            measuring(|| None, || launches::open(site));
        } else {
            measuring(|| None, || span::open(site));
        }
        ffi::Py_NewRef(this)
    }
}

/// `__exit__`: swallows no exception.
unsafe extern "C" fn exit<const LOOKS: bool>(
    this: *mut ffi::PyObject,
    _arguments: *mut *mut ffi::PyObject,
    _count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    // SAFETY: as in `enter`.
    unsafe {
        let handle = handle(this);
        let ticks = if LOOKS {
            measuring(|| None, || launches::close(handle.site))
        } else {
            measuring(|| None, || span::close(handle.site))
        };
        if let Some(ticks) = ticks
            && handle.site.index() >= place::MAX_REMEMBERED
        {
            handle.last.set(ticks);
        }
    }
    super::none()
}

/// `__aenter__`: opens at once; awaiting it gives the handle.
unsafe extern "C" fn enter_async(
    this: *mut ffi::PyObject,
    _arguments: *mut *mut ffi::PyObject,
    _count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    // SAFETY: as in `enter`.
    unsafe {
        measuring(|| None, || span::open(handle(this).site));
        ready(this)
    }
}

/// `__aexit__`: closes at once; awaiting it gives `None`.
unsafe extern "C" fn exit_async(
    this: *mut ffi::PyObject,
    _arguments: *mut *mut ffi::PyObject,
    _count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    // SAFETY: as in `enter`.
    unsafe {
        measuring(|| None, || span::close(handle(this).site));
        ready(ffi::Py_None())
    }
}

/// Has every handle's `with` look at what its lap launches. Where nobody asks for it, nothing is in
/// its way: the interpreter reads at each call which function is meant.
pub fn look_at_laps() {
    // SAFETY: the lock is held, and the reference ends here.
    let methods = unsafe { METHODS.get() };
    methods[ENTER] = method(c"__enter__", enter::<true>);
    methods[EXIT] = method(c"__exit__", exit::<true>);
}

/// An awaitable that is done.
///
/// # Safety
/// `value` is a live object and the lock is held.
pub unsafe fn ready(value: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: the caller's promise.
    let (python, value) = unsafe {
        let python = Python::assume_attached();
        (python, Bound::from_borrowed_ptr(python, value).unbind())
    };
    match asked(|| Py::new(python, Ready { value })) {
        Ok(ready) => ready.into_ptr(),
        Err(error) => raise(python, error),
    }
}

/// Hands an error to the interpreter.
pub fn raise(python: Python<'_>, error: PyErr) -> *mut ffi::PyObject {
    error.restore(python);
    null_mut()
}

/// An awaitable whose value is there already.
#[pyclass(frozen, module = "laptime._core")]
struct Ready {
    value: Py<PyAny>,
}

#[pymethods]
impl Ready {
    fn __await__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__(&self, python: Python<'_>) -> PyResult<()> {
        Err(PyStopIteration::new_err((self.value.clone_ref(python),)))
    }
}

/// `handle(function)`: the decorator with a name.
unsafe extern "C" fn call(
    this: *mut ffi::PyObject,
    arguments: *mut ffi::PyObject,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the interpreter passes a handle, a tuple, and a dictionary or null.
    unsafe { decorate_only(this, arguments, keywords, SpanWork::default()) }
}

/// What a call of a handle does.
///
/// # Safety
/// A handle, a tuple, a dictionary or null, and the lock is held.
pub unsafe fn decorate_only(
    this: *mut ffi::PyObject,
    arguments: *mut ffi::PyObject,
    keywords: *mut ffi::PyObject,
    work: SpanWork,
) -> *mut ffi::PyObject {
    // SAFETY: the caller's promise.
    unsafe {
        let python = Python::assume_attached();
        match asked(|| only_function(arguments, keywords)) {
            Ok(function) => {
                let name = Bound::from_borrowed_ptr(python, handle(this).name);
                decorate(python, function, Some(name), work)
            }
            Err(error) => raise(python, error),
        }
    }
}

/// The one argument of a call of a handle.
///
/// # Safety
/// A tuple, a dictionary or null, and the lock is held.
unsafe fn only_function(
    arguments: *mut ffi::PyObject,
    keywords: *mut ffi::PyObject,
) -> PyResult<*mut ffi::PyObject> {
    // SAFETY: the caller's promise.
    unsafe {
        let given = ffi::PyTuple_Size(arguments);
        if given != 1 || (!keywords.is_null() && ffi::PyDict_Size(keywords) > 0) {
            return Err(PyTypeError::new_err(
                "a lap takes the function to decorate, and nothing else",
            ));
        }
        Ok(ffi::PyTuple_GetItem(arguments, 0))
    }
}

/// `laptime._decorate.decorate(function, name, flop=…, bytes=…)`.
///
/// # Safety
/// `function` is a live object and the lock is held.
pub unsafe fn decorate(
    python: Python<'_>,
    function: *mut ffi::PyObject,
    name: Option<Bound<'_, PyAny>>,
    work: SpanWork,
) -> *mut ffi::PyObject {
    // SAFETY: the caller's promise.
    let function = unsafe { Bound::from_borrowed_ptr(python, function) };
    let decorated = || {
        let module = python.import(intern!(python, "laptime._decorate"))?;
        let decorate = module.getattr(intern!(python, "decorate"))?;
        let keywords = given::keywords(python, work)?;
        decorate.call((&function, name), Some(&keywords))
    };
    // After a mistake of ours it is the function as it was.
    match measuring(|| Ok(function.clone()), decorated) {
        Ok(wrapper) => wrapper.into_ptr(),
        Err(error) => raise(python, error),
    }
}

unsafe extern "C" fn repr(this: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: a handle; its name is a `str`.
    unsafe { ffi::PyUnicode_FromFormat(c"<lap %R>".as_ptr(), handle(this).name) }
}

unsafe extern "C" fn name(this: *mut ffi::PyObject, _closure: *mut c_void) -> *mut ffi::PyObject {
    // SAFETY: a handle.
    unsafe { ffi::Py_NewRef(handle(this).name) }
}

/// The last duration in this task, in nanoseconds.
///
/// # Safety
/// `this` is a handle and the lock is held.
unsafe fn last_ns(this: *mut ffi::PyObject) -> Option<f64> {
    // SAFETY: the caller's promise.
    let handle = unsafe { handle(this) };
    let index = handle.site.index();
    let last = || {
        let ticks = if index < place::MAX_REMEMBERED {
            // SAFETY: the caller's promise.
            unsafe { place::with(|place| place.last(index)) }
        } else {
            Some(handle.last.get()).filter(|ticks| *ticks != u64::MAX)
        };
        Some(rate::nanoseconds(ticks?))
    };
    measuring(|| None, last)
}

unsafe extern "C" fn seconds(
    this: *mut ffi::PyObject,
    _closure: *mut c_void,
) -> *mut ffi::PyObject {
    // SAFETY: a handle.
    match unsafe { last_ns(this) } {
        // SAFETY: the lock is held.
        Some(ns) => unsafe { ffi::PyFloat_FromDouble(ns / 1e9) },
        None => super::none(),
    }
}

unsafe extern "C" fn duration_ns(
    this: *mut ffi::PyObject,
    _closure: *mut c_void,
) -> *mut ffi::PyObject {
    // SAFETY: a handle.
    match unsafe { last_ns(this) } {
        // SAFETY: the lock is held.
        Some(ns) => unsafe { ffi::PyLong_FromUnsignedLongLong(ns.round() as u64) },
        None => super::none(),
    }
}

unsafe extern "C" fn dealloc(this: *mut ffi::PyObject) {
    // SAFETY: the last reference to a handle of the base type, which is a heap type.
    let free = || unsafe {
        let kind = ffi::Py_TYPE(this);
        ffi::Py_XDECREF((*this.cast::<Handle>()).name);
        ffi::PyObject_Free(this.cast());
        ffi::Py_DECREF(kind.cast());
    };
    guard((), free);
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

const fn getter(
    name: &'static std::ffi::CStr,
    get: ffi::getter,
    doc: &'static std::ffi::CStr,
) -> ffi::PyGetSetDef {
    ffi::PyGetSetDef {
        name: name.as_ptr(),
        get: Some(get),
        set: None,
        doc: doc.as_ptr(),
        closure: null_mut(),
    }
}

/// A property of the span that is open, by its number among [`given::KEYWORDS`].
const fn settable(
    name: &'static std::ffi::CStr,
    number: usize,
    doc: &'static std::ffi::CStr,
) -> ffi::PyGetSetDef {
    ffi::PyGetSetDef {
        name: name.as_ptr(),
        get: Some(given::get),
        set: Some(given::set),
        doc: doc.as_ptr(),
        closure: std::ptr::without_provenance_mut(number),
    }
}

/// How many of [`METHODS`] a `with` looks up.
const BOUND: usize = 4;
/// Where two of them stand.
const ENTER: usize = 0;
const EXIT: usize = 1;

static METHODS: Locked<[ffi::PyMethodDef; 6]> = Locked::new([
    method(c"__enter__", enter::<false>),
    method(c"__exit__", exit::<false>),
    method(c"__aenter__", enter_async),
    method(c"__aexit__", exit_async),
    method(c"__reduce__", copied::reduce),
    ffi::PyMethodDef::zeroed(),
]);

static GETTERS: Locked<[ffi::PyGetSetDef; 6]> = Locked::new([
    getter(c"name", name, c"The name as given."),
    getter(
        c"seconds",
        seconds,
        c"Seconds of the last span that this name closed in this task; None before.",
    ),
    getter(
        c"duration_ns",
        duration_ns,
        c"Nanoseconds of the last span that this name closed in this task; None before.",
    ),
    settable(
        c"flop",
        0,
        c"Floating-point operations of the span of this name that is open here; None where not said.",
    ),
    settable(
        c"bytes",
        1,
        c"Bytes moved by the span of this name that is open here; None where not said.",
    ),
    ffi::PyGetSetDef {
        name: std::ptr::null(),
        get: None,
        set: None,
        doc: std::ptr::null(),
        closure: null_mut(),
    },
]);

/// As Python shows the type.
pub const NAME: &std::ffi::CStr = c"laptime.Lap";
const DOC: &std::ffi::CStr = c"A named lap: use it in `with`, in `async with`, or as a decorator.";

/// The type of later names, and the base of the others.
pub fn base_type(python: Python<'_>) -> PyResult<*mut ffi::PyTypeObject> {
    // SAFETY: the lock is held; making a type of these slots runs no Python code.
    let base = unsafe { BASE.get() };
    if !base.is_null() {
        return Ok(*base);
    }
    let slot = |slot: c_int, pointer: *mut c_void| ffi::PyType_Slot {
        slot,
        pfunc: pointer,
    };
    // SAFETY: static tables of the right kinds, ended by zeros.
    let made = unsafe {
        let mut slots = [
            slot(ffi::Py_tp_dealloc, dealloc as *mut c_void),
            slot(ffi::Py_tp_call, call as *mut c_void),
            slot(ffi::Py_tp_repr, repr as *mut c_void),
            slot(ffi::Py_tp_richcompare, copied::compare as *mut c_void),
            slot(ffi::Py_tp_hash, copied::hash as *mut c_void),
            slot(ffi::Py_tp_methods, METHODS.get().as_mut_ptr().cast()),
            slot(ffi::Py_tp_getset, GETTERS.get().as_mut_ptr().cast()),
            slot(ffi::Py_tp_doc, DOC.as_ptr().cast_mut().cast()),
            slot(0, null_mut()),
        ];
        let mut spec = ffi::PyType_Spec {
            name: NAME.as_ptr(),
            basicsize: size_of::<Handle>() as c_int,
            itemsize: 0,
            flags: (ffi::Py_TPFLAGS_DEFAULT
                | ffi::Py_TPFLAGS_BASETYPE
                | ffi::Py_TPFLAGS_DISALLOW_INSTANTIATION) as u32,
            slots: slots.as_mut_ptr(),
        };
        ffi::PyType_FromSpec(&raw mut spec)
    };
    if made.is_null() {
        return Err(PyErr::fetch(python));
    }
    *base = made.cast();
    Ok(*base)
}

/// The class, for `isinstance` and annotations.
pub fn class(python: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let base = base_type(python)?;
    // SAFETY: a type that is never freed.
    Ok(unsafe { Bound::from_borrowed_ptr(python, base.cast()) })
}

/// A handle of its own type, which is never freed.
pub fn with_own_type(
    python: Python<'_>,
    name: *mut ffi::PyObject,
    site: &'static Site,
) -> PyResult<*mut ffi::PyObject> {
    let base = base_type(python)?;
    // SAFETY: valid tables; every object made is checked, and kept by the type or released.
    unsafe {
        let mut slots = [ffi::PyType_Slot {
            slot: 0,
            pfunc: null_mut(),
        }];
        let mut spec = ffi::PyType_Spec {
            name: NAME.as_ptr(),
            basicsize: size_of::<Handle>() as c_int,
            itemsize: 0,
            flags: ffi::Py_TPFLAGS_DEFAULT as u32,
            slots: slots.as_mut_ptr(),
        };
        let kind = ffi::PyType_FromSpecWithBases(&raw mut spec, base.cast());
        if kind.is_null() {
            return Err(PyErr::fetch(python));
        }
        let object = instance(python, kind.cast(), name, site)?;
        // The same definitions as the methods of the base type. No reference to them is kept over
        // calls that allocate: those may run a finalizer that makes another handle.
        let definitions = METHODS.get().as_mut_ptr();
        for index in 0..BOUND {
            let definition = definitions.add(index);
            let bound = ffi::PyCFunction_NewEx(definition, object, null_mut());
            if bound.is_null()
                || ffi::PyObject_SetAttrString(kind, (*definition).ml_name, bound) < 0
            {
                return Err(PyErr::fetch(python));
            }
            ffi::Py_DECREF(bound);
        }
        ffi::Py_DECREF(kind);
        Ok(object)
    }
}

/// A handle of the shared type.
pub fn ordinary(
    python: Python<'_>,
    name: *mut ffi::PyObject,
    site: &'static Site,
) -> PyResult<*mut ffi::PyObject> {
    let base = base_type(python)?;
    // SAFETY: the base type.
    unsafe { instance(python, base, name, site) }
}

/// A new handle of a type whose instances are at least as large as one.
///
/// # Safety
/// `kind` is such a type, `name` is a `str`, and the lock is held.
pub unsafe fn instance(
    python: Python<'_>,
    kind: *mut ffi::PyTypeObject,
    name: *mut ffi::PyObject,
    site: &'static Site,
) -> PyResult<*mut ffi::PyObject> {
    // SAFETY: a type made here, so instances have the size of a handle.
    unsafe {
        let object = ffi::PyType_GenericAlloc(kind, 0);
        if object.is_null() {
            return Err(PyErr::fetch(python));
        }
        let handle = object.cast::<Handle>();
        (&raw mut (*handle).site).write(site);
        // A subclass of `str` may hold anything, the handle too: only its text is kept.
        (&raw mut (*handle).name).write(ffi::PyUnicode_FromObject(name));
        if (*handle).name.is_null() {
            ffi::Py_DECREF(object);
            return Err(PyErr::fetch(python));
        }
        (&raw mut (*handle).last).write(Cell::new(u64::MAX));
        Ok(object)
    }
}
