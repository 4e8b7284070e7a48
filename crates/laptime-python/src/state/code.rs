//! The way through code: functions, what they close over and name, generators, modules, classes.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyModule, PyString, PyTuple, PyType};

use super::contents::{self, Kept, What};
use super::holder;
use super::iterators::Taken;
use super::kind::Kind;
use super::walk::Walk;

use crate::interned::intern;

/// What of a function of the program's own is put back, beside its defaults.
const OF_A_FUNCTION: [&str; 6] = [
    "__code__",
    "__kwdefaults__",
    "__dict__",
    "__doc__",
    "__name__",
    "__qualname__",
];

/// By one of these, code writes to globals that it doesn't name: then all of its module is kept.
/// `sys.modules` does too, but `modules` alone is also what a model has.
const BY_NAME: [&[&str]; 5] = [
    &["globals"],
    &["exec"],
    &["import_module"],
    &["__import__"],
    &["sys", "modules"],
];

impl Walk {
    /// What a cell holds.
    pub(super) fn cell(&mut self, cell: &Bound<'_, PyAny>, at: usize, name: Option<Py<PyAny>>) {
        let python = cell.py();
        let value = holder::cell(cell);
        let before = value.as_ref().map(|it| it.clone().unbind());
        let mut kept = Kept::new(cell, What::Cell(before));
        if let Some(value) = value {
            if let Some(stood_in) = self.stand_in(&value, &python.None().into_bound(python)) {
                holder::set_cell(cell, Some(&stood_in.instead));
                kept.stood_in.push(stood_in);
            }
            self.push(&value, at, name);
        }
        self.keep(kept);
    }

    /// What a generator that is under way has in its hands.
    pub(super) fn locals(&mut self, generator: &Bound<'_, PyAny>, place: usize) {
        for (name, value) in locals(generator) {
            self.push(value.bind(generator.py()), place, Some(name));
        }
    }

    /// Whether a generator is sent values, which it can't be sent again, or names what computes.
    fn is_refused(&self, generator: &Bound<'_, PyAny>) -> bool {
        let outside = self.outside.as_ref().map(|it| it.bind(generator.py()));
        let said = outside.map(|it| it.call_method1("is_refused", (generator,)));
        said.is_some_and(|said| said.and_then(|it| it.is_truthy()).unwrap_or(false))
    }

    /// Whether a generator has something in its hands that computes, not data.
    pub(super) fn acts(&mut self, generator: &Bound<'_, PyAny>) -> bool {
        if let Ok(taken) = generator.cast::<Taken>() {
            return taken.get().acts();
        }
        self.is_refused(generator)
            || locals(generator).iter().any(|(_, value)| {
                let acting = self.kinds.acting;
                let kind = self.kinds.of(value.bind(generator.py()));
                matches!(kind, Ok(Kind::Plain(plain)) if plain.sought.iter().any(|it| *it < acting))
            })
    }

    /// A function's cells, defaults and attributes, and, of the program's own, the globals it names.
    pub(super) fn function(&mut self, function: &Bound<'_, PyAny>, place: usize) -> PyResult<()> {
        let python = function.py();
        let code = function.getattr(intern!(python, "__code__"))?;
        let closure = function.getattr(intern!(python, "__closure__"))?;
        if let Ok(closure) = closure.cast::<PyTuple>() {
            let names = code.getattr(intern!(python, "co_freevars"))?;
            for (cell, name) in closure.iter().zip(names.try_iter()?) {
                let address = cell.as_ptr().addr();
                if self.is_first(address) {
                    self.held.push(cell.clone().unbind());
                    self.cell(&cell, place, Some(name?.unbind()));
                }
            }
        }
        let defaults = intern!(python, "__defaults__");
        let before = function.getattr(defaults)?;
        let file: String = code.getattr(intern!(python, "co_filename"))?.extract()?;
        let is_own = self.kinds.is_own_file(&file);
        let mut own = vec![(
            defaults.clone().into_any().unbind(),
            before.clone().unbind(),
        )];
        for name in if is_own { &OF_A_FUNCTION[..] } else { &[] } {
            let name = PyString::intern(python, name);
            own.push((
                name.clone().into_any().unbind(),
                function.getattr(name)?.unbind(),
            ));
        }
        let mut kept = Kept::new(function, What::Function(own));
        if let Some(stood_in) = self.stand_in(&before, defaults) {
            function.setattr(defaults, &stood_in.instead)?;
            kept.stood_in.push(stood_in);
        }
        self.keep(kept);
        let more = ["__kwdefaults__", "__dict__"].map(|name| function.getattr(name));
        for value in std::iter::once(Ok(before)).chain(more) {
            self.push(&value?, place, None);
        }
        if is_own {
            let globals = function.getattr(intern!(python, "__globals__"))?;
            self.globals(globals.cast::<PyDict>()?, &code, place)?;
        }
        Ok(())
    }

