//! The look at every import while Laptime waits for a module.
//!
//! The program's tracers see functions that are called, those of Python and those of modules like
//! this one. An object that can be called is neither: they see nothing of the look, and where an import
//! fails no frame of it stands in the traceback, out of which Python takes only frames of its own.

use laptime_python_macros::guarded;
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use pyo3::{PyTraverseError, PyVisit};

use crate::interned::intern;

/// Finds the modules that are waited for, and no others.
#[pyclass(frozen, module = "laptime._core")]
pub struct FindsWaited {
    waiting: Py<PyDict>,
    imported: Py<PyAny>,
}

#[guarded]
#[pymethods]
impl FindsWaited {
    /// `imported` is told each module that was waited for, once it has run.
    #[new]
    fn new(waiting: Py<PyDict>, imported: Py<PyAny>) -> Self {
        Self { waiting, imported }
    }

    /// As a finder's `find_spec`: lets the other finders find, and extends what the loader does
    /// afterwards.
    #[pyo3(signature = (name, path=None, target=None))]
    fn __call__<'py>(
        this: &Bound<'py, Self>,
        name: &Bound<'py, PyAny>,
        path: Option<&Bound<'py, PyAny>>,
        target: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let python = this.py();
        if !this.get().waiting.bind(python).contains(name)? {
            return Ok(None);
        }
        let finders = python.import(intern!(python, "sys"))?;
        let finders = finders.getattr(intern!(python, "meta_path"))?;
        for finder in PyList::new(python, finders.try_iter()?.collect::<PyResult<Vec<_>>>()?)? {
            let find = finder.getattr_opt(intern!(python, "find_spec"))?;
            let Some(find) = find.filter(|find| !find.is(this)) else {
                continue;
            };
            let spec = find.call1((name, path, target))?;
            if !spec.is_none() {
                this.get().extend(&spec)?;
                return Ok(Some(spec));
            }
        }
        Ok(None)
    }
}

impl FindsWaited {
    /// On the one instance that loads this module; its class stays what it is.
    fn extend(&self, spec: &Bound<'_, PyAny>) -> PyResult<()> {
        let python = spec.py();
        let name = intern!(python, "exec_module");
        let loader = spec.getattr(intern!(python, "loader"))?;
        let Some(execute) = loader.getattr_opt(name)? else {
            return Ok(());
        };
        let executes = Executes {
            loader: loader.clone().unbind(),
            execute: execute.unbind(),
            imported: self.imported.clone_ref(python),
        };
        or_without_it(python, loader.setattr(name, Bound::new(python, executes)?))
    }
}

/// What a loader executes a module by that is waited for.
#[pyclass(frozen, module = "laptime._core")]
struct Executes {
    loader: Py<PyAny>,
    execute: Py<PyAny>,
    imported: Py<PyAny>,
}

#[guarded]
#[pymethods]
impl Executes {
    /// As a loader's `exec_module`.
    fn __call__(&self, module: &Bound<'_, PyAny>) -> PyResult<()> {
        let python = module.py();
        let loader = self.loader.bind(python);
        // The program finds the loader as it was.
        or_without_it(python, loader.delattr(intern!(python, "exec_module")))?;
        self.execute.bind(python).call1((module,))?;
        self.imported.bind(python).call1((module,))?;
        Ok(())
    }

    // The loader holds this until it executes, which it may never do.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.loader)?;
        visit.call(&self.execute)?;
        visit.call(&self.imported)
    }
}

/// A loader may take no attributes, and may have lost this one.
fn or_without_it(python: Python<'_>, done: PyResult<()>) -> PyResult<()> {
    done.or_else(|error| {
        let is_absent = error.is_instance_of::<PyAttributeError>(python);
        is_absent.then_some(()).ok_or(error)
    })
}
