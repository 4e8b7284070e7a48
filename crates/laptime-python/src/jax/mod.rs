//! What JAX tells of itself: what it [compiles](compilation), by the listeners of `jax.monitoring`.
//!
//! Nothing of JAX's is replaced, and nothing imported. What is done with it is Python's business:
//! `laptime.integrations._autojax`.

mod compilation;

use pyo3::prelude::*;

/// Adds it to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<compilation::Compilations>()
}
