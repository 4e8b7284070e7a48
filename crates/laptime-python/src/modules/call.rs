//! A module's call and a backward, split by module.
//!
//! A call goes on its way whatever happens here: what fails before it leaves the call unsplit,
//! what fails after it leaves the result as it is, and both switch the phases off.

use std::ptr::null_mut;

use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit, ffi};

use super::called_module::CalledModule;
use super::laps::{self, ModuleLaps};
use crate::interned::intern;
use crate::phases::call::Call;
use crate::phases::own_python::{Hidden, answers, guarded};
use crate::phases::process::Phases;

/// Where the laps of a thread's modules are found: `here.laps`, which `make` makes. `step_aside` takes
/// the tags of all threads away where the engine's work is compiled, and tells whether they are.
pub struct Split {
    pub here: Py<PyAny>,
    pub make: Py<PyAny>,
    pub step_aside: Py<PyAny>,
}

type Result<'py> = PyResult<Bound<'py, PyAny>>;
/// A place, and that of the compiled graph which takes its part.
type Opened<'py> = (Bound<'py, CalledModule>, Option<Bound<'py, CalledModule>>);

/// What Laptime's own part came to. Its failure switches the phases off and comes to nothing; an
/// error is the program's.
fn mine<R>(
    call: &Call<'_>,
    phases: &Phases,
    body: impl FnOnce() -> PyResult<R>,
) -> PyResult<Option<R>> {
    match guarded(body) {
        Ok(found) => Ok(Some(found)),
        Err(error) => phases.broken(call.python, error).map(|()| None),
    }
}

impl Split {
    /// For the collector.
    pub fn traverse(&self, visit: &PyVisit<'_>) -> std::result::Result<(), PyTraverseError> {
        visit.call(&self.here)?;
        visit.call(&self.make)?;
        visit.call(&self.step_aside)
    }

