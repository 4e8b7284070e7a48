//! What an object held, and how it is put back.
//!
//! Only what changed is written: whoever reads beside us, in another thread, sees nothing move.
//! Iterators are stood in for while the call runs; see [`super::iterators`].

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySet, PyString, PyTuple, PyType};

use super::holder::{self, Holder, Part, set_cell, slot};
use super::iterators::Taken;

use crate::handler;
use crate::interned::intern;

/// An iterator that is stood in for, or a tuple of some.
pub struct StoodIn {
    /// Where the value stands in its holder.
    pub key: Py<PyAny>,
    pub value: Py<PyAny>,
    pub instead: Py<PyAny>,
}

/// What an object held.
pub enum What {
    Dict(Py<PyDict>),
    /// Keys and values in their order.
    Mapping(Py<PyList>),
    List(Py<PyList>),
    Deque(Py<PyList>),
    Set(Py<PySet>),
    Bytes(Py<PyAny>),
    Cell(Option<Py<PyAny>>),
    /// By the descriptor of a slot.
    Slot(Arc<Py<PyAny>>, Option<Py<PyAny>>),
    /// Some names of a dictionary, which others write to as well.
    Names(Vec<(Py<PyAny>, Option<Py<PyAny>>)>),
    /// A class's own attributes.
    Attributes(Py<PyDict>),
    /// Some of a class's own attributes.
    SomeAttributes(Vec<(Py<PyAny>, Option<Py<PyAny>>)>),
    /// A function's own, by their names.
    Function(Vec<(Py<PyAny>, Py<PyAny>)>),
    /// Where its attributes are.
    Place(Py<PyAny>),
    /// The class that it was of.
    Class(Py<PyType>),
    /// A callable that puts it back.
    Saved(Py<PyAny>),
}

/// An object and what it held.
pub struct Kept {
    pub object: Py<PyAny>,
    pub what: What,
    pub stood_in: Vec<StoodIn>,
}

impl Kept {
    pub fn new(object: &Bound<'_, PyAny>, what: What) -> Self {
        Self {
            object: object.clone().unbind(),
            what,
            stood_in: Vec::new(),
        }
    }

    fn restore(&self, python: Python<'_>) -> PyResult<()> {
        let object = self.object.bind(python);
        match &self.what {
            What::Dict(before) => restore_dict(object, before.bind(python))?,
            What::Mapping(before) => restore_mapping(object, before.bind(python))?,
            What::List(before) => restore_list(object, before.bind(python))?,
            What::Deque(before) => restore_deque(object, before.bind(python))?,
            What::Set(before) => restore_set(object, before.bind(python))?,
            What::Bytes(before) => {
                if !object.eq(before)? {
                    let all = python.import("builtins")?.getattr("slice")?;
                    object.set_item(all.call1((python.None(),))?, before)?;
                }
            }
            What::Cell(before) => set_cell(object, before.as_ref()),
            What::Slot(member, before) => {
                restore_slot(object, member.bind(python), before.as_ref())?;
            }
            What::Names(before) => restore_names(object, before)?,
            What::Attributes(before) => restore_attributes(object, before.bind(python))?,
            What::SomeAttributes(before) => restore_some_attributes(object, before)?,
            What::Function(before) => {
                for (name, before) in before {
                    let name = name.bind(python).cast::<PyString>()?;
                    if !object.getattr(name)?.is(before) {
                        object.setattr(name, before)?;
                    }
                }
            }
            What::Place(before) => holder::put_dict(object, before.bind(python))?,
            What::Class(before) => {
                if !object.get_type().is(before) {
                    object.setattr(intern!(python, "__class__"), before)?;
                }
            }
            What::Saved(restore) => drop(restore.call0(python)?),
        }
        for stood_in in &self.stood_in {
            let instead = stood_in.instead.bind(python);
            if let Some(taken) = owing(instead) {
                let place = self.place(python, &stood_in.key);
                place.put(python, instead)?;
                taken.get().stands_in(place);
            } else if let Ok(tuple) = instead.cast_exact::<PyTuple>()
                && tuple.iter().any(|it| owing(&it).is_some())
            {
                // It stays, since only it can hold what has something to give again.
                let value = stood_in.value.bind(python).cast::<PyTuple>()?;
                let elements = value.iter().zip(tuple.iter());
                let elements = elements.map(|(it, instead)| match owing(&instead) {
                    Some(_) => instead,
                    None => it,
                });
                let tuple = PyTuple::new(python, elements.collect::<Vec<_>>())?;
                let place = self.place(python, &stood_in.key);
                place.put(python, tuple.as_any())?;
            }
        }
        Ok(())
    }

