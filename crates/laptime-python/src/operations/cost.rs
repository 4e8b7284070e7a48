//! What operations cost together: the columns that the account and its rows share.

use laptime_core::operations::{ByPhase, CostTally};
use pyo3::prelude::*;

use super::lookup_errors;

/// Costs, by column.
#[pyclass(frozen, subclass, module = "laptime._core")]
pub struct OpCost {
    total: CostTally,
}

impl OpCost {
    /// What a thing costs, all phases together.
    pub fn new(tallies: &ByPhase) -> Self {
        Self {
            total: tallies.total(),
        }
    }

    /// What one phase costs.
    pub fn of_tally(total: CostTally) -> Self {
        Self { total }
    }
}

#[pymethods]
impl OpCost {
    /// Operations that ran, known or not.
    #[getter]
    fn operations(&self) -> u64 {
        self.total.calls()
    }

    #[getter]
    fn coverage_ratio(&self) -> Option<f64> {
        self.total.coverage_ratio()
    }

    #[getter]
    fn mac(&self) -> u128 {
        self.total.cost.mac
    }

    #[getter]
    fn flop(&self) -> u128 {
        self.total.cost.flop()
    }

    #[getter]
    fn active_flop(&self) -> u128 {
        self.total.cost.active_flop()
    }

    #[getter]
    fn executed_flop(&self) -> u128 {
        self.total.cost.executed_flop()
    }

    #[getter]
    fn other_flop(&self) -> u128 {
        self.total.cost.other_flop
    }

    #[getter]
    fn total_flop(&self) -> u128 {
        self.total.cost.total_flop()
    }

    #[getter]
    fn integer_op(&self) -> u128 {
        self.total.cost.integer_op
    }

    #[getter]
    fn transcendental(&self) -> u128 {
        self.total.cost.transcendental
    }

    #[getter]
    fn compare(&self) -> u128 {
        self.total.cost.compare
    }

    #[getter]
    fn bytes_read(&self) -> u128 {
        self.total.cost.bytes_read
    }

    #[getter]
    fn bytes_written(&self) -> u128 {
        self.total.cost.bytes_written
    }

    #[getter]
    fn communication_bytes(&self) -> u128 {
        self.total.cost.communication_bytes
    }

    #[getter]
    fn intensity(&self) -> Option<f64> {
        self.total.cost.intensity_flop_per_byte()
    }

    fn __getattr__(this: &Bound<'_, Self>, name: &str) -> PyResult<()> {
        Err(lookup_errors::attribute(this.as_any(), name))
    }
}
