//! The program at a call of torch's: what the policy must know about it.
//!
//! A module is asked nothing that its class could answer in a way of its own: what stands in its
//! dictionary is read, and torch's functions are called with it.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyWeakrefMethods, PyWeakrefReference};
use pyo3::{ffi, types::PyString};

use laptime_phases::Program;

use super::here;
use super::hidden::Hidden;
use super::hooks::Call;
use super::process::Phases;

/// Told of a module call whose module itself has something to learn.
const BY_ITSELF: u8 = 2;

/// The program at a call, to be asked.
pub struct Asked<'a, 'py> {
    phases: &'a Phases,
    call: &'a Call<'py>,
}

impl<'a, 'py> Asked<'a, 'py> {
    /// At a call.
    pub fn new(phases: &'a Phases, call: &'a Call<'py>) -> Self {
        Self { phases, call }
    }

    fn learns(&self) -> PyResult<bool> {
        let python = self.call.python;
        let Some(module) = self.call.argument(0) else {
            return Ok(true);
        };
        let known = self.phases.trainer.lock().ok().and_then(|trainer| {
            let trainer = trainer.as_ref()?.bind(python);
            Some(trainer.upgrade()?.is(&module))
        });
        if known == Some(true) {
            return Ok(true);
        }
        let given = self.call.positional(1)?;
        let learns = {
            let _hidden = Hidden::new(python);
            self.phases.asked.learns.call1(python, (&module, given))?
        };
        let learns: u8 = learns.extract(python)?;
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

    fn trains_itself(&self) -> PyResult<bool> {
        let python = self.call.python;
        let Some(module) = self.call.argument(0) else {
            return Ok(true);
        };
        if let Some(training) = own(&module, intern!(python, "training"))? {
            return Ok(!training.is(PyBool::new(python, false)));
        }
        let _hidden = Hidden::new(python);
        let training = self.phases.asked.training.call1(python, (module,))?;
        training.is_truthy(python)
    }
}

/// What stands under a name in an object's own dictionary.
pub fn own<'py>(
    object: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    // SAFETY: a live object; a new reference, or null with an error.
    let own = unsafe {
        let own = ffi::PyObject_GenericGetDict(object.as_ptr(), std::ptr::null_mut());
        Bound::from_owned_ptr_or_err(object.py(), own)?
    };
    own.cast::<PyDict>()?.get_item(name)
}

impl Program for Asked<'_, '_> {
    fn grad(&self) -> bool {
        let grad = self.phases.asked.is_grad_enabled.call0(self.call.python);
        grad.and_then(|grad| grad.is_truthy(self.call.python))
            .map_err(here::trouble)
            .unwrap_or(false)
    }

    fn training(&self) -> bool {
        self.trains_itself().map_err(here::trouble).unwrap_or(true)
    }

    fn trains(&self) -> bool {
        self.learns().map_err(here::trouble).unwrap_or(true)
    }

    fn by_hand(&self) -> bool {
        self.phases.by_hand.get()
    }
}
