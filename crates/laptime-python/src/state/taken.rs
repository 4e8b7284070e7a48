//! What a call takes out of an iterator that was there before it.
//!
//! Most iterators can't be set back. So one that the program holds is stood in for while the call
//! runs: a position in a list by a copy, any other by [`Taken`], which remembers what it gave. What
//! was given during the call is given again after it, then the iterator goes on.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::errors::LaptimeError;

/// What is given first, and what then.
type Chained<'py> = (Bound<'py, PyList>, Bound<'py, PyAny>);

struct Given {
    item: Py<PyAny>,
    /// Random states before and after it was taken.
    states: Option<(Py<PyAny>, Py<PyAny>)>,
}

struct Items {
    given: VecDeque<Given>,
    is_over: bool,
    gave: bool,
}

/// Stands in for an iterator.
#[pyclass(frozen, module = "laptime._core")]
pub struct Taken {
    source: Py<PyAny>,
    /// Runs what it is given outside of the call, and tells random states; of Python.
    outside: Py<PyAny>,
    /// Whether the source itself holds what computes: then it is no source of data.
    acts: bool,
    items: Mutex<Items>,
}

impl Taken {
    pub fn new(source: &Bound<'_, PyAny>, outside: &Py<PyAny>, acts: bool) -> Self {
        Self {
            acts,
            source: source.clone().unbind(),
            outside: outside.clone_ref(source.py()),
            items: Mutex::new(Items {
                given: VecDeque::new(),
                is_over: false,
                gave: false,
            }),
        }
    }

    fn items(&self) -> MutexGuard<'_, Items> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether something was taken.
    pub fn gave(&self) -> bool {
        self.items().gave
    }

    /// Whether its source computes.
    pub fn acts(&self) -> bool {
        self.acts
    }

    /// The call is over.
    pub fn end(&self) {
        self.items().is_over = true;
    }
}

#[pymethods]
impl Taken {
    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__(&self, python: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let outside = self.outside.bind(python);
        if self.items().is_over {
            let next = self.items().given.pop_front();
            let Some(given) = next else {
                return self.step(python);
            };
            if let Some((before, after)) = given.states {
                outside.call_method1("goes_on", (before, after))?;
            }
            return Ok(Some(given.item));
        }
        self.refuse(self.acts)?;
        let before = outside.call_method0("random")?.unbind();
        self.items().gave = true;
        let taken = outside.call_method1("take", (&self.source,))?;
        let Some(item) = taken.get_item(0).ok() else {
            return Ok(None);
        };
        let after = outside.call_method0("random")?.unbind();
        let item = item.unbind();
        self.items().given.push_back(Given {
            item: item.clone_ref(python),
            states: Some((before, after)),
        });
        Ok(Some(item))
    }

    /// A copy goes on as the original does, with what it has still to give.
    fn __reduce__<'py>(&self, python: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Chained<'py>)> {
        let chain = python.import("itertools")?.getattr("chain")?;
        let given: Vec<_> = self
            .items()
            .given
            .iter()
            .map(|it| it.item.clone_ref(python))
            .collect();
        let source = self.source.bind(python).clone();
        Ok((chain, (PyList::new(python, given)?, source)))
    }

    fn __getattr__(&self, python: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        self.refuse(["send", "throw", "close"].contains(&name))?;
        self.source.getattr(python, name)
    }
}

impl Taken {
    /// Raises if the call would go on with what can't be set back.
    fn refuse(&self, would: bool) -> PyResult<()> {
        if !would || self.items().is_over {
            return Ok(());
        }
        Err(LaptimeError::new_err(
            "the call goes on with a generator that was begun before, which can't be set back \
             after the count: count the function that does a step, not the generator",
        ))
    }

    fn step(&self, python: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        match self.source.bind(python).call_method0("__next__") {
            Ok(item) => Ok(Some(item.unbind())),
            Err(error) if error.is_instance_of::<pyo3::exceptions::PyStopIteration>(python) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}
