//! From CPython 3.12 on: `sys.monitoring`, under a tool's number that nobody has.

use pyo3::prelude::*;

/// Whether this interpreter has it.
pub fn is_there(python: Python<'_>) -> bool {
    python.version_info() >= (3, 12)
}

/// Has the interpreter call us. **Errors** with why it can't.
pub fn begin(_: Python<'_>) -> Result<(), String> {
    Err("counting calls needs CPython 3.11 or before".to_owned())
}

/// Has it call us no more.
pub fn end(_: Python<'_>) {}
