//! When something happens: in the forward, the backward, a forward that runs again, the optimizer.

use laptime_ops::Phase;
use pyo3::prelude::*;

use crate::interned::intern;

/// The questions that torch answers about a moment.
pub struct Moment {
    graph_task: Py<PyAny>,
    node: Py<PyAny>,
    grad_enabled: Py<PyAny>,
    next_node: Py<PyAny>,
}

impl Moment {
    /// For the torch that is imported.
    pub fn new(torch: &Bound<'_, PyAny>) -> PyResult<Self> {
        let core = torch.getattr("_C")?;
        Ok(Self {
            graph_task: core.getattr("_current_graph_task_id")?.unbind(),
            node: core.getattr("_current_autograd_node")?.unbind(),
            grad_enabled: core.getattr("is_grad_enabled")?.unbind(),
            next_node: core
                .getattr("_autograd")?
                .getattr("_get_sequence_nr")?
                .unbind(),
        })
    }

    /// Whether the engine is at work.
    pub fn is_backward(&self, python: Python<'_>) -> PyResult<bool> {
        Ok(self.graph_task.call0(python)?.extract::<i64>(python)? >= 0)
    }

    /// What the engine's work is: gradients, which record nothing unless gradients of them are
    /// wanted, or a forward that runs again.
    pub fn backward(&self, python: Python<'_>, records: bool) -> PyResult<Phase> {
        let grad_enabled = self.grad_enabled.call0(python)?.is_truthy(python)?;
        Ok(if grad_enabled && !records {
            Phase::Recompute
        } else {
            Phase::Backward
        })
    }

    /// The number of the node that the engine is at.
    pub fn node(&self, python: Python<'_>) -> PyResult<Option<u64>> {
        let node = self.node.bind(python).call0()?;
        if node.is_none() {
            return Ok(None);
        }
        let number = node.call_method0(intern!(python, "_sequence_nr"))?;
        number.extract().map(Some)
    }

    /// The number that the next node gets.
    pub fn next_node(&self, python: Python<'_>) -> PyResult<u64> {
        self.next_node.call0(python)?.extract(python)
    }
}
