//! A row of an account: an operator, a module or a phase.

use laptime_core::operations::{ByPhase, CostTally, Counts, ModuleCount, OperatorCount, Phase};
use laptime_python_macros::guarded;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::cost::OpCost;
use super::lookup_errors::Rows;

/// An operator, a module with those in it, or a phase.
#[pyclass(frozen, extends = OpCost, module = "laptime._core")]
#[derive(Default)]
pub struct OpRow {
    name: String,
    /// A module's class.
    kind: Option<String>,
    /// Calls of the operator, or of the module.
    calls: u64,
    /// Elements of a module's parameters and of those in it, each once.
    params: Option<u64>,
    tallies: Option<ByPhase>,
    own: Option<ByPhase>,
}

impl OpRow {
    fn of_tally(python: Python<'_>, name: &str, tally: CostTally) -> PyResult<Py<Self>> {
        let row = Self {
            name: name.to_owned(),
            calls: tally.calls(),
            ..Self::default()
        };
        Py::new(python, (row, OpCost::from(tally)))
    }

    /// An operator's.
    pub fn of_operator(python: Python<'_>, operator: &OperatorCount) -> PyResult<Py<Self>> {
        let row = Self {
            name: operator.name.clone(),
            calls: operator.tallies.total().calls(),
            tallies: Some(operator.tallies),
            ..Self::default()
        };
        Py::new(python, (row, OpCost::from(operator.tallies.total())))
    }

    /// A module's.
    pub fn of_module(
        python: Python<'_>,
        counts: &Counts,
        module: &ModuleCount,
    ) -> PyResult<Py<Self>> {
        let row = Self {
            name: module.path.clone(),
            kind: Some(module.kind.clone()).filter(|kind| !kind.is_empty()),
            calls: module.calls,
            params: counts.params.map(|_| module.params),
            tallies: Some(module.inclusive),
            own: Some(module.own),
        };
        Py::new(python, (row, OpCost::from(module.inclusive.total())))
    }
}

/// Rows by phase; phases in which nothing ran have none.
pub fn by_phase<'py>(python: Python<'py>, tallies: &ByPhase) -> PyResult<Bound<'py, PyDict>> {
    let rows = Rows::empty(python, "phase")?;
    for phase in Phase::ALL {
        let tally = *tallies.phase(phase);
        if tally.calls() > 0 {
            let row = OpRow::of_tally(python, phase.name(), tally)?;
            rows.set_item(phase.name(), row)?;
        }
    }
    Ok(rows)
}

#[guarded(name, kind, calls, params)]
#[pymethods]
impl OpRow {
    /// What is directly in the module; None where the row is no module's.
    #[getter]
    fn own(&self, python: Python<'_>) -> PyResult<Option<Py<OpCost>>> {
        let own = self.own.as_ref();
        own.map(|own| Py::new(python, OpCost::from(own.total())))
            .transpose()
    }

    #[getter]
    fn by_phase<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        by_phase(python, &self.tallies.unwrap_or_default())
    }

    fn __repr__(this: &Bound<'_, Self>) -> PyResult<String> {
        let flop: u128 = this.getattr("flop")?.extract()?;
        let (name, calls) = (&this.get().name, this.get().calls);
        Ok(format!("<OpRow {name:?}: {calls} calls, {flop} FLOP>"))
    }
}
