//! What an iterator of a data loader carries: its memory, for as long as it lives.

use std::sync::Arc;

use pyo3::prelude::*;

use super::loader::{Iteration, Loader};

/// Memory of a data loader.
#[pyclass(frozen, name = "LoaderMemory", module = "laptime._core")]
#[derive(Default)]
pub struct LoaderMemory(Arc<Loader>);

#[pymethods]
impl LoaderMemory {
    #[new]
    fn new() -> Self {
        Self::default()
    }
}

/// One pass over a loader. The iterator holds it, so it lives as long as that.
#[pyclass(frozen, name = "Iteration", module = "laptime._core")]
pub struct Pass(pub Arc<Iteration>);

#[pymethods]
impl Pass {
    #[new]
    fn new(loader: &LoaderMemory) -> Self {
        Self(Arc::new(Iteration::new(Arc::clone(&loader.0))))
    }

    /// Notes when the iterator was made.
    fn made(&self, start: u64, end: u64) {
        self.0.set_made(start, end);
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        self.0.gone.set(true);
    }
}
