//! The operations of a call, which Python counts where they aren't known.

use pyo3::exceptions::PyBaseException;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTraceback;

use super::call::Call;
use super::own_python::{Hidden, guarded};
use super::process::Phases;
use crate::handler;

/// Counts the operations of calls: `begin(args, kwargs, compiling)` and `end(begun, raised)`, where
/// `compiling` says that the call is inside of what `torch.compile` compiles.
pub struct Counting {
    pub begin: Py<PyAny>,
    pub end: Py<PyAny>,
}

/// A call that is being counted.
pub struct Begun<'a> {
    counting: &'a Counting,
    begun: Py<PyAny>,
}

type Raised<'py> = Option<Bound<'py, PyBaseException>>;

impl Counting {
    /// Begins to count a call, where its operations aren't known.
    pub fn begin<'a>(
        this: Option<&'a Self>,
        call: &Call<'_>,
        phases: &Phases,
    ) -> PyResult<Option<Begun<'a>>> {
        let Some(counting) = this else {
            return Ok(None);
        };
        let python = call.python;
        let begun = guarded(|| {
            let hidden = Hidden::new(python);
            let given = (call.positional(0)?, call.named()?, hidden.is_compiling());
            counting.begin.call1(python, given)
        });
        match begun {
            Ok(begun) if begun.is_none(python) => Ok(None),
            Ok(begun) => Ok(Some(Begun { counting, begun })),
            Err(error) => phases.broken(python, error).map(|()| None),
        }
    }
}

impl Begun<'_> {
    /// The call is over. What it raised loses the frames that counting put into its traceback.
    pub fn end(
        &self,
        python: Python<'_>,
        phases: &Phases,
        raised: Option<&mut PyErr>,
    ) -> PyResult<()> {
        let value = raised.as_ref().map(|error| error.value(python).clone());
        if let (Some(error), Some(value)) = (&raised, &value) {
            handler::set_traceback(value, error.traceback(python).as_ref());
        }
        let mut ended = self.told(python, &value);
        if let Err(error) = &ended
            && handler::raised(python, error)
        {
            // Cut short, maybe before it had begun.
            let again = self.told(python, &Some(error.value(python).clone()));
            ended = again.and(ended);
        }
        if let (Some(error), Some(value)) = (raised, value) {
            error.set_traceback(python, traceback_of(&value));
        }
        ended.or_else(|error| phases.broken(python, error))
    }

    fn told<'py>(&self, python: Python<'py>, raised: &Raised<'py>) -> PyResult<()> {
        guarded(|| {
            let _hidden = Hidden::new(python);
            self.counting.end.call1(python, (&self.begun, raised))?;
            Ok(())
        })
    }
}

fn traceback_of<'py>(error: &Bound<'py, PyBaseException>) -> Option<Bound<'py, PyTraceback>> {
    // SAFETY: the lock is held; what comes back is a reference of ours, or null where there is none.
    let traceback = unsafe {
        Bound::from_owned_ptr_or_opt(error.py(), ffi::PyException_GetTraceback(error.as_ptr()))
    };
    traceback?.cast_into().ok()
}
