//! Where the program's code writes that no global of its own leads to: in modules that it imports inside of
//! a function, and in attributes of libraries' modules and classes.
//!
//! A module of the program's own is entered like a global. Of a library only the attributes are noted that
//! the code sets by name, such as `logging.Handler.level = 5`: what a library sets itself must stay.

use std::collections::HashSet;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyModule, PyTuple, PyType};

use super::contents::{self, Kept, What};
use super::walk::Walk;

use crate::interned::intern;

/// How many attributes lead from a name of the code's to what it writes to: `torch.backends.cudnn`.
const DEEPEST: usize = 4;

impl Walk {
    /// Modules that code imports itself, and attributes that it sets of libraries' modules and classes.
    pub(super) fn written(
        &mut self,
        globals: &Bound<'_, PyDict>,
        code: &Bound<'_, PyAny>,
        place: usize,
    ) -> PyResult<()> {
        let set = Instructions::of(code)?;
        let modules = if set.imports {
            imported(globals, code)?
        } else {
            Vec::new()
        };
        for module in &modules {
            self.push(module, place, None);
        }
        if set.names.is_empty() {
            return Ok(());
        }
        let names = code.getattr(intern!(code.py(), "co_names"))?;
        let names: Vec<Bound<'_, PyAny>> = names.extract()?;
        let mut found = modules;
        for name in &names {
            found.extend(globals.get_item(name)?);
        }
        let mut known = HashSet::new();
        for _ in 0..DEEPEST {
            let mut inside = Vec::new();
            for owner in &found {
                let Some(attributes) = attributes(owner)? else {
                    continue;
                };
                if !known.insert(owner.as_ptr().addr()) {
                    continue;
                }
                for name in &names {
                    inside.extend(attributes.get_item(name)?);
                }
                self.library(owner, &attributes, &set.names)?;
            }
            found = inside;
        }
        Ok(())
    }

    /// Notes attributes of a library's module or class.
    fn library(
        &mut self,
        owner: &Bound<'_, PyAny>,
        attributes: &Bound<'_, PyDict>,
        names: &[Bound<'_, PyAny>],
    ) -> PyResult<()> {
        let class = owner.cast::<PyType>().ok();
        let is_own = match class {
            Some(class) => self.kinds.is_own_class(class),
            None => self.kinds.is_own_module(owner),
        };
        if is_own {
            return Ok(()); // all of it is kept
        }
        let mut before = Vec::new();
        for name in names {
            let value = attributes.get_item(name)?;
            before.push((name.clone().unbind(), value.map(Bound::unbind)));
        }
        self.held.push(owner.clone().unbind());
        self.keep(match class {
            Some(_) => Kept::new(owner, What::SomeAttributes(before)),
            None => Kept::new(attributes, What::Names(before)),
        });
        Ok(())
    }
}

/// The attributes of a module, which are live, or a copy of a class's.
fn attributes<'py>(owner: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyDict>>> {
    if let Ok(module) = owner.cast::<PyModule>() {
        return Ok(Some(module.dict()));
    }
    match owner.cast::<PyType>() {
        Ok(_) => contents::attributes(owner).map(Some),
        Err(_) => Ok(None),
    }
}

/// Modules of a code's import statements, as far as they are imported, with the packages around them.
fn imported<'py>(
    globals: &Bound<'py, PyDict>,
    code: &Bound<'py, PyAny>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let python = code.py();
    let modules = python.import(intern!(python, "sys"))?;
    let modules = modules.getattr(intern!(python, "modules"))?;
    let modules = modules.cast_into::<PyDict>()?;
    let package = globals.get_item(intern!(python, "__package__"))?;
    let package: String = package.and_then(|it| it.extract().ok()).unwrap_or_default();
    let dis = python.import(intern!(python, "dis"))?;
    let all = dis.call_method1(intern!(python, "get_instructions"), (code,))?;
    let mut found = Vec::new();
    for one in all.try_iter()? {
        let one = one?;
        let operation: String = one.getattr(intern!(python, "opname"))?.extract()?;
        if operation != "IMPORT_NAME" {
            continue;
        }
        let name: String = one.getattr(intern!(python, "argval"))?.extract()?;
        // One that is told from the package that the code lies in: how far up isn't told here.
        let relative = prefixes(&package).map(|around| format!("{around}.{name}"));
        for full in std::iter::once(name.clone()).chain(relative) {
            for part in prefixes(full.trim_end_matches('.')) {
                found.extend(modules.get_item(part)?);
            }
        }
    }
    Ok(found)
}

/// `a.b.c`, `a.b` and `a`; nothing of an empty name.
fn prefixes(name: &str) -> impl Iterator<Item = &str> {
    let ends = name.match_indices('.').map(|(at, _)| at);
    let whole = (!name.is_empty()).then_some(name.len());
    ends.chain(whole).map(|end| &name[..end])
}

/// What a walk asks of code.
struct Instructions<'py> {
    /// Names of attributes that it sets or deletes.
    names: Vec<Bound<'py, PyAny>>,
    /// Whether it has an import statement.
    imports: bool,
}

impl<'py> Instructions<'py> {
    /// Reads the code as bytes, two for each instruction: the instructions are many, and `dis` is slow.
    fn of(code: &Bound<'py, PyAny>) -> PyResult<Self> {
        let python = code.py();
        let numbers = python.import(intern!(python, "opcode"))?;
        let numbers = numbers.getattr(intern!(python, "opmap"))?;
        let number = |name: &str| numbers.get_item(name)?.extract::<u8>();
        let extended = number("EXTENDED_ARG")?;
        let sets = [number("STORE_ATTR")?, number("DELETE_ATTR")?];
        let imports = number("IMPORT_NAME")?;
        let names = code.getattr(intern!(python, "co_names"))?;
        let names = names.cast_into::<PyTuple>()?;
        let bytes = code.getattr(intern!(python, "co_code"))?;
        let bytes = bytes.cast_into::<PyBytes>()?;
        let mut found = Self {
            names: Vec::new(),
            imports: false,
        };
        let mut before = 0;
        for instruction in bytes.as_bytes().chunks_exact(2) {
            let argument = before | usize::from(instruction[1]);
            before = 0;
            if instruction[0] == extended {
                before = argument << 8;
            } else if sets.contains(&instruction[0]) {
                found.names.extend(names.get_item(argument));
            }
            found.imports |= instruction[0] == imports;
        }
        Ok(found)
    }
}
