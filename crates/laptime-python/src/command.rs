//! The command line, called from the `laptime` console script.

use std::ffi::OsString;

use laptime_python_macros::guarded;
use pyo3::prelude::*;

/// Runs `laptime` with these arguments, the program's name first, and returns its exit code.
#[guarded]
#[pyfunction]
pub fn run_cli(python: Python<'_>, arguments: Vec<OsString>) -> i32 {
    let code = python.detach(|| laptime_cli::of_process(arguments));
    #[cfg(feature = "as-tested")]
    let code = crate::contradictions::end(code);
    code
}
