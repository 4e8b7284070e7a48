//! What tells one call from another: everything about its arguments that decides what comes out.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};

use super::super::device;

use crate::interned::intern;

/// A call's operator, arguments and surroundings, as numbers.
pub type Key = Box<[u64]>;

/// Why a call has no key: something about an argument can't be told by numbers, or Python raised.
pub enum Keyless {
    Unknown,
    Raised(PyErr),
}

impl From<PyErr> for Keyless {
    fn from(error: PyErr) -> Self {
        Self::Raised(error)
    }
}

// What follows in a key.
const NONE: u64 = 0;
const BOOL: u64 = 1;
const INT: u64 = 2;
const FLOAT: u64 = 3;
const TEXT: u64 = 4;
const SEVERAL: u64 = 5;
const NAMED: u64 = 6;
const ONLY_ONE: u64 = 7;
const DEVICE: u64 = 8;
const TENSOR: u64 = 9;

/// Reads keys.
pub struct Reader {
    fake: Py<PyType>,
    mode: Py<PyAny>,
    device: Py<PyType>,
    /// Classes whose objects are never freed, and are equal only to themselves.
    of_one: Vec<Py<PyType>>,
    layout: Py<PyAny>,
    strided: Py<PyAny>,
    is_inference: Py<PyAny>,
    default_dtype: Py<PyAny>,
}

impl Reader {
    /// For fake tensors of one mode.
    pub fn new(torch: &Bound<'_, PyAny>, mode: &Bound<'_, PyAny>) -> PyResult<Self> {
        let class = |name: &str| PyResult::Ok(torch.getattr(name)?.cast_into::<PyType>()?.unbind());
        let subclasses = torch.getattr("_subclasses")?.getattr("fake_tensor")?;
        // Python's `FakeTensor.layout` is a property that asks more than is wanted.
        let base = torch.getattr("_C")?.getattr("TensorBase")?;
        Ok(Self {
            fake: subclasses.getattr("FakeTensor")?.cast_into()?.unbind(),
            mode: mode.clone().unbind(),
            device: class("device")?,
            of_one: vec![class("dtype")?, class("layout")?, class("memory_format")?],
            layout: base.getattr("layout")?.getattr("__get__")?.unbind(),
            strided: torch.getattr("strided")?.unbind(),
            is_inference: torch.getattr("is_inference_mode_enabled")?.unbind(),
            default_dtype: torch.getattr("get_default_dtype")?.unbind(),
        })
    }

    /// The key of a call.
    pub fn key(
        &self,
        function: &Py<PyAny>,
        arguments: &Bound<'_, PyTuple>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> Result<Key, Keyless> {
        let python = arguments.py();
        let mut key = Vec::with_capacity(64);
        key.push(address(function.bind(python)));
        key.push(u64::from(
            self.is_inference.call0(python)?.is_truthy(python)?,
        ));
        key.push(address(self.default_dtype.call0(python)?.bind(python)));
        for value in arguments.iter_borrowed() {
            self.push(&value, &mut key)?;
        }
        for (name, value) in keywords.into_iter().flatten() {
            key.push(NAMED);
            self.push(&name, &mut key)?;
            self.push(&value, &mut key)?;
        }
        Ok(key.into_boxed_slice())
    }

