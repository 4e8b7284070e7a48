//! The program at a call of torch's: what the policy must know about it.
//!
//! A module is asked nothing that its class could answer in a way of its own: what stands in its
//! dictionary is read, and torch's functions are called with it.

use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyWeakrefMethods, PyWeakrefReference};

use laptime_phases::Program;

use super::call::Call;
use super::dictionary::own;
use super::own_python::{Hidden, answers};
use super::process::Phases;
use super::thread;

use crate::interned::intern;

/// Told of a module call whose module itself has something to learn.
const BY_ITSELF: u8 = 2;

/// What wrappers call the one module that they have: `torch.compile`, `DataParallel` and its kin, FSDP.
const WRAPPED: [&str; 3] = ["_orig_mod", "module", "_fsdp_wrapped_module"];

/// Wrappers around each other.
const MOST_WRAPPERS: usize = 8;

/// A module of which something is known, for as long as it lives.
#[derive(Default)]
pub struct LastModule(Mutex<Option<Py<PyWeakrefReference>>>);

impl LastModule {
    fn is(&self, module: &Bound<'_, PyAny>) -> bool {
        let last = self.0.lock().ok();
        let last = last.as_ref().and_then(|last| last.as_ref());
        let last = last.and_then(|last| last.bind(module.py()).upgrade());
        last.is_some_and(|last| last.is(module))
    }

    fn set(&self, module: &Bound<'_, PyAny>) {
        if let Ok(reference) = PyWeakrefReference::new(module)
            && let Ok(mut last) = self.0.lock()
        {
            let old = last.replace(reference.unbind());
            drop(last);
            drop(old);
        }
    }
}

/// The program at a call, to be asked.
pub struct ProgramAtCall<'a, 'py> {
    phases: &'a Phases,
    call: &'a Call<'py>,
}

impl<'a, 'py> ProgramAtCall<'a, 'py> {
    /// The program at a call.
    pub fn new(phases: &'a Phases, call: &'a Call<'py>) -> Self {
        Self { phases, call }
    }

    fn learns(&self) -> PyResult<bool> {
        let python = self.call.python;
        let Some(module) = self.call.argument(0) else {
            return Ok(true);
        };
        if self.phases.trainer.is(&module) {
            return Ok(true);
        }
        let given = self.call.positional(1)?;
        let learns = {
            let _hidden = Hidden::new(python);
            self.phases.asked.learns.call1(python, (&module, given))?
        };
        let learns: u8 = learns.extract(python)?;
        if learns == BY_ITSELF {
            self.phases.trainer.set(&module);
        }
        Ok(learns > 0)
    }

    fn has_no_parameters(&self) -> PyResult<bool> {
        let python = self.call.python;
        let Some(module) = self.call.argument(0) else {
            return Ok(false);
        };
        if self.phases.model.is(&module) || self.phases.trainer.is(&module) {
            return Ok(false);
        }
        let is_bare = answers(python, &self.phases.asked.bare, (&module,))?;
        if !is_bare {
            self.phases.model.set(&module);
        }
        Ok(is_bare)
    }

    /// The module inside of wrappers, such as `torch.compile`'s and those for several processes.
    fn wrapped(&self) -> PyResult<Option<usize>> {
        let python = self.call.python;
        let (mut inner, mut found) = (self.call.argument(0), None);
        for _ in 0..MOST_WRAPPERS {
            let Some(module) = inner.take() else { break };
            let parts = own(&module, intern!(python, "_modules"))?;
            let Some(parts) = parts.and_then(|parts| parts.cast_into::<PyDict>().ok()) else {
                break;
            };
            if parts.len() != 1 {
                break;
            }
            for name in WRAPPED {
                if let Some(module) = parts.get_item(name)? {
                    found = Some(module.as_ptr() as usize);
                    inner = Some(module);
                }
            }
        }
        Ok(found)
    }

    /// Whether a call of `torch.autograd.grad(outputs, inputs, …)` asks for what is learned.
    fn asks_for_parameters(&self) -> PyResult<bool> {
        let python = self.call.python;
        let inputs = match self.call.argument(1) {
            Some(inputs) => Some(inputs),
            None => self.call.named()?.get_item(intern!(python, "inputs"))?,
        };
        let Some(inputs) = inputs else {
            return Ok(false);
        };
        let given = (inputs, self.phases.calls_modules.get());
        answers(python, &self.phases.asked.for_learned, given)
    }

    /// Whether a call of `grad_and_value_impl(function, argnums, has_aux, args, kwargs)` asks for what is
    /// learned.
    pub fn learns_by_function(&self) -> PyResult<bool> {
        let python = self.call.python;
        let (Some(numbers), Some(args)) = (self.call.argument(1), self.call.argument(3)) else {
            return Ok(false);
        };
        let given = (numbers, args, self.phases.calls_modules.get());
        answers(python, &self.phases.asked.of_function, given)
    }

    fn trains_itself(&self) -> PyResult<bool> {
        let python = self.call.python;
        let Some(module) = self.call.argument(0) else {
            return Ok(true);
        };
        if let Some(training) = own(&module, intern!(python, "training"))? {
            return Ok(!training.is(PyBool::new(python, false)));
        }
        answers(python, &self.phases.asked.training, (module,))
    }
}

/// An answer, or what holds without one; the trouble is kept for the end of the event.
fn known(answer: PyResult<bool>, instead: bool) -> bool {
    answer.map_err(thread::trouble).unwrap_or(instead)
}

impl Program for ProgramAtCall<'_, '_> {
    fn grad(&self) -> bool {
        let grad = self.phases.asked.is_grad_enabled.call0(self.call.python);
        known(
            grad.and_then(|grad| grad.is_truthy(self.call.python)),
            false,
        )
    }

    fn training(&self) -> bool {
        known(self.trains_itself(), true)
    }

    fn trains(&self) -> bool {
        known(self.learns(), true)
    }

    fn is_bare(&self) -> bool {
        known(self.has_no_parameters(), false)
    }

    fn called(&self) -> usize {
        let module = self.call.argument(0);
        module.map_or(0, |module| module.as_ptr() as usize)
    }

    fn wraps(&self) -> Option<usize> {
        self.wrapped().map_err(thread::trouble).ok().flatten()
    }

    fn for_parameters(&self) -> bool {
        known(self.asks_for_parameters(), false)
    }

    fn by_hand(&self) -> bool {
        self.phases.by_hand.get()
    }
}
