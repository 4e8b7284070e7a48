//! The way through the elements of collections.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySet};

use super::contents::{self, Kept, What};
use super::kind::Container;
use super::walk::{MOST_ENTERED, Walk};

impl Walk {
    /// Notes a collection's elements and enters them.
    pub(super) fn container(
        &mut self,
        object: &Bound<'_, PyAny>,
        place: usize,
        container: Container,
    ) -> PyResult<()> {
        let python = object.py();
        let entered = match object.len() {
            Ok(length) if length > MOST_ENTERED => 0,
            _ => MOST_ENTERED,
        };
        match container {
            Container::Dict => {
                let live = object.cast::<PyDict>()?;
                let before = live.copy()?;
                let mut kept = Kept::new(object, What::Dict(before.clone().unbind()));
                for (key, value) in before.copy()?.iter().take(entered) {
                    let mut value = value;
                    if let Some(stood_in) = self.stand_in(&value, &key) {
                        // A module's may be stood in for already: a function names it.
                        value = stood_in.value.bind(python).clone();
                        before.set_item(&key, &value)?;
                        live.set_item(&key, &stood_in.instead)?;
                        kept.stood_in.push(stood_in);
                    }
                    self.push(&value, place, Some(key.clone().unbind()));
                    self.push(&key, place, None);
                }
                self.keep(kept);
            }
            Container::Mapping => {
                let before = contents::items(object)?;
                let mut kept = Kept::new(object, What::Mapping(before.clone().unbind()));
                for pair in before.iter().take(entered) {
                    let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
                    if let Some(stood_in) = self.stand_in(&value, &key) {
                        contents::set_item(object, &key, stood_in.instead.bind(python))?;
                        kept.stood_in.push(stood_in);
                    }
                    self.push(&value, place, Some(key.clone().unbind()));
                    self.push(&key, place, None);
                }
                self.keep(kept);
            }
            Container::List => {
                let live = object.cast::<PyList>()?;
                let before = live.get_slice(0, live.len());
                let mut kept = Kept::new(object, What::List(before.clone().unbind()));
                for (index, value) in before.iter().enumerate().take(entered) {
                    let key = index.into_pyobject(python)?.into_any();
                    if let Some(stood_in) = self.stand_in(&value, &key) {
                        live.set_item(index, &stood_in.instead)?;
                        kept.stood_in.push(stood_in);
                    }
                    self.push_element(&value, place, index);
                }
                self.keep(kept);
            }
            Container::Deque => {
                let before = contents::elements(object)?;
                let mut kept = Kept::new(object, What::Deque(before.clone().unbind()));
                for (index, value) in before.iter().enumerate().take(entered) {
                    let key = index.into_pyobject(python)?.into_any();
                    if let Some(stood_in) = self.stand_in(&value, &key) {
                        object.set_item(index, &stood_in.instead)?;
                        kept.stood_in.push(stood_in);
                    }
                    self.push_element(&value, place, index);
                }
                self.keep(kept);
            }
            Container::Set => {
                let live = object.cast::<PySet>()?;
                let before = PySet::empty(python)?;
                for (index, value) in live.iter().enumerate() {
                    before.add(&value)?;
                    if index < entered {
                        self.push(&value, place, None);
                    }
                }
                self.keep(Kept::new(object, What::Set(before.unbind())));
            }
            Container::Bytes => {
                let before = python
                    .import("builtins")?
                    .getattr("bytes")?
                    .call1((object,))?;
                self.keep(Kept::new(object, What::Bytes(before.unbind())));
            }
        }
        Ok(())
    }

    fn push_element(&mut self, value: &Bound<'_, PyAny>, place: usize, index: usize) {
        if self.is_atom(value) {
            return;
        }
        let label = index.into_pyobject(value.py());
        let label = label.ok().map(|it| it.into_any().unbind());
        self.push(value, place, label);
    }
}