    fn push(&self, value: &Bound<'_, PyAny>, key: &mut Vec<u64>) -> Result<(), Keyless> {
        let python = value.py();
        let class = value.get_type();
        if class.is(self.fake.bind(python)) {
            return self.push_tensor(value, key);
        }
        if value.is_none() {
            key.push(NONE);
        } else if let Ok(value) = value.cast_exact::<PyBool>() {
            key.extend([BOOL, u64::from(value.is_true())]);
        } else if let Ok(value) = value.cast_exact::<PyInt>() {
            let number: i64 = value.extract().map_err(|_| Keyless::Unknown)?;
            key.extend([INT, number.cast_unsigned()]);
        } else if let Ok(value) = value.cast_exact::<PyFloat>() {
            key.extend([FLOAT, value.value().to_bits()]);
        } else if let Ok(value) = value.cast_exact::<PyString>() {
            let text = value.to_str().map_err(|_| Keyless::Unknown)?.as_bytes();
            key.extend([TEXT, text.len() as u64]);
            key.extend(text.iter().copied().map(u64::from));
        } else if let Ok(values) = value.cast_exact::<PyList>() {
            key.extend([SEVERAL, values.len() as u64]);
            for value in values {
                self.push(&value, key)?;
            }
        } else if let Ok(values) = value.cast_exact::<PyTuple>() {
            key.extend([SEVERAL, values.len() as u64]);
            for value in values.iter_borrowed() {
                self.push(&value, key)?;
            }
        } else if self.of_one.iter().any(|one| class.is(one.bind(python))) {
            key.extend([ONLY_ONE, address(value)]);
        } else if class.is(self.device.bind(python)) {
            key.push(DEVICE);
            push_device(value, key)?;
        } else {
            return Err(Keyless::Unknown);
        }
        Ok(())
    }

    fn push_tensor(&self, tensor: &Bound<'_, PyAny>, key: &mut Vec<u64>) -> Result<(), Keyless> {
        let python = tensor.py();
        let of = |name| tensor.getattr(name);
        let asked = |name| tensor.call_method0(name)?.is_truthy();
        // What has values is computed with them; others' are not ours to make more of.
        let has_values = !of(intern!(python, "constant"))?.is_none();
        if has_values || !of(intern!(python, "fake_mode"))?.is(&self.mode) {
            return Err(Keyless::Unknown);
        }
        let layout = self.layout.call1(python, (tensor,))?;
        if !layout.is(&self.strided)
            || asked(intern!(python, "is_conj"))?
            || asked(intern!(python, "is_neg"))?
        {
            return Err(Keyless::Unknown);
        }
        key.extend([TENSOR, address(&of(intern!(python, "dtype"))?)]);
        push_device(&device::of(tensor)?.ok_or(Keyless::Unknown)?, key)?;
        let needs_grad = of(intern!(python, "requires_grad"))?.is_truthy()?;
        let inference = asked(intern!(python, "is_inference"))?;
        key.push(u64::from(needs_grad) << 1 | u64::from(inference));
        push_sizes(&of(intern!(python, "shape"))?, key)?;
        push_sizes(&tensor.call_method0(intern!(python, "stride"))?, key)?;
        let offset = tensor.call_method0(intern!(python, "storage_offset"))?;
        let offset: u64 = offset.extract().map_err(|_| Keyless::Unknown)?;
        let storage = tensor.call_method0(intern!(python, "untyped_storage"))?;
        let bytes = storage.call_method0(intern!(python, "nbytes"))?;
        let bytes: u64 = bytes.extract().map_err(|_| Keyless::Unknown)?;
        key.extend([offset, bytes]);
        Ok(())
    }
}

fn address(value: &Bound<'_, PyAny>) -> u64 {
    value.as_ptr().addr() as u64
}

/// A device's hash is its type and its index, whole.
fn push_device(device: &Bound<'_, PyAny>, key: &mut Vec<u64>) -> PyResult<()> {
    key.push(device.hash()?.cast_unsigned() as u64);
    Ok(())
}

/// Sizes; symbols have no key.
fn push_sizes(sizes: &Bound<'_, PyAny>, key: &mut Vec<u64>) -> Result<(), Keyless> {
    let sizes = sizes.cast::<PyTuple>().map_err(|_| Keyless::Unknown)?;
    key.push(sizes.len() as u64);
    for size in sizes.iter_borrowed() {
        let size = size.cast_exact::<PyInt>().map_err(|_| Keyless::Unknown)?;
        let size: i64 = size.extract().map_err(|_| Keyless::Unknown)?;
        key.push(size.cast_unsigned());
    }
    Ok(())
}
