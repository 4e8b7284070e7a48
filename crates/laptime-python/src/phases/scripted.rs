//! The policy's spans in an object of a test's, which has a clock and a stack of its own.

use std::cell::RefCell;

use laptime_core::{SpanFlags, SpanMemory};
use laptime_recorder::Open;
use pyo3::prelude::*;

use super::here;
use super::laps::{Held, Laps, Name, Spot, Taken};
use crate::span::{identity, token};

/// An object with `open_span`, `close_span` and so on.
pub struct Scripted {
    core: Py<PyAny>,
    /// Paths by number, less one.
    paths: RefCell<Vec<Vec<String>>>,
}

impl Scripted {
    /// On such an object.
    pub fn new(core: Py<PyAny>) -> Self {
        Self {
            core,
            paths: RefCell::default(),
        }
    }

    /// Calls a method; an error is told once the event is over.
    fn call<T: for<'a, 'py> FromPyObject<'a, 'py, Error = PyErr>>(
        &self,
        method: &str,
        arguments: impl FnOnce(Python<'_>, Bound<'_, PyAny>) -> PyResult<Py<PyAny>>,
    ) -> Option<T> {
        Python::attach(|python| {
            let method = self.core.bind(python).getattr(method)?;
            arguments(python, method)?.extract(python)
        })
        .map_err(here::trouble)
        .ok()
    }

    fn number(&self, names: Vec<String>) -> u32 {
        let mut paths = self.paths.borrow_mut();
        let known = paths.iter().position(|path| *path == names);
        let index = known.unwrap_or_else(|| {
            paths.push(names);
            paths.len() - 1
        });
        index as u32 + 1
    }
}

impl Laps for Scripted {
    fn now(&self) -> u64 {
        self.call("now", |_, method| Ok(method.call0()?.unbind()))
            .unwrap_or(0)
    }

    fn nanoseconds(&self, ticks: u64) -> u64 {
        self.call("ticks_to_ns", |_, method| {
            Ok(method.call1((ticks,))?.unbind())
        })
        .unwrap_or(0)
    }

    fn open(&self, name: Name, start: u64) -> Option<Open> {
        let token = self.call("open_automatic", |_, method| {
            Ok(method.call1((name.text(), start))?.unbind())
        })?;
        (token != 0).then(|| identity(token))
    }

    fn close(&self, open: Open, end: u64, flags: SpanFlags) {
        self.call::<u64>("close_span", |_, method| {
            Ok(method.call1((token(Some(open)), end, flags.0))?.unbind())
        });
    }

    fn suspend(&self, open: Open) -> Option<Taken> {
        let (was_there, memory): (bool, Option<(i64, u64)>) = self
            .call("suspend_span", |_, method| {
                Ok(method.call1((token(Some(open)),))?.unbind())
            })?;
        let memory = memory.map(|(net_bytes, peak_bytes)| SpanMemory {
            net_bytes,
            peak_bytes,
        });
        was_there.then_some(Taken { memory })
    }

    fn emit(&self, held: &Held, parent: u32) {
        let paths = self.paths.borrow();
        let parent = paths.get(parent as usize - 1).cloned().unwrap_or_default();
        drop(paths);
        self.call::<Option<u64>>("emit_span", |_, method| {
            let memory = held.memory.map(|one| (one.net_bytes, one.peak_bytes));
            let arguments = (
                held.name.text(),
                held.start,
                held.duration,
                held.flags.0,
                parent,
                memory,
            );
            Ok(method.call1(arguments)?.unbind())
        });
    }

    fn rename(&self, open: Open, name: Name) {
        self.call::<Option<u64>>("rename_span", |_, method| {
            Ok(method.call1((token(Some(open)), name.text()))?.unbind())
        });
    }

    fn last_written(&self) -> u64 {
        self.call("last_written", |_, method| Ok(method.call0()?.unbind()))
            .unwrap_or(0)
    }

    fn is_open(&self, open: Open) -> bool {
        self.call("is_open", |_, method| {
            Ok(method.call1((token(Some(open)),))?.unbind())
        })
        .unwrap_or(false)
    }

    fn path_of(&self, open: Open) -> u32 {
        let names = self.call("path_of", |_, method| {
            Ok(method.call1((token(Some(open)),))?.unbind())
        });
        names.map_or(0, |names| self.number(names))
    }

    fn here(&self) -> Spot {
        let names: Vec<String> = self
            .call("current_path", |_, method| Ok(method.call0()?.unbind()))
            .unwrap_or_default();
        Spot::new(self.number(names.clone()), &names)
    }

    fn mark(&self, name: Name, at: u64) {
        self.call::<Option<u64>>("mark_outermost", |_, method| {
            Ok(method.call1((name.text(), at))?.unbind())
        });
    }
}