    /// Says that it could not be put back.
    fn failed(&self, python: Python<'_>, error: &PyErr) -> String {
        let class = self.object.bind(python).get_type();
        let name = class.fully_qualified_name();
        let name = name.map_or_else(|_| "object".into(), |it| it.to_string());
        format!("a {name} could not be put back, and is changed: {error}")
    }

    /// Where in the object something stands.
    fn place(&self, python: Python<'_>, key: &Py<PyAny>) -> Holder {
        let part = match &self.what {
            What::Cell(_) => Part::Cell,
            What::Slot(member, _) => Part::Slot(member.clone()),
            What::Attributes(_) | What::Function(_) => Part::Attribute(key.clone_ref(python)),
            _ => Part::Item(key.clone_ref(python)),
        };
        Holder {
            object: self.object.clone_ref(python),
            part,
        }
    }
}

/// The stand-in of an iterator that has something to give again.
fn owing<'a, 'py>(value: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, Taken>> {
    value.cast::<Taken>().ok().filter(|it| it.get().gave())
}

/// Puts everything back. An error of one leaves no other out: answers with what failed, and with
/// what a signal's handler raised on the way.
pub fn restore(python: Python<'_>, all: &[Arc<Kept>]) -> (Vec<String>, PyResult<()>) {
    let mut failed = Vec::new();
    let mut outcome = Ok(());
    for kept in all {
        match kept.restore(python) {
            Ok(()) => {}
            Err(error) if handler::raised_amid(python, &error) => outcome = outcome.and(Err(error)),
            Err(error) => failed.push(kept.failed(python, &error)),
        }
    }
    (failed, outcome)
}

fn restore_dict(object: &Bound<'_, PyAny>, before: &Bound<'_, PyDict>) -> PyResult<()> {
    let live = object.cast::<PyDict>()?;
    if live.len() == before.len() {
        let same = live
            .iter()
            .zip(before.iter())
            .all(|((key, value), (old_key, old))| key.is(&old_key) && value.is(&old));
        if same {
            return Ok(());
        }
    }
    let keys = live.len() == before.len()
        && live
            .iter()
            .zip(before.iter())
            .all(|((key, _), (old_key, _))| key.is(&old_key));
    if keys {
        // Its order stands: a reader beside us misses no key.
        for (key, value) in before.iter() {
            live.set_item(key, value)?;
        }
        return Ok(());
    }
    live.clear();
    live.update(before.as_mapping())
}

fn restore_mapping(object: &Bound<'_, PyAny>, before: &Bound<'_, PyList>) -> PyResult<()> {
    let python = object.py();
    let live = items(object)?;
    if is_same(&live, before) {
        return Ok(());
    }
    let ordered = python.import("collections")?.getattr("OrderedDict")?;
    ordered.call_method1("clear", (object,))?;
    for pair in before.iter() {
        let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
        set_item(object, &key, &value)?;
    }
    Ok(())
}

/// Sets an element of an ordered dictionary, past what its class makes of it.
pub fn set_item(
    object: &Bound<'_, PyAny>,
    key: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let ordered = object.py().import("collections")?.getattr("OrderedDict")?;
    ordered.call_method1("__setitem__", (object, key, value))?;
    Ok(())
}

/// The keys and values of an ordered dictionary, past what its class makes of them.
pub fn items<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let python = object.py();
    let ordered = python.import("collections")?.getattr("OrderedDict")?;
    let items = ordered.call_method1("items", (object,))?;
    let list = PyList::empty(python);
    for pair in items.try_iter()? {
        list.append(pair?)?;
    }
    Ok(list)
}

fn is_same(live: &Bound<'_, PyList>, before: &Bound<'_, PyList>) -> bool {
    let same = |one: &Bound<'_, PyAny>, other: &Bound<'_, PyAny>| {
        one.is(other)
            || match (one.cast_exact::<PyTuple>(), other.cast_exact::<PyTuple>()) {
                (Ok(one), Ok(other)) => {
                    one.len() == 2
                        && other.len() == 2
                        && one
                            .iter()
                            .zip(other.iter())
                            .all(|(one, other)| one.is(&other))
                }
                _ => false,
            }
    };
    live.len() == before.len()
        && live
            .iter()
            .zip(before.iter())
            .all(|(one, other)| same(&one, &other))
}

fn is_same_list(live: &Bound<'_, PyList>, before: &Bound<'_, PyList>) -> bool {
    live.len() == before.len()
        && live
            .iter()
            .zip(before.iter())
            .all(|(one, other)| one.is(&other))
}

