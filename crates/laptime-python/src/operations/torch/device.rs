//! The device that a fake tensor stands for.

use pyo3::prelude::*;

use crate::interned::intern;

/// The device, or nothing for a tensor that isn't fake.
///
/// `PyTorch` asks for it from C++, several times an operator, and in places where an exception ends
/// the process. So this reads what the property `fake_device` gives, where that can be had: no
/// Python runs then, nor a signal's handler.
pub fn of<'py>(tensor: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let python = tensor.py();
    match tensor.getattr_opt(intern!(python, "_fake_device"))? {
        Some(device) => Ok(Some(device)),
        None => tensor.getattr_opt(intern!(python, "fake_device")),
    }
}
