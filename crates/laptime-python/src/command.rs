//! The command line, called from the `laptime` console script.

use std::ffi::OsString;
use std::io::{stderr, stdout};

use pyo3::prelude::*;

/// Runs `laptime` with these arguments, the program's name first, and returns its exit code.
#[pyfunction]
fn run_cli(python: Python<'_>, arguments: Vec<OsString>) -> i32 {
    python.detach(|| laptime_cli::run(arguments, &mut stdout(), &mut stderr()))
}

/// Adds the function to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(run_cli, module)?)
}