fn restore_list(object: &Bound<'_, PyAny>, before: &Bound<'_, PyList>) -> PyResult<()> {
    let live = object.cast::<PyList>()?;
    if is_same_list(live, before) {
        return Ok(());
    }
    live.set_slice(0, live.len(), before.as_any())
}

fn restore_deque(object: &Bound<'_, PyAny>, before: &Bound<'_, PyList>) -> PyResult<()> {
    let live = elements(object)?;
    if is_same_list(&live, before) {
        return Ok(());
    }
    let deque = object.py().import("collections")?.getattr("deque")?;
    deque.call_method1("clear", (object,))?;
    deque.call_method1("extend", (object, before))?;
    Ok(())
}

/// The elements of a deque.
pub fn elements<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let python = object.py();
    let deque = python.import("collections")?.getattr("deque")?;
    let list = PyList::empty(python);
    for element in deque.call_method1("__iter__", (object,))?.try_iter()? {
        list.append(element?)?;
    }
    Ok(list)
}

fn restore_set(object: &Bound<'_, PyAny>, before: &Bound<'_, PySet>) -> PyResult<()> {
    let live = object.cast::<PySet>()?;
    if live.len() == before.len()
        && live
            .iter()
            .zip(before.iter())
            .all(|(one, other)| one.is(&other))
    {
        return Ok(());
    }
    live.clear();
    for element in before.iter() {
        live.add(element)?;
    }
    Ok(())
}

fn restore_slot(
    object: &Bound<'_, PyAny>,
    member: &Bound<'_, PyAny>,
    before: Option<&Py<PyAny>>,
) -> PyResult<()> {
    let live = slot(object, member);
    match (live, before) {
        (Some(live), Some(before)) if live.is(before) => {}
        (None, None) => {}
        (_, Some(before)) => drop(member.call_method1("__set__", (object, before))?),
        (Some(_), None) => drop(member.call_method1("__delete__", (object,))?),
    }
    Ok(())
}

fn restore_names(
    object: &Bound<'_, PyAny>,
    before: &[(Py<PyAny>, Option<Py<PyAny>>)],
) -> PyResult<()> {
    let live = object.cast::<PyDict>()?;
    for (name, value) in before {
        let found = live.get_item(name)?;
        match (found, value) {
            (Some(found), Some(value)) if found.is(value) => {}
            (None, None) => {}
            (_, Some(value)) => live.set_item(name, value)?,
            (Some(_), None) => live.del_item(name)?,
        }
    }
    Ok(())
}

/// Attributes of a class that nobody may write, or that mean nothing to a program.
const OF_THE_CLASS: [&str; 3] = ["__dict__", "__weakref__", "__static_attributes__"];

fn restore_attributes(object: &Bound<'_, PyAny>, before: &Bound<'_, PyDict>) -> PyResult<()> {
    let live = attributes(object)?;
    let metaclass = object.py().get_type::<PyType>();
    for (name, value) in before.iter() {
        if !live.get_item(&name)?.is_some_and(|found| found.is(&value)) {
            metaclass.call_method1("__setattr__", (object, name, value))?;
        }
    }
    for name in live.keys() {
        if !before.contains(&name)? {
            metaclass.call_method1("__delattr__", (object, name))?;
        }
    }
    Ok(())
}

fn restore_some_attributes(
    object: &Bound<'_, PyAny>,
    before: &[(Py<PyAny>, Option<Py<PyAny>>)],
) -> PyResult<()> {
    let live = attributes(object)?;
    let metaclass = object.py().get_type::<PyType>();
    for (name, value) in before {
        match (live.get_item(name)?, value) {
            (Some(found), Some(value)) if found.is(value) => {}
            (None, None) => {}
            (_, Some(value)) => {
                drop(metaclass.call_method1("__setattr__", (object, name, value))?);
            }
            (Some(_), None) => drop(metaclass.call_method1("__delattr__", (object, name))?),
        }
    }
    Ok(())
}

/// A class's own attributes.
pub fn attributes<'py>(class: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    let python = class.py();
    let all = python
        .get_type::<PyType>()
        .getattr("__dict__")?
        .get_item("__dict__")?
        .call_method1("__get__", (class,))?;
    let copy = PyDict::new(python);
    for pair in all.call_method0("items")?.try_iter()? {
        let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair?.extract()?;
        let is_ours = name
            .extract::<String>()
            .is_ok_and(|name| !OF_THE_CLASS.contains(&name.as_str()));
        if is_ours {
            copy.set_item(name, value)?;
        }
    }
    Ok(copy)
}
