//! Calls by which a program opens and closes ranges of its own: NVTX's, and the profiler's.
//!
//! What they mean is Python's business (`laptime.integrations._program_ranges`). A call that raises
//! opened nothing and closed nothing, so nobody is told of it.

use pyo3::prelude::*;

use super::call::Call;
use super::own_python::Hidden;
use super::process::Phases;

/// Lets a call go on its way, and tells what it was given and what it brought.
pub fn told<'py>(
    call: &Call<'py>,
    told: Option<&Py<PyAny>>,
    phases: &Phases,
) -> PyResult<Bound<'py, PyAny>> {
    let result = call.pass()?;
    if let Some(told) = told {
        let tell = || {
            let (given, named) = (call.positional(0)?, call.named()?);
            let _hidden = Hidden::new(call.python);
            told.bind(call.python).call1((given, named, &result))
        };
        if let Err(error) = tell() {
            phases.broken(call.python, error)?;
        }
    }
    Ok(result)
}

/// Lets a call go on its way inside of a lap.
pub fn inside<'py>(
    call: &Call<'py>,
    lap: Option<&Py<PyAny>>,
    phases: &Phases,
) -> PyResult<Bound<'py, PyAny>> {
    let python = call.python;
    let Some(lap) = lap.map(|lap| lap.bind(python)) else {
        return call.pass();
    };
    let opened = lap.call_method0("__enter__");
    let result = call.pass();
    if let Err(error) = opened {
        phases.broken(python, error)?;
        return result;
    }
    let none = python.None();
    if let Err(error) = lap.call_method1("__exit__", (&none, &none, &none)) {
        phases.broken(python, error)?;
    }
    result
}
