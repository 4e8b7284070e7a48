//! What stands in for `Module.__call__`: one builtin for outermost modules, one for all others.
//!
//! Both hand the arguments on as they got them. Each is bound to a tuple of what it needs.

use std::ptr::null_mut;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use pyo3::{ffi, intern};

use super::laps::{self, ModuleLaps};
use super::place::Place;
use crate::fast::Locked;

static ROOT: Locked<ffi::PyMethodDef> = definition(c"root", root);
static CALL: Locked<ffi::PyMethodDef> = definition(c"call", call);

const fn definition(
    name: &'static std::ffi::CStr,
    function: ffi::PyCFunctionWithKeywords,
) -> Locked<ffi::PyMethodDef> {
    Locked::new(ffi::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: ffi::PyMethodDefPointer {
            PyCFunctionWithKeywords: function,
        },
        ml_flags: ffi::METH_VARARGS | ffi::METH_KEYWORDS,
        ml_doc: std::ptr::null(),
    })
}

fn bound<'py>(
    definition: &'static Locked<ffi::PyMethodDef>,
    parts: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: a static definition, bound to a tuple, which the function keeps.
    unsafe {
        let function = ffi::PyCFunction_NewEx(definition.get(), parts.as_ptr(), null_mut());
        Bound::from_owned_ptr_or_err(parts.py(), function)
    }
}

/// `call` for outermost modules. `make` makes the laps of a thread, which are `here.laps`.
#[pyfunction]
pub fn module_root<'py>(
    call: Bound<'py, PyAny>,
    here: Bound<'py, PyAny>,
    make: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let python = call.py();
    bound(&ROOT, &(call, here, make).into_pyobject(python)?)
}

/// `call` for modules that another one calls, and `outermost` for those that none does.
#[pyfunction]
pub fn module_call<'py>(
    call: Bound<'py, PyAny>,
    outermost: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let python = call.py();
    bound(&CALL, &(call, outermost).into_pyobject(python)?)
}

/// A call as the interpreter passes it.
struct Call<'py> {
    parts: Bound<'py, PyTuple>,
    args: Bound<'py, PyTuple>,
    keywords: *mut ffi::PyObject,
}

impl<'py> Call<'py> {
    /// # Safety
    /// The pointers are those that the interpreter passed to a builtin made here.
    unsafe fn new(
        parts: *mut ffi::PyObject,
        args: *mut ffi::PyObject,
        keywords: *mut ffi::PyObject,
    ) -> Self {
        // SAFETY: the caller's promise: two tuples, with the lock held.
        unsafe {
            let python = Python::assume_attached();
            Self {
                parts: Bound::from_borrowed_ptr(python, parts).cast_into_unchecked(),
                args: Bound::from_borrowed_ptr(python, args).cast_into_unchecked(),
                keywords,
            }
        }
    }

    /// Calls one of the parts with what was passed.
    fn pass(&self, part: usize) -> PyResult<Bound<'py, PyAny>> {
        let function = self.parts.get_borrowed_item(part)?;
        // SAFETY: live objects; the keywords are a dictionary or null.
        unsafe {
            let result = ffi::PyObject_Call(function.as_ptr(), self.args.as_ptr(), self.keywords);
            Bound::from_owned_ptr_or_err(self.parts.py(), result)
        }
    }

    /// Calls the module within the lap of its place and tags what it made.
    fn timed(
        &self,
        laps: &Bound<'py, ModuleLaps>,
        place: &Bound<'py, Place>,
        module: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let python = laps.py();
        let compiled = place.get().compiled
            || module
                .getattr(intern!(python, "_compiled_call_impl"))
                .is_ok_and(|call| !call.is_none());
        let graph = if compiled {
            Some(Place::graph(place)?)
        } else {
            None
        };
        let inside = if compiled { null_mut() } else { place.as_ptr() };
        place.get().open(python)?;
        if let Some(graph) = &graph {
            graph.get().open(python)?;
        }
        let outer = laps.get().go_to(inside);
        let result = self.pass(0);
        laps.get().go_to(outer);
        if let Some(graph) = &graph {
            graph.get().close(python)?;
        }
        place.get().close(python)?;
        let out = result?;
        ModuleLaps::tag(laps, &out, graph.as_ref().unwrap_or(place))?;
        Ok(out)
    }

    fn root(&self) -> PyResult<Bound<'py, PyAny>> {
        let python = self.parts.py();
        let here = self.parts.get_borrowed_item(1)?;
        let mut laps = here.getattr(intern!(python, "laps"))?;
        if laps.is_none() {
            laps = self.parts.get_borrowed_item(2)?.call0()?;
        }
        let laps = laps.cast_into::<ModuleLaps>()?;
        if let Ok(value) = self.args.get_borrowed_item(1) {
            ModuleLaps::tag_outside(&laps, &value)?;
        }
        let module = self.args.get_item(0)?;
        let place = ModuleLaps::root(&laps, &module)?;
        let outside = laps::look_into(laps.as_ptr());
        let result = self.timed(&laps, &place, &module);
        laps::look_into(outside);
        result
    }

    fn inner(&self) -> PyResult<Bound<'py, PyAny>> {
        let Some(laps) = laps::looked_into(self.parts.py()) else {
            return self.pass(1);
        };
        let module = self.args.get_item(0)?;
        let Some(parent) = laps.get().place(self.parts.py()) else {
            return self.recomputed(&laps, &module);
        };
        if !parent.get().only_calls
            && let Ok(value) = self.args.get_borrowed_item(1)
            && laps.get().is_plain(&value)
        {
            // What the caller made since its last module is its own.
            ModuleLaps::tag(&laps, &value, &parent)?;
        }
        let place = ModuleLaps::inside(&laps, &parent, &module)?;
        self.timed(&laps, &place, &module)
    }

    /// A call inside a backward, which has no lap, but whose nodes run in this backward.
    fn recomputed(
        &self,
        laps: &Bound<'py, ModuleLaps>,
        module: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let out = self.pass(0)?;
        if let Some(place) = laps.get().known.find(module) {
            ModuleLaps::tag(laps, &out, &place)?;
        }
        Ok(out)
    }
}

fn returned(python: Python<'_>, result: PyResult<Bound<'_, PyAny>>) -> *mut ffi::PyObject {
    match result {
        Ok(out) => out.into_ptr(),
        Err(error) => {
            error.restore(python);
            null_mut()
        }
    }
}

unsafe extern "C" fn root(
    this: *mut ffi::PyObject,
    args: *mut ffi::PyObject,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: called by the interpreter.
    let call = unsafe { Call::new(this, args, keywords) };
    returned(call.parts.py(), call.root())
}

unsafe extern "C" fn call(
    this: *mut ffi::PyObject,
    args: *mut ffi::PyObject,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: called by the interpreter.
    let call = unsafe { Call::new(this, args, keywords) };
    returned(call.parts.py(), call.inner())
}
