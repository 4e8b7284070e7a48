//! The first look at every import while Laptime waits for a module.
//!
//! The program's tracers see functions that are called, those of Python and those of modules like
//! this one. An object that can be called is neither: they see nothing of the look.

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Finds the modules that are waited for by a function of Python's, and no others.
#[pyclass(frozen, module = "laptime._core")]
pub struct FindsWaited {
    waiting: Py<PyDict>,
    find: Py<PyAny>,
}

#[pymethods]
impl FindsWaited {
    #[new]
    fn new(waiting: Py<PyDict>, find: Py<PyAny>) -> Self {
        Self { waiting, find }
    }

    /// As a finder's `find_spec`.
    #[pyo3(signature = (name, path=None, target=None))]
    fn __call__<'py>(
        &self,
        name: &Bound<'py, PyAny>,
        path: Option<Bound<'py, PyAny>>,
        target: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let python = name.py();
        if !self.waiting.bind(python).contains(name)? {
            return Ok(None);
        }
        self.find.bind(python).call1((name, path, target)).map(Some)
    }
}
