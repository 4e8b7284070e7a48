//! The types of handles.
//!
//! A `with` looks `__enter__` and `__exit__` up on the object's type and binds them, which
//! allocates two method objects. For the first [`OWN_TYPES`] names it does not: each of their
//! handles is the only instance of a type of its own, in whose dictionary lie builtins that
//! are already bound to it, and binding a builtin is a no-op. Such a type takes 1.8 kB, so
//! later names share the base type. Handles with work have a type below it too: only their
//! `__enter__` does more, so handles without work stay as fast as they are.

use std::ffi::{CStr, c_int, c_void};
use std::ptr::null_mut;

use laptime_recorder::{Site, guard};
use pyo3::ffi;
use pyo3::prelude::*;

use super::handle::{Handle, TYPES, Types, Worked, instance};
use super::{attributes, decorate, value, with};
use crate::entry::raised;
use crate::fast::Locked;
use crate::jax::launches;
use crate::steps;

/// Names that get a type of their own.
pub const OWN_TYPES: usize = 1_024;

/// The name under which Python shows the types.
const NAME: &CStr = c"laptime.Lap";
const DOC: &CStr = c"A named lap: use it in `with`, in `async with`, or as a decorator.";

/// How many of [`METHODS`] a `with` looks up.
const BOUND: usize = 4;
/// Where they stand among [`METHODS`].
const ENTER: usize = 0;
const EXIT: usize = 1;
const EXIT_ASYNC: usize = 3;

static METHODS: Locked<[ffi::PyMethodDef; 6]> = Locked::new([
    method(c"__enter__", with::enter::<false>),
    method(c"__exit__", with::exit::<false, false>),
    method(c"__aenter__", with::enter_async),
    method(c"__aexit__", with::exit_async::<false>),
    method(c"__reduce__", value::reduce),
    ffi::PyMethodDef::zeroed(),
]);

