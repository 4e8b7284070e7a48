//! What this machine is, for what Python saves: benchmarks of two machines aren't compared.

use laptime_recorder::ceilings;
use pyo3::prelude::*;

/// The processor's name, and how many processors this process may use.
#[pyfunction]
pub fn machine() -> (String, usize) {
    (ceilings::processor(), ceilings::processors())
}
