//! What this machine is, for what Python saves: benchmarks of two machines aren't compared.

use laptime_python_macros::guarded;
use laptime_recorder::ceilings;
use pyo3::prelude::*;

/// The processor's name, and how many processors this process may use.
#[guarded]
#[pyfunction]
pub fn machine() -> (String, usize) {
    (ceilings::processor(), ceilings::processors())
}