static ATTRIBUTES: Locked<[ffi::PyGetSetDef; 6]> = Locked::new([
    attribute(
        c"name",
        attributes::name,
        None,
        0,
        c"The name as given.",
    ),
    attribute(
        c"seconds",
        attributes::seconds,
        None,
        0,
        c"Seconds of the last span that this name closed in this task; None before.",
    ),
    attribute(
        c"duration_ns",
        attributes::duration_ns,
        None,
        0,
        c"Nanoseconds of the last span that this name closed in this task; None before.",
    ),
    attribute(
        c"flop",
        attributes::work,
        Some(attributes::set_work),
        0,
        c"Floating-point operations of the span of this name that is open here; None where not said.",
    ),
    attribute(
        c"bytes",
        attributes::work,
        Some(attributes::set_work),
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

static WORKED_METHODS: Locked<[ffi::PyMethodDef; 3]> = Locked::new([
    method(c"__enter__", with::enter_worked),
    method(c"__aenter__", with::enter_worked_async),
    ffi::PyMethodDef::zeroed(),
]);

static IDLE_METHODS: Locked<[ffi::PyMethodDef; 5]> = Locked::new([
    method(c"__enter__", with::enter_idle),
    method(c"__exit__", with::exit_idle),
    method(c"__aenter__", with::enter_idle_async),
    method(c"__aexit__", with::exit_idle_async),
    ffi::PyMethodDef::zeroed(),
]);

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

const fn method(name: &'static CStr, function: ffi::PyCFunctionFast) -> ffi::PyMethodDef {
    ffi::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: ffi::PyMethodDefPointer {
            PyCFunctionFast: function,
        },
        ml_flags: ffi::METH_FASTCALL,
        ml_doc: std::ptr::null(),
    }
}

/// An attribute that is read, and one that is set too: by its number among `work::KEYWORDS`.
const fn attribute(
    name: &'static CStr,
    get: ffi::getter,
    set: Option<ffi::setter>,
    number: usize,
    doc: &'static CStr,
) -> ffi::PyGetSetDef {
    ffi::PyGetSetDef {
        name: name.as_ptr(),
        get: Some(get),
        set,
        doc: doc.as_ptr(),
        closure: std::ptr::without_provenance_mut(number),
    }
}

/// Has every handle's `with` look at what its lap launches, as the program has imported JAX. Where it
/// hasn't, nothing is in its way: the interpreter reads at each call which function is meant.
pub fn look_at_laps() {
    if !launches::begin() {
        return;
    }
    choose_functions();
}

/// Has every handle's `with` do what is wanted of it now, and nothing more: looking at what laps launch,
/// and telling who listens to steps.
pub fn choose_functions() {
    // SAFETY: the lock is held, and the reference ends here.
    let methods = unsafe { METHODS.get() };
    let (looks, tells) = (launches::is_on(), steps::is_on());
    methods[ENTER] = if looks {
        method(c"__enter__", with::enter::<true>)
    } else {
        method(c"__enter__", with::enter::<false>)
    };
    methods[EXIT] = match (looks, tells) {
        (false, false) => method(c"__exit__", with::exit::<false, false>),
        (false, true) => method(c"__exit__", with::exit::<false, true>),
        (true, false) => method(c"__exit__", with::exit::<true, false>),
        (true, true) => method(c"__exit__", with::exit::<true, true>),
    };
    methods[EXIT_ASYNC] = if tells {
        method(c"__aexit__", with::exit_async::<true>)
    } else {
        method(c"__aexit__", with::exit_async::<false>)
    };
}

/// Makes a type that stays, below another one if that is not null.
///
/// # Safety
/// The slots hold static tables of the right kinds, and the lock is held.
unsafe fn made(
    python: Python<'_>,
    size: usize,
    flags: std::ffi::c_ulong,
    slots: &[(c_int, *mut c_void)],
    base: *mut ffi::PyTypeObject,
) -> PyResult<*mut ffi::PyTypeObject> {
    let end = (0, null_mut());
    let slots = slots.iter().chain([&end]);
    let mut slots: Vec<_> = slots
        .map(|(slot, pfunc)| ffi::PyType_Slot {
            slot: *slot,
            pfunc: *pfunc,
        })
        .collect();
    let mut spec = ffi::PyType_Spec {
        name: NAME.as_ptr(),
        basicsize: size as c_int,
        itemsize: 0,
        flags: (ffi::Py_TPFLAGS_DEFAULT | flags) as u32,
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: the caller's promise; the slots are ended by zeros.
    let made = unsafe { ffi::PyType_FromSpecWithBases(&raw mut spec, base.cast()) };
    if made.is_null() {
        return Err(raised(python));
    }
    Ok(made.cast())
}

/// Makes the types that are shared, with the module; the class, for `isinstance` and annotations.
pub fn class(python: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    const PLAIN: std::ffi::c_ulong = ffi::Py_TPFLAGS_DISALLOW_INSTANTIATION;
    // SAFETY: static tables, and types that are never freed; making them runs no Python code.
    unsafe {
        let slots = [
            (ffi::Py_tp_dealloc, dealloc as *mut c_void),
            (ffi::Py_tp_call, decorate::call as *mut c_void),
            (ffi::Py_tp_repr, attributes::repr as *mut c_void),
            (ffi::Py_tp_richcompare, value::compare as *mut c_void),
            (ffi::Py_tp_hash, value::hash as *mut c_void),
            (ffi::Py_tp_methods, METHODS.get().as_mut_ptr().cast()),
            (ffi::Py_tp_getset, ATTRIBUTES.get().as_mut_ptr().cast()),
            (ffi::Py_tp_doc, DOC.as_ptr().cast_mut().cast()),
        ];
        let flags = PLAIN | ffi::Py_TPFLAGS_BASETYPE;
        let base = made(python, size_of::<Handle>(), flags, &slots, null_mut())?;
        let slots = [(ffi::Py_tp_methods, WORKED_METHODS.get().as_mut_ptr().cast())];
        let worked = made(python, size_of::<Worked>(), PLAIN, &slots, base)?;
        let slots = [(ffi::Py_tp_methods, IDLE_METHODS.get().as_mut_ptr().cast())];
        let idle = made(python, size_of::<Handle>(), PLAIN, &slots, base)?;
        *TYPES.get() = Types { base, worked, idle };
        Ok(Bound::from_borrowed_ptr(python, base.cast()))
    }
}

/// A handle of its own type, which is never freed.
pub fn with_own_type(
    python: Python<'_>,
    name: *mut ffi::PyObject,
    site: &'static Site,
) -> PyResult<*mut ffi::PyObject> {
    // SAFETY: valid tables; every object made is checked, and kept by the type or released.
    unsafe {
        let base = TYPES.get().base;
        let kind = made(python, size_of::<Handle>(), 0, &[], base)?;
        let object = instance(python, kind, name, site)?;
        let kind: *mut ffi::PyObject = kind.cast();
        // The same definitions as the methods of the base type. No reference to them is kept over
        // calls that allocate: those may run a finalizer that makes another handle.
        let definitions = METHODS.get().as_mut_ptr();
        for index in 0..BOUND {
            let definition = definitions.add(index);
            let bound = ffi::PyCFunction_NewEx(definition, object, null_mut());
            if bound.is_null()
                || ffi::PyObject_SetAttrString(kind, (*definition).ml_name, bound) < 0
            {
                return Err(raised(python));
            }
            ffi::Py_DECREF(bound);
        }
        ffi::Py_DECREF(kind);
        Ok(object)
    }
}
