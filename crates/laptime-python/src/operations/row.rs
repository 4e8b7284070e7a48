//! A row of an account: an operator, a module or a phase.

use laptime_core::operations::{ByPhase, CostTally, Counts, ModuleCount, OperatorCount, Phase};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::cost::OpCost;
use super::lookup_errors::Rows;

/// An operator, a module with those in it, or a phase.
#[pyclass(frozen, extends = OpCost, module = "laptime._core")]
pub struct OpRow {
    name: String,
    kind: Option<String>,
    calls: u64,
    params: Option<u64>,
    tallies: Option<ByPhase>,
    own: Option<ByPhase>,
}

impl OpRow {
    fn of_tally(python: Python<'_>, name: &str, tally: CostTally) -> PyResult<Py<Self>> {
        let row = Self {
            name: name.to_owned(),
            kind: None,
            calls: tally.calls(),
            params: None,
            tallies: None,
            own: None,
        };
        Py::new(python, (row, OpCost::of_tally(tally)))
    }

    /// An operator's.
    pub fn of_operator(python: Python<'_>, operator: &OperatorCount) -> PyResult<Py<Self>> {
        let row = Self {
            name: operator.name.clone(),
            kind: None,
            calls: operator.tallies.total().calls(),
            params: None,
            tallies: Some(operator.tallies),
            own: None,
        };
        Py::new(python, (row, OpCost::new(&operator.tallies)))
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
        Py::new(python, (row, OpCost::new(&module.inclusive)))
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

#[pymethods]
impl OpRow {
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// A module's class.
    #[getter]
    fn kind(&self) -> Option<&str> {
        self.kind.as_deref()
    }

    /// Calls of the operator, or of the module.
    #[getter]
    fn calls(&self) -> u64 {
        self.calls
    }

    /// Elements of a module's parameters and of those in it, each once.
    #[getter]
    fn params(&self) -> Option<u64> {
        self.params
    }

    /// What is directly in the module; None where the row is no module's.
    #[getter]
    fn own(&self, python: Python<'_>) -> PyResult<Option<Py<OpCost>>> {
        let own = self.own.as_ref();
        own.map(|own| Py::new(python, OpCost::new(own))).transpose()
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
