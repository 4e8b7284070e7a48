//! Reads a call's arguments and results: sizes, strides, types, numbers.

use std::collections::HashMap;
use std::sync::Mutex;

use laptime_ops::{Argument, Dtype, Tensor};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple, PyType};
use pyo3::{Borrowed, intern};

use super::super::argument::{of_scalars, scalar};
use super::super::shape::Shape;

/// Something whose sizes depend on data.
pub struct Unsized;

/// What tells tensors from the rest, and types of elements from each other.
pub struct Capture {
    tensor: Py<PyType>,
    dtype: Py<PyType>,
    dtypes: Mutex<HashMap<usize, Dtype>>,
}

impl Capture {
    /// For the torch that is imported.
    pub fn new(torch: &Bound<'_, PyAny>) -> PyResult<Self> {
        let class = |name| PyResult::Ok(torch.getattr(name)?.cast_into::<PyType>()?.unbind());
        Ok(Self {
            tensor: class("Tensor")?,
            dtype: class("dtype")?,
            dtypes: Mutex::default(),
        })
    }

    fn is_tensor(&self, value: &Bound<'_, PyAny>) -> bool {
        let class = value.get_type();
        class
            .is_subclass(self.tensor.bind(value.py()))
            .unwrap_or(false)
    }

    /// What was passed. `slow` describes tensors that have no strides.
    pub fn argument(
        &self,
        value: &Bound<'_, PyAny>,
        slow: &Bound<'_, PyAny>,
    ) -> Result<Argument, Unsized> {
        if value.is_none() {
            return Ok(Argument::Absent);
        }
        if let Ok(values) = value.cast_exact::<PyList>() {
            return self.several(&values.iter().collect::<Vec<_>>(), slow);
        }
        if let Some(found) = scalar(value) {
            return Ok(found);
        }
        if self.is_tensor(value) {
            return self.tensor(value, slow).map(Argument::Tensor);
        }
        if let Ok(values) = value.cast::<PyTuple>() {
            return self.several(&values.iter().collect::<Vec<_>>(), slow);
        }
        let is_dtype = value.get_type().is(self.dtype.bind(value.py()));
        let dtype = is_dtype.then(|| self.dtype(value)).flatten();
        Ok(dtype.map_or(Argument::Absent, Argument::Dtype))
    }

    fn several(
        &self,
        values: &[Bound<'_, PyAny>],
        slow: &Bound<'_, PyAny>,
    ) -> Result<Argument, Unsized> {
        if !values.iter().any(|value| self.is_tensor(value)) {
            return Ok(of_scalars(values.iter().map(scalar)));
        }
        let one = |value: &Bound<'_, PyAny>| {
            let is_tensor = self.is_tensor(value);
            is_tensor.then(|| self.tensor(value, slow)).transpose()
        };
        values
            .iter()
            .map(one)
            .collect::<Result<_, _>>()
            .map(Argument::Tensors)
    }

    /// The tensors among what came out.
    pub fn outputs(
        &self,
        value: &Bound<'_, PyAny>,
        slow: &Bound<'_, PyAny>,
        into: &mut Vec<Tensor>,
    ) -> Result<(), Unsized> {
        if self.is_tensor(value) {
            into.push(self.tensor(value, slow)?);
        } else if let Ok(values) = value.cast::<PyTuple>() {
            for value in values {
                self.outputs(&value, slow, into)?;
            }
        } else if let Ok(values) = value.cast::<PyList>() {
            for value in values {
                self.outputs(&value, slow, into)?;
            }
        }
        Ok(())
    }

    fn tensor(
        &self,
        tensor: &Bound<'_, PyAny>,
        slow: &Bound<'_, PyAny>,
    ) -> Result<Tensor, Unsized> {
        self.strided(tensor).or_else(|_| {
            let described = slow.call_method1(intern!(tensor.py(), "describe"), (tensor,));
            let shape = described
                .as_ref()
                .ok()
                .and_then(|it| it.cast::<Shape>().ok());
            shape.map(|shape| shape.get().0.clone()).ok_or(Unsized)
        })
    }

    fn strided(&self, tensor: &Bound<'_, PyAny>) -> PyResult<Tensor> {
        let python = tensor.py();
        let sizes = tensor.getattr(intern!(python, "shape"))?;
        let shape = integers::<u64>(&sizes)?;
        let strides = tensor.call_method0(intern!(python, "stride"))?;
        let strides = integers::<i64>(&strides)?;
        if !strides.is_empty() && strides.iter().all(|stride| *stride == 0) {
            // Expanded in every dimension; sparse ones say the same of themselves.
            let is_sparse = tensor.getattr(intern!(python, "is_sparse"))?;
            if is_sparse.is_truthy()? {
                return Err(PyTypeError::new_err("a sparse tensor has no strides"));
            }
        }
        let dtype = tensor.getattr(intern!(python, "dtype"))?;
        let needs_grad = tensor.getattr(intern!(python, "requires_grad"))?;
        Ok(Tensor {
            strides: (!is_dense(&shape, &strides)).then_some(strides),
            shape,
            dtype: self.dtype(&dtype).unwrap_or(Dtype::integer(8)),
            stored: None,
            needs_grad: needs_grad.is_truthy()?,
        })
    }

    fn dtype(&self, dtype: &Bound<'_, PyAny>) -> Option<Dtype> {
        let mut known = self.dtypes.lock().ok()?;
        // Types of elements are never freed, so an address stands for one.
        let key = dtype.as_ptr().addr();
        if let Some(dtype) = known.get(&key) {
            return Some(*dtype);
        }
        let name = dtype.str().ok()?;
        let found = Dtype::from_name(&name.to_cow().ok()?)?;
        known.insert(key, found);
        Some(found)
    }
}

/// Plain integers; symbolic ones are refused.
fn integers<'py, T>(values: &Bound<'py, PyAny>) -> PyResult<Vec<T>>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    let values = values.cast::<PyTuple>()?;
    let one = |value: Borrowed<'_, 'py, PyAny>| {
        let value = value.cast::<pyo3::types::PyInt>()?;
        value.extract::<T>()
    };
    values.iter_borrowed().map(one).collect()
}

/// Whether elements lie one after the other.
fn is_dense(shape: &[u64], strides: &[i64]) -> bool {
    let mut next = 1;
    for (size, stride) in shape.iter().zip(strides).rev() {
        if *size != 1 && *stride != next {
            return false;
        }
        next = next.saturating_mul((*size).cast_signed());
    }
    true
}
