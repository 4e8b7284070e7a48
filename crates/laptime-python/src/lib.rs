//! The Python face: the extension module `laptime._core`.
//!
//! One file per noun; bodies let the interpreter go, call a library crate, and convert. The
//! exceptions are [`fast`], the hot path of laps and timers, and [`phases`], which watches torch
//! at the places where Python would be too slow. Names and defaults are Python's
//! business, under `python/laptime`.

mod arrow;
mod ceilings;
mod command;
mod counting;
mod entry;
mod environment;
mod errors;
mod fast;
mod handler;
mod jax;
mod lookup;
mod memory;
mod modules;
mod objects;
mod operations;
mod phases;
mod picture;
mod rate;
mod recorder;
mod recording;
mod report;
mod span;
mod spans;
mod state;
mod stretches;
mod summary;
mod timer;
mod timer_state;
mod timing;
mod torchtimer;

use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;

/// The program may use up its memory and go on: then ours must not end it.
#[global_allocator]
static ALLOCATOR: laptime_recorder::Reserve = laptime_recorder::Reserve::system();

/// Needs the interpreter lock even where it could be had without: the hot path relies on it.
#[pymodule(gil_used = true)]
#[pyo3(name = "_core")]
fn core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let python = module.py();
    // SAFETY: the lock is held.
    let interpreter = unsafe { ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get()) };
    if interpreter != 0 {
        // The hot path keeps objects of one interpreter in static memory.
        let message = "laptime works in the main interpreter only, not in sub-interpreters";
        return Err(PyImportError::new_err(message));
    }
    laptime_recorder::silence_panics();
    rate::start();
    module.add("Lap", fast::lap::kinds::class(python)?)?;
    module.add("lap", fast::lap::builtin::builtin(python)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    errors::add(module)?;
    handler::add(module)?;
    span::add(module)?;
    phases::add(module)?;
    jax::add(module)?;
    modules::add(module)?;
    environment::add(module)?;
    recorder::add(module)?;
    memory::add(module)?;
    report::add(module)?;
    recording::add(module)?;
    module.add_class::<fast::lap::pieces::Pieces>()?;
    timer::add(module)?;
    torchtimer::add(module)?;
    timing::add(module)?;
    picture::add(module)?;
    operations::add(module)?;
    ceilings::add(module)?;
    counting::add(module)?;
    stretches::add(module)?;
    command::add(module)?;
    state::add(module)?;
    // The interface is that of `laptime`, not everything that is here.
    module.delattr("__all__")
}
