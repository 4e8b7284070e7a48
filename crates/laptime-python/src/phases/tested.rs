//! The machine alone, for tests: events from Python, spans into an object of the test's.

use std::cell::RefCell;

use pyo3::prelude::*;

use super::here;
use super::laps::Program;
use super::machine::Machine;
use super::pass::Pass;
use super::scripted::Scripted;

/// A machine that a test drives.
#[pyclass(unsendable, frozen, module = "laptime._core")]
pub struct PhaseMachine {
    machine: RefCell<Machine>,
    program: Py<PyAny>,
}

/// A test's program: it has `grad` and `by_hand`.
struct Told<'a, 'py> {
    program: &'a Bound<'py, PyAny>,
    training: bool,
    trains: bool,
}

impl Told<'_, '_> {
    fn is(&self, name: &str) -> bool {
        let told = self.program.getattr(name);
        told.and_then(|told| told.is_truthy())
            .map_err(here::trouble)
            .unwrap_or(false)
    }
}

impl Program for Told<'_, '_> {
    fn grad(&self) -> bool {
        self.is("grad")
    }

    fn training(&self) -> bool {
        self.training
    }

    fn trains(&self) -> bool {
        self.trains
    }

    fn by_hand(&self) -> bool {
        self.is("by_hand")
    }
}

impl PhaseMachine {
    fn tell(&self, event: impl FnOnce(&mut Machine)) -> PyResult<()> {
        event(&mut self.machine.borrow_mut());
        here::take_trouble().map_or(Ok(()), Err)
    }
}

#[pymethods]
impl PhaseMachine {
    #[new]
    fn new(core: Py<PyAny>, program: Py<PyAny>) -> Self {
        Self {
            machine: RefCell::new(Machine::new(Box::new(Scripted::new(core)))),
            program,
        }
    }

    fn fetch_begin(&self, python: Python<'_>, iteration: &Pass) -> PyResult<()> {
        let program = Told {
            program: self.program.bind(python),
            training: true,
            trains: true,
        };
        self.tell(|machine| machine.fetch_begin(&iteration.0, &program))
    }

    fn fetch_end(&self) -> PyResult<()> {
        self.tell(Machine::fetch_end)
    }

    fn fetch_failed(&self, iteration: &Pass) -> PyResult<()> {
        self.tell(|machine| machine.fetch_failed(&iteration.0))
    }

    fn exhausted(&self, iteration: &Pass) -> PyResult<()> {
        self.tell(|machine| machine.exhausted(&iteration.0))
    }

    #[pyo3(signature = (*, training=true, trains=true))]
    fn forward_begin(&self, python: Python<'_>, training: bool, trains: bool) -> PyResult<()> {
        let program = Told {
            program: self.program.bind(python),
            training,
            trains,
        };
        self.tell(|machine| machine.forward_begin(&program))
    }

    #[pyo3(signature = (*, raised=false))]
    fn forward_end(&self, raised: bool) -> PyResult<()> {
        self.tell(|machine| machine.forward_end(raised))
    }

    fn backward_begin(&self) -> PyResult<()> {
        self.tell(Machine::backward_begin)
    }

    fn gradient_begin(&self) -> PyResult<()> {
        self.tell(Machine::gradient_begin)
    }

    fn update_inside(&self) -> PyResult<()> {
        self.tell(Machine::update_inside)
    }

    #[pyo3(signature = (*, raised=false))]
    fn backward_end(&self, raised: bool) -> PyResult<()> {
        self.tell(|machine| machine.backward_end(raised))
    }

    fn optimizer_begin(&self, stepping: bool) -> PyResult<()> {
        self.tell(|machine| machine.optimizer_begin(stepping))
    }

    #[pyo3(signature = (stepping, *, raised=false))]
    fn optimizer_end(&self, stepping: bool, raised: bool) -> PyResult<()> {
        self.tell(|machine| machine.optimizer_end(stepping, raised))
    }

    fn finish(&self) -> PyResult<()> {
        self.tell(Machine::finish)
    }
}
