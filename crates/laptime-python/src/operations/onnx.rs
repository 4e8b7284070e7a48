//! Counting an ONNX file: opens it, hands the bytes, says in Python's words what is missing.

use laptime_onnx::{OnnxError, OpenDim};
use laptime_python_macros::guarded;
use laptime_reader::named_file;
use pyo3::prelude::*;

use super::counts::OpCounts;
use super::formula;
use crate::errors::{LaptimeError, from_io};
use crate::file_path::FilePath;

/// What an ONNX file's operations cost, its open sizes as given.
#[guarded]
#[pyfunction]
pub fn count_onnx(
    python: Python<'_>,
    path: FilePath,
    dims: Vec<(String, u64)>,
) -> PyResult<Py<OpCounts>> {
    let path = path.path()?;
    let file = named_file::open(&path).map_err(|error| from_io(&error, &path))?;
    let formulas = formula::all(python);
    let counted = python.detach(|| laptime_onnx::count(file, &dims, formulas));
    let counts = counted.map_err(|error| match &error {
        OnnxError::Read { source } => from_io(source, &path),
        OnnxError::OpenDims { open } => LaptimeError::new_err(format!(
            "{}: {error}; give them: dims={{{}}}",
            path.display(),
            example(open)
        )),
        _ => LaptimeError::new_err(format!("{}: {error}", path.display())),
    })?;
    OpCounts::new(python, counts)
}

/// What to write to give these sizes.
fn example(open: &[OpenDim]) -> String {
    let each: Vec<String> = open
        .iter()
        .map(|dim| format!("{:?}: 1", dim.name))
        .collect();
    each.join(", ")
}
