//! Formulas that the user writes in Python.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use laptime_ops::{Argument, Cost, Event, Formulas};
use laptime_python_macros::guarded;
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyMapping;

use super::argument;
use super::shape::Shape;

/// A call, as a formula sees it.
#[pyclass(frozen, module = "laptime._core")]
pub struct OpCall(Event);

#[guarded]
#[pymethods]
impl OpCall {
    #[getter]
    fn name(&self) -> &str {
        &self.0.signature.name
    }

    /// The tensors that go in, those in lists too, in order.
    #[getter]
    fn inputs(&self) -> Vec<Shape> {
        let inputs = self.0.arguments.iter().flat_map(Argument::tensors);
        inputs.cloned().map(Shape).collect()
    }

    /// The tensors that come out.
    #[getter]
    fn outputs(&self) -> Vec<Shape> {
        self.0.outputs.iter().cloned().map(Shape).collect()
    }

    /// An argument by its name in the operator's schema; `None` where it wasn't passed.
    fn __getitem__(&self, python: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        let names = &self.0.signature.arguments;
        let missing = || format!("{name:?}; its arguments are {}", names.join(", "));
        let index = names.iter().position(|known| known == name);
        let index = index.ok_or_else(|| PyKeyError::new_err(missing()))?;
        let argument = self.0.arguments.get(index);
        argument::to_python(python, argument.unwrap_or(&Argument::Absent))
    }

    fn __repr__(&self) -> String {
        let names = self.0.signature.arguments.join(", ");
        format!("<{}({names})>", self.0.signature.name)
    }
}

/// What a Python function says that a call costs.
///
/// **Errors** with what it raised or what is wrong with its answer, for the list of the uncounted.
pub fn ask(function: &Py<PyAny>, event: &Event) -> Result<Cost, String> {
    Python::attach(|python| {
        let answer = function
            .call1(python, (OpCall(event.clone()),))
            .map_err(|error| format!("its formula raised {error}"))?;
        cost(answer.bind(python), event).map_err(|error| format!("its formula's answer: {error}"))
    })
}

/// An answer's columns; where nothing is said of bytes, each tensor is touched once.
fn cost(answer: &Bound<'_, PyAny>, event: &Event) -> PyResult<Cost> {
    let Ok(columns) = answer.cast::<PyMapping>() else {
        let said = answer.repr()?;
        let message = format!("a dict such as {{\"mac\": m * n * k}} was expected, not {said}");
        return Err(PyTypeError::new_err(message));
    };
    let (bytes_read, bytes_written) = event.traffic();
    let mut cost = Cost {
        bytes_read,
        bytes_written,
        ..Cost::default()
    };
    let (mut active, mut executed) = (None, None);
    for item in columns.items()?.iter() {
        let (column, number): (String, u128) = item.extract()?;
        let field = match column.as_str() {
            "mac" => &mut cost.mac,
            "active_mac" => active.insert(0),
            "executed_mac" => executed.insert(0),
            "other_flop" => &mut cost.other_flop,
            "integer_op" => &mut cost.integer_op,
            "transcendental" => &mut cost.transcendental,
            "compare" => &mut cost.compare,
            "bytes_read" => &mut cost.bytes_read,
            "bytes_written" => &mut cost.bytes_written,
            "communication_bytes" => &mut cost.communication_bytes,
            _ => return Err(unknown(&column)),
        };
        *field = number;
    }
    cost.active_mac = active.unwrap_or(cost.mac);
    cost.executed_mac = executed.unwrap_or(cost.mac);
    Ok(cost)
}

fn unknown(column: &str) -> PyErr {
    PyValueError::new_err(format!(
        "{column:?} is no column; there are mac, active_mac, executed_mac, other_flop, \
         integer_op, transcendental, compare, bytes_read, bytes_written, communication_bytes"
    ))
}

/// The user's formulas, by operator. Feeds take those that are there when they are made.
static REGISTERED: Mutex<BTreeMap<String, Py<PyAny>>> = Mutex::new(BTreeMap::new());

fn registered() -> MutexGuard<'static, BTreeMap<String, Py<PyAny>>> {
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts an operator by a Python function from now on; by Laptime's own again for `None`.
#[guarded]
#[pyfunction]
pub fn register_formula(python: Python<'_>, name: String, formula: Option<Py<PyAny>>) {
    let before = match formula {
        Some(formula) => registered().insert(name, formula.clone_ref(python)),
        None => registered().remove(&name),
    };
    // Dropped without the lock: whatever that runs may register too.
    drop(before);
}

/// Whether the user has a formula for an operator.
#[guarded]
#[pyfunction]
pub fn has_formula(name: &str) -> bool {
    registered().contains_key(name)
}

/// Every formula that is known, the user's first.
pub fn all(python: Python<'_>) -> Formulas {
    let mut formulas = Formulas::standard();
    for (name, function) in registered().iter() {
        let function = function.clone_ref(python);
        formulas.register(name, move |event| ask(&function, event));
    }
    formulas
}
