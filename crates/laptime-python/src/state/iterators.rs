//! What a call takes out of an iterator that was there before it.
//!
//! Most iterators can't be set back. So one that the program holds is stood in for while the call
//! runs: a position in a list by a copy, any other by [`Taken`], which remembers what it gave. What
//! was given during the call is given again after it. Then the iterator stands where it stood.

mod giving;

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use laptime_python_macros::guarded;
use pyo3::exceptions::{PyStopIteration, PyTypeError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple, PyType};

use crate::interned::intern;

use self::giving::further_on;

use super::holder::Holder;

/// What is given first, and what then.
type Chained<'py> = (Bound<'py, PyList>, Bound<'py, PyAny>);

struct Given {
    item: Py<PyAny>,
    /// Random states before and after it was taken.
    states: (Py<PyAny>, Py<PyAny>),
}

#[derive(Default)]
struct Items {
    /// What calls were given, and the program wasn't yet.
    given: VecDeque<Given>,
    /// How many of these the call that runs was given.
    at: usize,
    is_over: bool,
    gave: bool,
    /// What a generator returned at its end, if a call came to that and the program didn't.
    returned: Option<Py<PyAny>>,
    /// A generator of which the program has nothing yet: nothing of it has run for the program.
    is_fresh: bool,
    /// Where the iterator stands in the program until all is given.
    places: Vec<Holder>,
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

thread_local! {
    /// How many iterators go on outside of a call, each for the one before.
    static OUTSIDE: Cell<usize> = const { Cell::new(0) };
}

/// As long as it lives, this thread is outside of the call.
struct Out;

impl Out {
    fn go() -> Self {
        OUTSIDE.set(OUTSIDE.get() + 1);
        Self
    }
}

impl Drop for Out {
    fn drop(&mut self) {
        OUTSIDE.set(OUTSIDE.get() - 1);
    }
}

impl Taken {
    pub fn new(source: &Bound<'_, PyAny>, outside: &Py<PyAny>, acts: bool) -> Self {
        let python = source.py();
        let is_fresh = outside
            .call_method1(python, "is_fresh", (source,))
            .and_then(|it| it.is_truthy(python));
        let items = Items {
            is_fresh: is_fresh.unwrap_or(false),
            ..Items::default()
        };
        Self {
            acts,
            source: source.clone().unbind(),
            outside: outside.clone_ref(python),
            items: Mutex::new(items),
        }
    }

    fn items(&self) -> MutexGuard<'_, Items> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether something was taken that is still to be given.
    pub fn gave(&self) -> bool {
        self.items().gave
    }

    /// Whether its source computes.
    pub fn acts(&self) -> bool {
        self.acts
    }

    /// Another call begins; not if one still runs.
    pub fn begin(&self) -> bool {
        let mut items = self.items();
        let is_over = items.is_over;
        items.is_over = false;
        is_over
    }

    /// The call is over.
    pub fn end(&self) {
        let mut items = self.items();
        items.is_over = true;
        items.at = 0;
    }

    /// Notes where the program finds it from now on.
    pub fn stands_in(&self, place: Holder) {
        let places = &mut self.items().places;
        if !places.iter().any(|it| it.is(&place)) {
            places.push(place);
        }
    }
}

#[guarded]
#[pymethods]
impl Taken {
    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__(this: &Bound<'_, Self>) -> PyResult<Option<Py<PyAny>>> {
        Self::next(this)
    }

    /// A generator's `send`. What it is sent comes to where the program has it.
    fn _send(this: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let taken = this.get();
        let stop = || PyStopIteration::new_err(());
        if value.is_none() {
            return Self::next(this)?.ok_or_else(stop);
        }
        let (is_over, is_fresh, gave) = {
            let items = taken.items();
            let is_fresh = items.is_fresh && (items.is_over || items.at == 0);
            (items.is_over, is_fresh, items.gave)
        };
        if is_fresh {
            let why = "can't send non-None value to a just-started generator";
            return Err(PyTypeError::new_err(why));
        }
        if is_over && !gave {
            taken.make_room(this)?;
            return taken.source.call_method1(this.py(), "send", (value,));
        }
        // One that makes nothing of it gives what it gives anyway.
        let ignores = taken.outside.bind(this.py());
        let ignores = ignores.call_method1("ignores", (&taken.source,))?;
        if !ignores.is_truthy()? {
            taken.refuse(true)?;
            return Err(further_on("is sent a value"));
        }
        Self::next(this)?.ok_or_else(stop)
    }

    /// A generator's `throw`. What a count was given of it is not given again: it ends there.
    #[pyo3(signature = (*error))]
    fn _throw(this: &Bound<'_, Self>, error: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
        let (source, gave) = Self::ends(this)?;
        let reply = source.call_method1(this.py(), "throw", error)?;
        if gave {
            return Err(further_on("catches what is thrown into it"));
        }
        Ok(reply)
    }

    /// A generator's `close`.
    fn _close(this: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        let (source, _) = Self::ends(this)?;
        source.call_method0(this.py(), "close")
    }

    /// For `isinstance`, it is what it stands in for.
    #[getter(__class__)]
    fn class<'py>(&self, python: Python<'py>) -> Bound<'py, PyType> {
        self.source.bind(python).get_type()
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

    /// Whether the call was given something of it.
    #[getter]
    fn _owes(&self) -> bool {
        self.gave()
    }

    fn __getattr__(this: &Bound<'_, Self>, name: &str) -> PyResult<Py<PyAny>> {
        let (python, source) = (this.py(), &this.get().source);
        if name == "_reset" {
            // A loader that keeps its workers begins with its iterator again: nothing is owed.
            this.get().forget();
        }
        let this = this.as_any();
        let of_source = source.getattr(python, name)?;
        match name {
            "send" => this.getattr(intern!(python, "_send")).map(Bound::unbind),
            "throw" => this.getattr(intern!(python, "_throw")).map(Bound::unbind),
            "close" => this.getattr(intern!(python, "_close")).map(Bound::unbind),
            _ => Ok(of_source),
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.source)?;
        visit.call(&self.outside)?;
        let Ok(items) = self.items.try_lock() else {
            return Ok(());
        };
        for given in &items.given {
            visit.call(&given.item)?;
        }
        visit.call(&items.returned)?;
        items.places.iter().try_for_each(|it| it.traverse(&visit))
    }

    fn __clear__(&self) {
        let (given, places) = {
            let mut items = self.items();
            (
                std::mem::take(&mut items.given),
                std::mem::take(&mut items.places),
            )
        };
        // What ends with them may run Python, which may ask this one.
        drop((given, places));
    }
}
