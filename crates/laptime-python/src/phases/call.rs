//! A call of torch's that is under way, and what it was given.

use std::cell::Cell;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// A call, as the interpreter passes it.
pub struct Call<'py> {
    pub python: Python<'py>,
    pub(super) function: *mut ffi::PyObject,
    pub(super) args: *const *mut ffi::PyObject,
    pub(super) count: usize,
    pub(super) names: *mut ffi::PyObject,
    pub(super) original: ffi::vectorcallfunc,
    /// Whether it has gone on its way.
    pub(super) went: Cell<bool>,
    /// Layers below the one that sees it now.
    pub(super) below: usize,
}

impl<'py> Call<'py> {
    /// A positional argument.
    #[inline]
    pub fn argument(&self, index: usize) -> Option<Bound<'py, PyAny>> {
        // SAFETY: as many arguments as are counted, all alive during the call.
        unsafe {
            let count = ffi::PyVectorcall_NARGS(self.count).cast_unsigned();
            (index < count).then(|| Bound::from_borrowed_ptr(self.python, *self.args.add(index)))
        }
    }

    /// All positional arguments but the first so many.
    pub fn positional(&self, from: usize) -> PyResult<Bound<'py, PyTuple>> {
        let given = (from..).map_while(|index| self.argument(index));
        PyTuple::new(self.python, given.collect::<Vec<_>>())
    }

    /// Hands out the arguments that were given by name, each with it.
    pub fn each_named(
        &self,
        mut take: impl FnMut(&Bound<'py, PyAny>, &Bound<'py, PyAny>) -> PyResult<()>,
    ) -> PyResult<()> {
        // SAFETY: null or a tuple of names, whose values follow the positional arguments; all alive during the call.
        unsafe {
            let Some(names) = Bound::from_borrowed_ptr_or_opt(self.python, self.names) else {
                return Ok(());
            };
            let given = ffi::PyVectorcall_NARGS(self.count).cast_unsigned();
            for (index, name) in names.cast_into_unchecked::<PyTuple>().iter().enumerate() {
                let value = *self.args.add(given + index);
                take(&name, &Bound::from_borrowed_ptr(self.python, value))?;
            }
        }
        Ok(())
    }

    /// The arguments that were given by name.
    pub fn named(&self) -> PyResult<Bound<'py, PyDict>> {
        let named = PyDict::new(self.python);
        // SAFETY: null or a tuple of names, whose values follow the positional arguments.
        unsafe {
            if let Some(names) = Bound::from_borrowed_ptr_or_opt(self.python, self.names) {
                let values = self
                    .args
                    .add(ffi::PyVectorcall_NARGS(self.count).cast_unsigned());
                for (index, name) in names.cast_into_unchecked::<PyTuple>().iter().enumerate() {
                    let value = Bound::from_borrowed_ptr(self.python, *values.add(index));
                    named.set_item(name, value)?;
                }
            }
        }
        Ok(named)
    }
}
