//! How what stands in for an iterator gives: to the call, to the program after it, and outside.

use pyo3::exceptions::PyStopIteration;
use pyo3::prelude::*;

use crate::errors::LaptimeError;
use crate::handler;

use super::{Given, OUTSIDE, Out, Taken};

impl Taken {
    pub(super) fn next(this: &Bound<'_, Self>) -> PyResult<Option<Py<PyAny>>> {
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
    pub(super) fn forget(&self) {
        let mut items = self.items();
        items.at = 0;
        items.gave = false;
        let owed = (std::mem::take(&mut items.given), items.returned.take());
        drop(items);
        drop(owed);
    }

    /// Before the program ends a generator: the source, and whether it is further on than the
    /// program has it. One of which nothing has run for the program is closed: it catches nothing.
    pub(super) fn ends(this: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, bool)> {
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
    pub(super) fn give(&self, python: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
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
        if let Ok(returned) = taken.get_item(1) {
            // Only the first time it says what it returns.
            let mut items = self.items();
            let returned = items.returned.get_or_insert(returned.unbind());
            return Err(PyStopIteration::new_err((returned.clone_ref(python),)));
        }
        let Ok(item) = taken.get_item(0) else {
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
    pub(super) fn give_again(&self, this: &Bound<'_, Self>) -> PyResult<Option<Py<PyAny>>> {
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
    pub(super) fn pass(&self, python: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
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
    pub(super) fn make_room(&self, this: &Bound<'_, Self>) -> PyResult<()> {
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
    pub(super) fn refuse(&self, would: bool) -> PyResult<()> {
        if !would || self.items().is_over {
            return Ok(());
        }
        Err(LaptimeError::new_err(
            "the call goes on with a generator that was begun before, which can't be set back \
             after the count: count the function that does a step, not the generator",
        ))
    }

    pub(super) fn step(&self, python: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let returned = self.items().returned.take();
        match returned {
            Some(returned) => Err(PyStopIteration::new_err((returned,))),
            None => self.source.call_method0(python, "__next__").map(Some),
        }
    }
}

/// Says that a generator can't do as the program asks, since a count has taken of it.
pub(super) fn further_on(does: &str) -> PyErr {
    LaptimeError::new_err(format!(
        "the generator {does}, but lt.count has taken items of it that the program has not had \
         yet, and it can't go back: count the step with a generator of its own"
    ))
}
