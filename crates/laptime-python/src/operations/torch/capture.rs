//! Reads a call's arguments and results: sizes, strides, types, numbers.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use laptime_ops::{Argument, Dtype, Tensor};
use pyo3::Borrowed;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple, PyType};

use super::super::argument::{of_scalars, scalar};
use super::super::shape::Shape;
use crate::handler;
use crate::interned::intern;

/// Why something can't be read.
pub enum Unread {
    /// The tensor's sizes depend on data.
    Unsized,
    /// The time of the program was up, or somebody wanted an exit.
    Raised(PyErr),
}

impl Unread {
    fn because(python: Python<'_>, error: PyErr) -> Self {
        if handler::raised(python, &error) {
            return Self::Raised(error);
        }
        Self::Unsized
    }
}

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
    ) -> Result<Argument, Unread> {
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
        let dtype = is_dtype.then(|| self.dtype(value)).transpose();
        let dtype = dtype.map_err(|error| Unread::because(value.py(), error))?;
        Ok(dtype.flatten().map_or(Argument::Absent, Argument::Dtype))
    }

    fn several(
        &self,
        values: &[Bound<'_, PyAny>],
        slow: &Bound<'_, PyAny>,
    ) -> Result<Argument, Unread> {
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
    ) -> Result<(), Unread> {
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

    fn tensor(&self, tensor: &Bound<'_, PyAny>, slow: &Bound<'_, PyAny>) -> Result<Tensor, Unread> {
        let python = tensor.py();
        let why = match self.strided(tensor) {
            Ok(read) => return Ok(read),
            Err(error) => Unread::because(python, error),
        };
        if matches!(why, Unread::Raised(_)) {
            return Err(why);
        }
        let described = slow.call_method1(intern!(python, "describe"), (tensor,));
        let shape = described.map_err(|error| Unread::because(python, error))?;
        let shape = shape.cast::<Shape>().map_err(|_| Unread::Unsized)?;
        Ok(shape.get().0.clone())
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
            dtype: self.dtype(&dtype)?.unwrap_or(Dtype::integer(8)),
            stored: None,
            needs_grad: needs_grad.is_truthy()?,
        })
    }

    fn dtype(&self, dtype: &Bound<'_, PyAny>) -> PyResult<Option<Dtype>> {
        // Types of elements are never freed, so an address stands for one.
        let key = dtype.as_ptr().addr();
        if let Some(dtype) = self.dtypes().get(&key) {
            return Ok(Some(*dtype));
        }
        let found = Dtype::from_name(&dtype.str()?.to_cow()?);
        if let Some(found) = found {
            self.dtypes().insert(key, found);
        }
        Ok(found)
    }

    /// Never held while Python runs.
    fn dtypes(&self) -> MutexGuard<'_, HashMap<usize, Dtype>> {
        self.dtypes.lock().unwrap_or_else(PoisonError::into_inner)
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