    fn laps<'py>(&self, python: Python<'py>) -> PyResult<Option<Bound<'py, ModuleLaps>>> {
        let laps = self.here.bind(python).getattr(intern!(python, "laps"))?;
        if laps.is_none() {
            return Ok(None);
        }
        Ok(Some(laps.cast_into()?))
    }

    /// The call of a module that no other one calls, inside its phase.
    pub fn root<'py>(&self, call: &Call<'py>, phases: &Phases) -> Result<'py> {
        let python = call.python;
        let found = mine(call, phases, || {
            let Some(module) = call.argument(0) else {
                return Ok(None);
            };
            let laps = if let Some(laps) = self.laps(python)? {
                laps
            } else {
                let _hidden = Hidden::new(python);
                self.make.bind(python).call0()?.cast_into::<ModuleLaps>()?
            };
            if let Some(value) = call.argument(1) {
                ModuleLaps::tag_outside(&laps, &value)?;
            }
            let place = ModuleLaps::root(&laps, &module)?;
            Ok(Some((laps, place, module)))
        })?;
        let Some(Some((laps, place, module))) = found else {
            return call.pass();
        };
        let outside = laps::look_into(laps.as_ptr());
        let result = timed(call, phases, &laps, place, &module);
        laps::look_into(outside);
        result
    }

    /// The call of a module inside another one's. None: there is none that is split.
    pub fn inner<'py>(call: &Call<'py>, phases: &Phases) -> Option<Result<'py>> {
        let laps = laps::looked_into(call.python)?;
        let module = call.argument(0)?;
        let Some(parent) = laps.get().place(call.python) else {
            return Some(recomputed(call, phases, &laps, &module));
        };
        let place = mine(call, phases, || {
            if !parent.get().only_calls
                && let Some(value) = call.argument(1)
                && laps.get().is_plain(&value)
            {
                // What the caller made since its last module is its own.
                ModuleLaps::tag(&laps, &value, &parent)?;
            }
            ModuleLaps::inside(&laps, &parent, &module)
        });
        Some(match place {
            Ok(Some(place)) => timed(call, phases, &laps, place, &module),
            Ok(None) => call.pass(),
            Err(error) => Err(error),
        })
    }

    /// Gradients are about to be computed: where that is compiled, nothing is tagged any more.
    pub fn step_aside(&self, call: &Call<'_>, phases: &Phases) -> PyResult<()> {
        let python = call.python;
        mine(call, phases, || {
            if answers(python, &self.step_aside, ())?
                && let Some(laps) = self.laps(python)?
            {
                laps.get().tag_nothing();
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Gradients are computed, inside their phase. Once they are, `done` tells since when the engine
    /// has waited for other processes', if it has; it is told when the last module began.
    pub fn backward<'py>(
        &self,
        call: &Call<'py>,
        phases: &Phases,
        done: &mut dyn FnMut(u64) -> PyResult<Option<u64>>,
    ) -> Result<'py> {
        let python = call.python;
        let laps = mine(call, phases, || self.laps(python))?.flatten();
        // A backward inside a backward is part of it.
        let Some(laps) = laps.filter(|laps| !laps.get().backward.is_on()) else {
            return call.pass();
        };
        ModuleLaps::backward_begin(&laps);
        let result = call.pass();
        let since = mine(call, phases, || {
            let moved = laps.get().backward.moved(python);
            result.as_ref().map_or(Ok(None), |_| done(moved))
        });
        let until = since.as_ref().ok().copied().flatten().flatten();
        mine(call, phases, || ModuleLaps::backward_end(&laps, until))?;
        since.and(result)
    }
}

/// Calls the module within the lap of its place and tags what it made.
fn timed<'py>(
    call: &Call<'py>,
    phases: &Phases,
    laps: &Bound<'py, ModuleLaps>,
    place: Bound<'py, CalledModule>,
    module: &Bound<'py, PyAny>,
) -> Result<'py> {
    let Some((place, graph)) = mine(call, phases, || open(place, module))? else {
        return call.pass();
    };
    let inside = if graph.is_some() {
        null_mut()
    } else {
        place.as_ptr()
    };
    let outer = laps.get().go_to(inside);
    let result = call.pass();
    laps.get().go_to(outer);
    mine(call, phases, || {
        if let Some(graph) = &graph {
            graph.get().close(call.python)?;
        }
        place.get().close(call.python)?;
        result.as_ref().map_or(Ok(()), |out| {
            ModuleLaps::tag(laps, out, graph.as_ref().unwrap_or(&place))
        })
    })?;
    result
}

fn open<'py>(place: Bound<'py, CalledModule>, module: &Bound<'py, PyAny>) -> PyResult<Opened<'py>> {
    let python = place.py();
    let compiled = place.get().compiled || is_compiled(module);
    let graph = if compiled {
        Some(CalledModule::graph(&place)?)
    } else {
        None
    };
    place.get().open(python)?;
    if let Some(graph) = &graph {
        graph.get().open(python)?;
    }
    Ok((place, graph))
}

/// Whether `compile()` was called on a module: what its class does when it is asked is not asked.
fn is_compiled(module: &Bound<'_, PyAny>) -> bool {
    let python = module.py();
    let name = intern!(python, "_compiled_call_impl");
    // SAFETY: two live objects; what comes back is new, or null with an exception set.
    let found = unsafe {
        let found = ffi::PyObject_GenericGetAttr(module.as_ptr(), name.as_ptr());
        Bound::from_owned_ptr_or_err(python, found)
    };
    found.is_ok_and(|call| !call.is_none())
}

/// A call inside a backward, which has no lap, but whose nodes run in this backward.
fn recomputed<'py>(
    call: &Call<'py>,
    phases: &Phases,
    laps: &Bound<'py, ModuleLaps>,
    module: &Bound<'py, PyAny>,
) -> Result<'py> {
    let out = call.pass()?;
    mine(call, phases, || {
        let known = laps.get().known.find(module);
        known.map_or(Ok(()), |place| ModuleLaps::tag(laps, &out, &place))
    })?;
    Ok(out)
}
