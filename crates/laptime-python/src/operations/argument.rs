//! Arguments of a call, from Python and back.

use laptime_ops::{Argument, Tensor};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyString, PyTuple};

use super::shape::Shape;

/// What Python passed; anything that no formula looks at is absent.
pub fn from_python(value: &Bound<'_, PyAny>) -> Argument {
    if let Ok(shape) = value.cast::<Shape>() {
        Argument::Tensor(shape.get().0.clone())
    } else if let Ok(values) = value.cast::<PyList>() {
        several(values.iter())
    } else if let Ok(values) = value.cast::<PyTuple>() {
        several(values.iter())
    } else {
        scalar(value).unwrap_or(Argument::Absent)
    }
}

/// A number, a truth value or a text.
pub fn scalar(value: &Bound<'_, PyAny>) -> Option<Argument> {
    if value.is_instance_of::<PyBool>() {
        value.extract().ok().map(Argument::Bool)
    } else if value.is_instance_of::<PyInt>() {
        value.extract().ok().map(Argument::Int)
    } else if value.is_instance_of::<PyFloat>() {
        value.extract().ok().map(Argument::Float)
    } else if value.is_instance_of::<PyString>() {
        value.extract().ok().map(Argument::Text)
    } else {
        None
    }
}

/// A list of one kind. Tensors may be absent in it; real numbers may be written as integers.
fn several<'py>(values: impl Iterator<Item = Bound<'py, PyAny>>) -> Argument {
    let tensor = |value: &Bound<'py, PyAny>| value.cast::<Shape>().ok().map(|s| s.get().0.clone());
    let values: Vec<Bound<'py, PyAny>> = values.collect();
    if values.iter().any(Bound::is_instance_of::<Shape>) {
        return Argument::Tensors(values.iter().map(tensor).collect());
    }
    of_scalars(values.iter().map(scalar))
}

/// A list of numbers, truth values or texts.
pub fn of_scalars(values: impl Iterator<Item = Option<Argument>>) -> Argument {
    let Some(values) = values.collect::<Option<Vec<Argument>>>() else {
        return Argument::Absent;
    };
    let int = |value: &Argument| match value {
        Argument::Int(value) => Some(*value),
        _ => None,
    };
    let bool = |value: &Argument| match value {
        Argument::Bool(value) => Some(*value),
        _ => None,
    };
    let float = |value: &Argument| match value {
        Argument::Float(value) => Some(*value),
        Argument::Int(value) => Some(*value as f64),
        _ => None,
    };
    let text = |value: &Argument| match value {
        Argument::Text(value) => Some(value.clone()),
        _ => None,
    };
    all(&values, int)
        .map(Argument::Ints)
        .or_else(|| all(&values, bool).map(Argument::Bools))
        .or_else(|| all(&values, float).map(Argument::Floats))
        .or_else(|| all(&values, text).map(Argument::Texts))
        .unwrap_or(Argument::Absent)
}

/// All of them, where each is of one kind.
fn all<T>(values: &[Argument], one: impl Fn(&Argument) -> Option<T>) -> Option<Vec<T>> {
    values.iter().map(one).collect()
}

/// What a formula of the user's sees.
pub fn to_python(python: Python<'_>, argument: &Argument) -> PyResult<Py<PyAny>> {
    let shape = |tensor: &Tensor| Shape(tensor.clone());
    match argument {
        Argument::Absent => Ok(python.None()),
        Argument::Tensor(tensor) => shape(tensor).into_py_any(python),
        Argument::Tensors(tensors) => {
            let all = tensors.iter().map(|tensor| tensor.as_ref().map(shape));
            all.collect::<Vec<_>>().into_py_any(python)
        }
        Argument::Bool(value) => value.into_py_any(python),
        Argument::Bools(values) => values.into_py_any(python),
        Argument::Int(value) => value.into_py_any(python),
        Argument::Ints(values) => values.into_py_any(python),
        Argument::Float(value) => value.into_py_any(python),
        Argument::Floats(values) => values.into_py_any(python),
        Argument::Text(value) => value.into_py_any(python),
        Argument::Texts(values) => values.into_py_any(python),
        Argument::Dtype(dtype) => dtype.name().into_py_any(python),
    }
}
