//! Where an object holds another one: a cell, a slot, an attribute, under a key.

use std::sync::Arc;

use pyo3::ffi;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::interned::intern;

/// What of an object.
pub enum Part {
    Cell,
    /// A slot, by its descriptor.
    Slot(Arc<Py<PyAny>>),
    Attribute(Py<PyAny>),
    Item(Py<PyAny>),
}

/// An object, and what of it.
pub struct Holder {
    pub object: Py<PyAny>,
    pub part: Part,
}

impl Holder {
    /// What stands there now; nothing if that can't be read any more.
    pub fn get<'py>(&self, python: Python<'py>) -> Option<Bound<'py, PyAny>> {
        let object = self.object.bind(python);
        match &self.part {
            Part::Cell => cell(object),
            Part::Slot(member) => slot(object, member.bind(python)),
            Part::Attribute(name) => {
                let own = object.getattr(intern!(python, "__dict__")).ok()?;
                own.get_item(name).ok()
            }
            Part::Item(key) => object.get_item(key).ok(),
        }
    }

    /// Whether another one is the same object and part.
    pub fn is(&self, other: &Self) -> bool {
        let same = match (&self.part, &other.part) {
            (Part::Cell, Part::Cell) => true,
            (Part::Slot(one), Part::Slot(other)) => one.is(&**other),
            (Part::Attribute(one), Part::Attribute(other))
            | (Part::Item(one), Part::Item(other)) => one.is(other),
            _ => false,
        };
        same && self.object.is(&other.object)
    }

    /// Puts something there.
    pub fn put(&self, python: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let object = self.object.bind(python);
        match &self.part {
            Part::Cell => {
                set_cell(object, Some(&value.clone().unbind()));
                Ok(())
            }
            Part::Slot(member) => {
                let set = intern!(python, "__set__");
                member.bind(python).call_method1(set, (object, value))?;
                Ok(())
            }
            Part::Attribute(name) => object.setattr(name.bind(python).cast::<PyString>()?, value),
            Part::Item(key) => object.set_item(key, value),
        }
    }

    /// Tells the collector what it holds.
    pub fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.object)?;
        match &self.part {
            Part::Cell => Ok(()),
            Part::Slot(held) => visit.call(&**held),
            Part::Attribute(held) | Part::Item(held) => visit.call(held),
        }
    }
}

/// What a cell holds.
pub fn cell<'py>(cell: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    // SAFETY: the lock is held and it is a cell; what is given is a share of one's own.
    unsafe { Bound::from_owned_ptr_or_opt(cell.py(), ffi::PyCell_Get(cell.as_ptr())) }
}

/// Puts something into a cell, or empties it.
pub fn set_cell(at: &Bound<'_, PyAny>, value: Option<&Py<PyAny>>) {
    let value = value.map_or(std::ptr::null_mut(), Py::as_ptr);
    if cell(at).map_or(std::ptr::null_mut(), |it| it.as_ptr()) != value {
        // SAFETY: the lock is held, it is a cell and the value is alive; the cell takes a share.
        unsafe { ffi::PyCell_Set(at.as_ptr(), value) };
    }
}

/// What stands in a slot.
pub fn slot<'py>(
    object: &Bound<'py, PyAny>,
    member: &Bound<'py, PyAny>,
) -> Option<Bound<'py, PyAny>> {
    let get = intern!(object.py(), "__get__");
    member.call_method1(get, (object, object.get_type())).ok()
}

/// The dictionary of an object's attributes, past what its class makes of it. Its class must say
/// that it has one.
pub fn dict<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: the lock is held; without one, it raises.
    unsafe {
        let found = ffi::PyObject_GenericGetDict(object.as_ptr(), std::ptr::null_mut());
        Bound::from_owned_ptr_or_err(object.py(), found)
    }
}

/// Puts that dictionary back, if another one is in its place.
pub fn put_dict(object: &Bound<'_, PyAny>, before: &Bound<'_, PyAny>) -> PyResult<()> {
    if dict(object)?.is(before) {
        return Ok(());
    }
    // SAFETY: the lock is held and both are alive; the object takes a share of the dictionary.
    let set = unsafe {
        ffi::PyObject_GenericSetDict(object.as_ptr(), before.as_ptr(), std::ptr::null_mut())
    };
    match set {
        0 => Ok(()),
        _ => Err(PyErr::fetch(object.py())),
    }
}
