//! Whether a thread runs a greenlet of the program's, as gevent and eventlet make them.
//!
//! Greenlets have a context each, or none until they need one, and `greenlet` makes it current as it switches,
//! which counts as a change of context. So a lap costs nothing more: only where a context isn't known
//! is `greenlet` asked, and only if the program has imported it.

use once_cell::race::OnceBox;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyType};

use crate::entry::keeping_error;
use crate::interned::intern;

/// What is asked of the module.
struct Greenlets {
    /// `greenlet.getcurrent`.
    current: Py<PyCFunction>,
    /// Who started a greenlet, past what its class makes of the name. A thread's first one has none.
    parent: Py<PyAny>,
}

static GREENLETS: OnceBox<Greenlets> = OnceBox::new();

/// Whether the calling thread runs a greenlet other than the one that every thread begins with.
pub fn is_in_one(python: Python<'_>) -> bool {
    keeping_error(|| ask(python)).unwrap_or(false)
}

fn ask(python: Python<'_>) -> PyResult<bool> {
    let greenlets = match GREENLETS.get() {
        Some(known) => known,
        None => match find(python)? {
            Some(found) => GREENLETS.get_or_init(|| Box::new(found)),
            None => return Ok(false),
        },
    };
    let current = greenlets.current.bind(python).call0()?;
    let get = intern!(python, "__get__");
    let parent = greenlets
        .parent
        .bind(python)
        .call_method1(get, (current,))?;
    Ok(!parent.is_none())
}

/// The module's functions, if it is imported, and no file of the program's that is called like it.
fn find(python: Python<'_>) -> PyResult<Option<Greenlets>> {
    // SAFETY: the lock is held; the interpreter holds its modules.
    let modules = unsafe { Bound::from_borrowed_ptr(python, ffi::PyImport_GetModuleDict()) };
    let modules = modules.cast_into::<PyDict>()?;
    let Some(module) = modules.get_item(intern!(python, "greenlet"))? else {
        return Ok(None);
    };
    let current = module.getattr(intern!(python, "getcurrent"))?;
    let class = module.getattr(intern!(python, "greenlet"))?;
    let own = class
        .cast_into::<PyType>()?
        .getattr(intern!(python, "__dict__"))?;
    Ok(Some(Greenlets {
        current: current.cast_into::<PyCFunction>()?.unbind(),
        parent: own.get_item(intern!(python, "parent"))?.unbind(),
    }))
}
