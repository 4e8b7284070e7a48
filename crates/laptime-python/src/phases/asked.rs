//! The program at a call of torch's: what the policy must know about it.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyTuple, PyWeakrefMethods, PyWeakrefReference};

use super::here;
use super::laps::Program;
use super::process::Phases;

/// Told of a module call whose module itself has something to learn.
const BY_ITSELF: u8 = 2;

/// The program at a call, to be asked.
pub struct Asked<'a, 'py> {
    python: Python<'py>,
    phases: &'a Phases,
    args: &'a Bound<'py, PyTuple>,
}

impl<'a, 'py> Asked<'a, 'py> {
    /// At a call with these arguments.
    pub fn new(python: Python<'py>, phases: &'a Phases, args: &'a Bound<'py, PyTuple>) -> Self {
        Self {
            python,
            phases,
            args,
        }
    }

    fn learns(&self) -> PyResult<bool> {
        let module = self.args.get_item(0)?;
        let known = self.phases.trainer.lock().ok().and_then(|trainer| {
            let trainer = trainer.as_ref()?.bind(self.python);
            Some(trainer.upgrade()?.is(&module))
        });
        if known == Some(true) {
            return Ok(true);
        }
        let given = self.args.get_slice(1, self.args.len());
        let learns = self
            .phases
            .asked
            .learns
            .call1(self.python, (&module, given))?;
        let learns: u8 = learns.extract(self.python)?;
        if learns == BY_ITSELF
            && let Ok(reference) = PyWeakrefReference::new(&module)
            && let Ok(mut trainer) = self.phases.trainer.lock()
        {
            let old = trainer.replace(reference.unbind());
            drop(trainer);
            drop(old);
        }
        Ok(learns > 0)
    }
}

impl Program for Asked<'_, '_> {
    fn grad(&self) -> bool {
        let grad = self.phases.asked.is_grad_enabled.call0(self.python);
        grad.and_then(|grad| grad.is_truthy(self.python))
            .map_err(here::trouble)
            .unwrap_or(false)
    }

    fn training(&self) -> bool {
        let module = self.args.get_item(0);
        let training = module.and_then(|module| module.getattr(intern!(self.python, "training")));
        training.map_or(true, |training| {
            !training.is(PyBool::new(self.python, false))
        })
    }

    fn trains(&self) -> bool {
        self.learns().map_err(here::trouble).unwrap_or(true)
    }

    fn by_hand(&self) -> bool {
        self.phases.by_hand.get()
    }
}
