//! What Laptime asks of tensors is not the program's: no function mode sees it.

use pyo3::prelude::*;

/// Takes function modes off.
pub struct Modes {
    state: Py<PyAny>,
    set_state: Py<PyAny>,
    disabled: Py<PyAny>,
}

/// Until it is dropped, nothing that is asked of tensors goes to a function mode.
pub struct Unseen<'a, 'py> {
    modes: &'a Modes,
    before: Bound<'py, PyAny>,
}

impl Modes {
    /// For the torch that is imported.
    pub fn new(torch: &Bound<'_, PyAny>) -> PyResult<Self> {
        let core = torch.getattr("_C")?;
        let states = core.getattr("_TorchFunctionState")?;
        Ok(Self {
            state: core.getattr("_get_torch_function_state")?.unbind(),
            set_state: core.getattr("_set_torch_function_state")?.unbind(),
            disabled: states.getattr("ALL_DISABLED")?.unbind(),
        })
    }

    /// Takes them off until the answer is dropped.
    pub fn unseen<'a, 'py>(&'a self, python: Python<'py>) -> PyResult<Unseen<'a, 'py>> {
        let before = self.state.bind(python).call0()?;
        self.set_state.call1(python, (&self.disabled,))?;
        Ok(Unseen {
            modes: self,
            before,
        })
    }
}

impl Drop for Unseen<'_, '_> {
    fn drop(&mut self) {
        let python = self.before.py();
        if let Err(error) = self.modes.set_state.call1(python, (&self.before,)) {
            error.write_unraisable(python, None);
        }
    }
}