    fn globals(
        &mut self,
        globals: &Bound<'_, PyDict>,
        code: &Bound<'_, PyAny>,
        place: usize,
    ) -> PyResult<()> {
        let python = globals.py();
        let mut before = Vec::new();
        let mut stood_in = Vec::new();
        for name in code.getattr(intern!(python, "co_names"))?.try_iter()? {
            let name = name?;
            let mut value = globals.get_item(&name)?;
            if let Some(value) = &mut value {
                if let Some(one) = self.stand_in(value, &name) {
                    *value = one.value.bind(python).clone();
                    globals.set_item(&name, &one.instead)?;
                    stood_in.push(one);
                }
                self.push(value, place, Some(name.clone().unbind()));
            }
            before.push((name.unbind(), value.map(Bound::unbind)));
        }
        let mut kept = Kept::new(globals.as_any(), What::Names(before));
        kept.stood_in = stood_in;
        self.keep(kept);
        let names = code.getattr(intern!(python, "co_names"))?;
        let names: Vec<String> = names.extract()?;
        let has = |name: &&str| names.iter().any(|it| it == name);
        if BY_NAME.iter().any(|all| all.iter().all(has)) {
            self.push(globals.as_any(), place, None);
        }
        self.written(globals, code, place)?;
        for constant in code.getattr(intern!(python, "co_consts"))?.try_iter()? {
            let constant = constant?;
            if &*constant.get_type().name()?.to_cow()? == "code" {
                self.globals(globals, &constant, place)?;
            }
        }
        Ok(())
    }

    /// A module of the program's own.
    pub(super) fn module(&mut self, module: &Bound<'_, PyAny>, place: usize) -> PyResult<()> {
        if self.kinds.is_own_module(module) {
            let globals = module.cast::<PyModule>()?.dict();
            self.push(globals.as_any(), place, None);
        }
        Ok(())
    }

    /// A class of the program's own.
    pub(super) fn class(&mut self, class: &Bound<'_, PyAny>, place: usize) -> PyResult<()> {
        if !self.kinds.is_own_class(class.cast::<PyType>()?) {
            return Ok(());
        }
        let before = contents::attributes(class)?;
        let mut stood_in = Vec::new();
        for (name, value) in before.iter() {
            if let Some(one) = self.stand_in(&value, &name) {
                class.setattr(name.cast::<PyString>()?, &one.instead)?;
                stood_in.push(one);
            }
            self.push(&value, place, Some(name.unbind()));
        }
        let mut kept = Kept::new(class, What::Attributes(before.unbind()));
        kept.stood_in = stood_in;
        self.keep(kept);
        for base in class.cast::<PyType>()?.mro().iter() {
            self.push(&base, place, None);
        }
        Ok(())
    }
}

/// The local names of a generator that is under way.
fn locals(generator: &Bound<'_, PyAny>) -> Vec<(Py<PyAny>, Py<PyAny>)> {
    let python = generator.py();
    let locals = generator
        .getattr(intern!(python, "gi_frame"))
        .and_then(|frame| frame.getattr(intern!(python, "f_locals")));
    let items = locals
        .iter()
        .filter_map(|it| it.call_method0(intern!(python, "items")).ok());
    let found = items
        .filter_map(|it| it.try_iter().ok())
        .flatten()
        .filter_map(|pair| pair.and_then(|it| it.extract()).ok())
        .collect();
    // Until Python 3.13 it is a copy that the frame keeps: it would keep alive what it names.
    if let Ok(copy) = locals.as_ref().map(Bound::cast_exact::<PyDict>)
        && let Ok(copy) = copy
    {
        copy.clear();
    }
    found
}
