//! A tensor's sizes and type, without its data, as feeds hand it over and formulas see it.

use laptime_ops::{Dtype, Tensor};
use laptime_python_macros::guarded;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// What formulas know of a tensor.
#[pyclass(frozen, eq, module = "laptime._core")]
#[derive(Clone, PartialEq)]
pub struct Shape(pub Tensor);

#[guarded]
#[pymethods]
impl Shape {
    #[new]
    #[pyo3(signature = (shape, dtype, *, strides=None, needs_grad=false, stored=None))]
    fn new(
        shape: Vec<u64>,
        dtype: &str,
        strides: Option<Vec<i64>>,
        needs_grad: bool,
        stored: Option<u64>,
    ) -> PyResult<Self> {
        let unknown = || PyValueError::new_err(format!("{dtype:?} is not the name of a type"));
        let dtype = Dtype::from_name(dtype).ok_or_else(unknown)?;
        let needs_grad = needs_grad && dtype.is_floating();
        Ok(Self(Tensor {
            strides,
            needs_grad,
            stored,
            ..Tensor::new(shape, dtype)
        }))
    }

    #[getter]
    fn shape<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(python, &self.0.shape)
    }

    #[getter]
    fn strides<'py>(&self, python: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let strides = self.0.strides.as_ref();
        strides
            .map(|strides| PyTuple::new(python, strides))
            .transpose()
    }

    #[getter]
    fn dtype(&self) -> String {
        self.0.dtype.name()
    }

    #[getter]
    fn needs_grad(&self) -> bool {
        self.0.needs_grad
    }

    /// Elements by its sizes.
    #[getter]
    fn elements(&self) -> u128 {
        self.0.elements()
    }

    /// Bytes of the storage that reading it touches.
    #[getter]
    fn bytes(&self) -> u128 {
        self.0.bytes()
    }

    fn __len__(&self) -> usize {
        self.0.shape.len()
    }

    fn __getitem__(&self, index: isize) -> PyResult<u64> {
        let rank = self.0.shape.len().cast_signed();
        let at = if index < 0 { index + rank } else { index };
        let size = usize::try_from(at).ok().and_then(|at| self.0.shape.get(at));
        let missing = || format!("dimension {index} of a tensor that has {rank}");
        size.copied()
            .ok_or_else(|| pyo3::exceptions::PyIndexError::new_err(missing()))
    }

    fn __repr__(&self) -> String {
        format!("Shape({:?}, {:?})", self.0.shape, self.0.dtype.name())
    }
}
