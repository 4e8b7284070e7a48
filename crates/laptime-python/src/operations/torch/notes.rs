//! Whether anything is known of a call's tensors beside their sizes: values, a note on their
//! storage, that they are weights. Only then does Python look at the call.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple, PyType};

use crate::handler;
use crate::interned::intern;

/// Looks for notes.
pub struct Notes {
    tensor: Py<PyType>,
    /// The class of what a count plays on; `None` where that is real.
    fake: Option<Py<PyType>>,
}

impl Notes {
    /// For the torch that is imported.
    pub fn new(torch: &Bound<'_, PyAny>, is_fake: bool) -> PyResult<Self> {
        let class = |of: &Bound<'_, PyAny>, name| {
            PyResult::Ok(of.getattr(name)?.cast_into::<PyType>()?.unbind())
        };
        let fake = || class(&torch.getattr("_subclasses")?, "FakeTensor");
        Ok(Self {
            tensor: class(torch, "Tensor")?,
            fake: is_fake.then(fake).transpose()?,
        })
    }

    /// Whether there is one on any of a call's tensors.
    ///
    /// **Errors** what a handler raises meanwhile.
    pub fn on_any(
        &self,
        arguments: &Bound<'_, PyTuple>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<bool> {
        let mut found = false;
        for value in arguments.iter_borrowed() {
            found = found || self.on(&value)?;
        }
        for (_, value) in keywords.into_iter().flatten() {
            found = found || self.on(&value)?;
        }
        Ok(found)
    }

    fn on(&self, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        if let Ok(parts) = value.cast_exact::<PyList>() {
            return any(parts.iter(), |part| self.on(&part));
        }
        if let Ok(parts) = value.cast_exact::<PyTuple>() {
            return any(parts.iter(), |part| self.on(&part));
        }
        let (python, class) = (value.py(), value.get_type());
        let is_own = self.fake.as_ref().is_some_and(|it| class.is(it));
        if !is_own {
            if !class.is_subclass(self.tensor.bind(python))? {
                return Ok(false);
            }
            if self.fake.is_some() {
                return Ok(true); // It has values.
            }
        }
        match is_noted(value, is_own) {
            // One that has no storage, say: Python sees what it is.
            Err(error) if !handler::raised(python, &error) => Ok(true),
            answer => answer,
        }
    }
}

fn any<T>(parts: impl Iterator<Item = T>, on: impl Fn(T) -> PyResult<bool>) -> PyResult<bool> {
    for part in parts {
        if on(part)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_noted(tensor: &Bound<'_, PyAny>, is_fake: bool) -> PyResult<bool> {
    let python = tensor.py();
    if is_fake && !tensor.getattr(intern!(python, "constant"))?.is_none() {
        return Ok(true);
    }
    let storage = tensor.call_method0(intern!(python, "untyped_storage"))?;
    let notes = storage.getattr(intern!(python, "__dict__"))?;
    if notes.len()? > 0 || is_weight(tensor)? {
        return Ok(true);
    }
    let whole = tensor.getattr(intern!(python, "_base"))?;
    Ok(!whole.is_none() && is_weight(&whole)?)
}

fn is_weight(tensor: &Bound<'_, PyAny>) -> PyResult<bool> {
    let mark = tensor.getattr_opt(intern!(tensor.py(), "_is_param"))?;
    mark.map_or(Ok(false), |mark| mark.is_truthy())
}
