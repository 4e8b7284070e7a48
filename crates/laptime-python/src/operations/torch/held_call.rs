//! A call that was counted, held until it is known what a mask leaves of it.

use laptime_ops::{Event, Left};
use laptime_python_macros::guarded;
use pyo3::prelude::*;

use super::super::feed::Feed;

/// A call that was counted.
#[pyclass(frozen, module = "laptime._core")]
pub struct TakenOp {
    /// Where the call was counted.
    pub feed: Py<Feed>,
    /// What the call was.
    pub event: Event,
}

impl TakenOp {
    fn mask(&self, python: Python<'_>, left: Left) -> PyResult<()> {
        let mut feed = self.feed.bind(python).try_borrow_mut()?;
        feed.mask(self.event.clone(), left);
        Ok(())
    }
}

#[guarded]
#[pymethods]
impl TakenOp {
    /// A mask leaves so many of so many scores.
    #[pyo3(signature = (active, all, /))]
    fn leaves(&self, python: Python<'_>, active: u64, all: u64) -> PyResult<()> {
        let (active, all) = (active.into(), all.into());
        self.mask(python, Left::Part { active, all })
    }

    /// What its mask leaves isn't known, as `reason`.
    #[pyo3(signature = (reason, /))]
    fn is_dense(&self, python: Python<'_>, reason: String) -> PyResult<()> {
        self.mask(python, Left::Unknown(reason))
    }
}
