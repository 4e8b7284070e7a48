//! Takes a framework's calls and hands them to the ledger, a batch at a time.

use std::sync::Arc;

use laptime_core::Warning;
use laptime_ops::{Argument, Event, Ledger, ModuleId, Outcome, Phase, Repeat, Signature, Tensor};
use laptime_python_macros::guarded;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::argument;
use super::counts::OpCounts;
use super::formula;
use super::shape::Shape;

/// Events that wait: enough to find the formulas' code warm, few enough to fit beside them.
const BATCH: usize = 1024;

/// The way into an account.
#[pyclass(module = "laptime._core")]
pub struct Feed {
    ledger: Ledger,
    signatures: Vec<Arc<Signature>>,
    waiting: Vec<Event>,
    warnings: Vec<Warning>,
    has_model: bool,
    cross_check: Option<(String, f64)>,
}

impl Feed {
    /// Adds an operator.
    pub fn signature(&mut self, signature: Signature) -> Arc<Signature> {
        let signature = Arc::new(signature);
        self.signatures.push(signature.clone());
        signature
    }

    /// Takes an event.
    pub fn take(&mut self, event: Event) {
        self.waiting.push(event);
        if self.waiting.len() >= BATCH {
            self.flush();
        }
    }

    /// Takes an event that can't be counted, and why.
    pub fn take_uncounted(&mut self, event: &Event, reason: &str) {
        self.ledger.enter(event, &Outcome::uncounted(reason));
    }

    fn flush(&mut self) {
        for event in self.waiting.drain(..) {
            self.ledger.add(&event);
        }
    }

    /// A module stands at a path.
    pub fn know(&mut self, path: &str, kind: &str, params: u64, calls: u64) -> ModuleId {
        self.has_model |= path.is_empty();
        let id = self.ledger.modules.id(path);
        let module = self.ledger.modules.get_mut(id);
        kind.clone_into(&mut module.kind);
        (module.params, module.calls) = (params, calls);
        id
    }

    /// What is known of the modules.
    pub fn modules(&mut self) -> &mut laptime_ops::Modules {
        &mut self.ledger.modules
    }
}

/// A phase by its name.
pub fn phase(name: &str) -> PyResult<Phase> {
    let found = Phase::ALL.into_iter().find(|phase| phase.name() == name);
    found.ok_or_else(|| {
        let names = Phase::ALL.map(Phase::name).join(", ");
        PyValueError::new_err(format!("{name:?} is no phase; there are {names}"))
    })
}

#[guarded]
#[pymethods]
impl Feed {
    #[new]
    fn new(python: Python<'_>) -> Self {
        Self {
            ledger: Ledger::new(formula::all(python)),
            signatures: Vec::new(),
            waiting: Vec::with_capacity(BATCH),
            warnings: Vec::new(),
            has_model: false,
            cross_check: None,
        }
    }

    #[pyo3(signature = (name, arguments, *, overload="", is_view=false))]
    fn operator(
        &mut self,
        name: String,
        arguments: Vec<String>,
        overload: &str,
        is_view: bool,
    ) -> usize {
        self.signature(Signature {
            name,
            overload: overload.to_owned(),
            arguments,
            is_view,
        });
        self.signatures.len() - 1
    }

    #[pyo3(signature = (path, *, kind="", params=0, calls=0))]
    fn module(&mut self, path: &str, kind: &str, params: u64, calls: u64) -> u32 {
        self.know(path, kind, params, calls).0
    }

    #[pyo3(
        signature = (operator, arguments, outputs, *, module=0, phase="forward", repeat=Some(1)),
        text_signature = "($self, operator, arguments, outputs, *, module=0, phase='forward', repeat=1)"
    )]
    fn add(
        &mut self,
        operator: usize,
        arguments: &Bound<'_, PyAny>,
        outputs: &Bound<'_, PyAny>,
        module: u32,
        phase: &str,
        repeat: Option<u64>,
    ) -> PyResult<()> {
        let signature = self.signatures.get(operator).cloned();
        let missing = || PyIndexError::new_err(format!("operator {operator} is not of this feed"));
        let arguments = arguments.try_iter()?;
        let arguments = arguments.map(|value| Ok(argument::from_python(&value?)));
        let outputs = outputs.try_iter()?;
        let outputs = outputs.map(|shape| Ok(shape?.cast::<Shape>()?.get().0.clone()));
        let arguments = arguments.collect::<PyResult<Vec<Argument>>>()?;
        let outputs = outputs.collect::<PyResult<Vec<Tensor>>>()?;
        self.take(Event {
            module: ModuleId(module),
            phase: self::phase(phase)?,
            repeat: repeat.map_or(Repeat::Unknown, Repeat::Times),
            ..Event::new(signature.ok_or_else(missing)?, arguments, outputs)
        });
        Ok(())
    }

    /// Counts an operator by a Python function in this account.
    fn formula(&mut self, name: String, f: Bound<'_, PyAny>) -> PyResult<()> {
        if !f.is_callable() {
            return Err(PyTypeError::new_err("a formula is a function"));
        }
        let f = f.unbind();
        let formulas = self.ledger.formulas_mut();
        formulas.register(name, move |event| formula::ask(&f, event));
        Ok(())
    }

    fn warn(&mut self, code: &str, message: &str) {
        self.warnings.push(Warning::new(code, message));
    }

    /// Notes the total FLOP that somebody else says the same program has.
    fn cross_check(&mut self, source: String, total_flop: f64) {
        self.cross_check = Some((source, total_flop));
    }

    /// Closes the account; the feed is empty then.
    #[pyo3(signature = (*, params=None))]
    fn finish(&mut self, python: Python<'_>, params: Option<u64>) -> PyResult<Py<OpCounts>> {
        self.flush();
        let is_of_model = std::mem::take(&mut self.has_model);
        let ledger = std::mem::replace(&mut self.ledger, Ledger::new(formula::all(python)));
        let mut counts = ledger.finish();
        counts.params = params.or(counts.params.filter(|_| is_of_model));
        counts.warnings.append(&mut self.warnings);
        OpCounts::cross_checked(python, counts, self.cross_check.take())
    }
}
