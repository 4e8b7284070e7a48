//! The operations of a call, which Python counts where they aren't known.

use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit, ffi};

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

    /// For the collector.
    pub fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.begin)?;
        visit.call(&self.end)
    }
}

impl Begun<'_> {
    /// The call is over. What it raised loses the frames that counting put into its traceback.
    pub fn end(
        self,
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
            let shown = PyErr::from_value(value.into_any());
            let_go(python, std::mem::replace(error, shown));
        }
        // Bound: freed here and now, as the lock is not taken through `PyO3`.
        drop(self.begun.into_bound(python));
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

/// Lets go of an error, and of its traceback with the frames and all that lives in them.
///
/// Dropped, they would live until `PyO3` takes the lock itself, which may be after the program's next
/// try with a smaller batch.
fn let_go(python: Python<'_>, error: PyErr) {
    error.restore(python);
    // SAFETY: the lock is held; no other error is set while this one is a value.
    unsafe { ffi::PyErr_Clear() };
}
