//! Laps as NVTX ranges, and when a profiler of CUDA's looks: what NVIDIA's tools are told.

use laptime_python_macros::guarded;
use laptime_recorder::{cuda_profiler, tell_attached_tool};
use pyo3::prelude::*;

use crate::entry::measuring;

/// Hands laps to the attached tool from now on; why not, if so.
#[guarded]
#[pyfunction]
pub fn nvtx_start() -> Option<String> {
    measuring(
        || None,
        || tell_attached_tool().err().map(|reason| reason.0),
    )
}

/// Lets a profiler of CUDA's begin; why it couldn't, if so.
#[guarded]
#[pyfunction]
pub fn cuda_profiler_start() -> Option<String> {
    measuring(
        || None,
        || cuda_profiler::start().err().map(|reason| reason.0),
    )
}

/// Lets a profiler of CUDA's stop; why it couldn't, if so.
#[guarded]
#[pyfunction]
pub fn cuda_profiler_stop() -> Option<String> {
    measuring(
        || None,
        || cuda_profiler::stop().err().map(|reason| reason.0),
    )
}
