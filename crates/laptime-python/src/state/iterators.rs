//! What a call takes out of an iterator that was there before it.
//!
//! Most iterators can't be set back. So one that the program holds is stood in for while the call
//! runs: a position in a list by a copy, any other by [`Taken`], which remembers what it gave. What
//! was given during the call is given again after it. Then the iterator stands where it stood.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use laptime_python_macros::guarded;
use pyo3::exceptions::{PyStopIteration, PyTypeError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple, PyType};

use crate::errors::LaptimeError;
use crate::handler;
use crate::interned::intern;

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

impl Taken {
    fn next(this: &Bound<'_, Self>) -> PyResult<Option<Py<PyAny>>> {
        let python = this.py();
        let taken = this.get();
        if taken.items().is_over {
            return taken.give_again(this);
        }
        if OUTSIDE.get() > 0 {
            return taken.pass(python);
        }
        taken.give(python)
    }

    /// Owes nothing any more.
    fn forget(&self) {
        let mut items = self.items();
        items.at = 0;
        items.gave = false;
        let owed = std::mem::take(&mut items.given);
        drop(items);
        drop(owed);
    }

    /// Before the program ends a generator: the source, and whether it is further on than the
    /// program has it. One of which nothing has run for the program is closed: it catches nothing.
    fn ends(this: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, bool)> {
        let (python, taken) = (this.py(), this.get());
        taken.refuse(true)?;
        let (is_fresh, gave) = {
            let mut items = taken.items();
            (std::mem::take(&mut items.is_fresh), items.gave)
        };
        taken.make_room(this)?;
        taken.forget();
        if is_fresh {
            taken.source.call_method0(python, "close")?;
        }
        Ok((taken.source.clone_ref(python), gave))
    }

    /// The next for the call: what was there before, else from the source, as if nothing counted.
    fn give(&self, python: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let outside = self.outside.bind(python);
        self.refuse(self.acts)?;
        let waiting = {
            let mut items = self.items();
            items.gave = true;
            items.at += 1;
            let given = items.given.get(items.at - 1);
            given.map(|it| {
                let (before, after) = &it.states;
                let states = (before.clone_ref(python), after.clone_ref(python));
                (it.item.clone_ref(python), states)
            })
        };
        if let Some((item, states)) = waiting {
            outside.call_method1("goes_on", states)?;
            return Ok(Some(item));
        }
        let before = outside.call_method0("random")?.unbind();
        let taken = {
            let _out = Out::go();
            outside.call_method1("take", (&self.source,))?
        };
        let Some(item) = taken.get_item(0).ok() else {
            return Ok(None);
        };
        let after = outside.call_method0("random")?.unbind();
        self.items().given.push_back(Given {
            item: item.clone().unbind(),
            states: (before, after),
        });
        outside.call_method1("given", (&item,))?;
        Ok(Some(item.unbind()))
    }

    /// The next for the program, once the call is over.
    fn give_again(&self, this: &Bound<'_, Self>) -> PyResult<Option<Py<PyAny>>> {
        let python = this.py();
        let next = {
            let mut items = self.items();
            items.is_fresh = false;
            let next = items.given.pop_front();
            items.gave = !items.given.is_empty();
            next
        };
        if !self.gave()
            && let Err(error) = self.make_room(this)
        {
            if let Some(given) = next {
                self.items().given.push_front(given);
            }
            return Err(error);
        }
        let Some(given) = next else {
            return self.step(python);
        };
        let outside = self.outside.bind(python);
        outside.call_method1("goes_on", given.states)?;
        Ok(Some(given.item))
    }

    /// The next for an iterator that goes on outside of the call, and for good.
    fn pass(&self, python: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let waiting = {
            let mut items = self.items();
            items.is_fresh = false;
            let at = items.at;
            items.given.remove(at)
        };
        match waiting {
            Some(given) => Ok(Some(given.item)),
            None => self.step(python),
        }
    }

    /// Puts the source back where this one stands: there is nothing left to give again. A place
    /// that can't be written any more keeps it.
    fn make_room(&self, this: &Bound<'_, Self>) -> PyResult<()> {
        let python = this.py();
        let places = std::mem::take(&mut self.items().places);
        for place in places {
            if place.get(python).is_some_and(|it| it.is(this)) {
                match place.put(python, self.source.bind(python)) {
                    Err(error) if handler::raised_amid(python, &error) => return Err(error),
                    _ => {}
                }
            }
        }
        Ok(())
    }

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
        // Its last word is what a generator returns.
        self.source.call_method0(python, "__next__").map(Some)
    }
}

/// Says that a generator can't do as the program asks, since a count has taken of it.
fn further_on(does: &str) -> PyErr {
    LaptimeError::new_err(format!(
        "the generator {does}, but lt.count has taken items of it that the program has not had \
         yet, and it can't go back: count the step with a generator of its own"
    ))
}
