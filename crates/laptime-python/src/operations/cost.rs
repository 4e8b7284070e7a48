//! What operations cost together: the columns that the account and its rows share.

use laptime_core::operations::CostTally;
use laptime_python_macros::guarded;
use pyo3::prelude::*;

use super::lookup_errors;

/// Costs, by column.
#[pyclass(frozen, subclass, module = "laptime._core")]
pub struct OpCost {
    /// Operations that ran, known or not.
    operations: u64,
    coverage_ratio: Option<f64>,
    mac: u128,
    flop: u128,
    active_flop: u128,
    executed_flop: u128,
    other_flop: u128,
    total_flop: u128,
    integer_op: u128,
    transcendental: u128,
    compare: u128,
    bytes_read: u128,
    bytes_written: u128,
    communication_bytes: u128,
    intensity: Option<f64>,
}

impl From<CostTally> for OpCost {
    fn from(tally: CostTally) -> Self {
        let cost = tally.cost;
        Self {
            operations: tally.calls(),
            coverage_ratio: tally.coverage_ratio(),
            mac: cost.mac,
            flop: cost.flop(),
            active_flop: cost.active_flop(),
            executed_flop: cost.executed_flop(),
            other_flop: cost.other_flop,
            total_flop: cost.total_flop(),
            integer_op: cost.integer_op,
            transcendental: cost.transcendental,
            compare: cost.compare,
            bytes_read: cost.bytes_read,
            bytes_written: cost.bytes_written,
            communication_bytes: cost.communication_bytes,
            intensity: cost.intensity_flop_per_byte(),
        }
    }
}

#[guarded(
    operations,
    coverage_ratio,
    mac,
    flop,
    active_flop,
    executed_flop,
    other_flop,
    total_flop,
    integer_op,
    transcendental,
    compare,
    bytes_read,
    bytes_written,
    communication_bytes,
    intensity
)]
#[pymethods]
impl OpCost {
    fn __getattr__(this: &Bound<'_, Self>, name: &str) -> PyResult<()> {
        Err(lookup_errors::attribute(this.as_any(), name))
    }
}
