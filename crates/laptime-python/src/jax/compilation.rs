//! Listeners for `jax.monitoring`: one is told that a stage of a compilation begins, the other that it
//! is over, on the thread that compiles. They answer nothing, and raise nothing but what a handler of
//! the program's raised meanwhile, such as Ctrl-C.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use laptime_python_macros::guarded;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use laptime_phases::{Compilation, Stage};
use laptime_recorder::{self as recorder, clock};

use crate::entry::measuring;
use crate::fast::span;
use crate::handler;
use crate::interned::intern;
use crate::phases::own_python::Hidden;
use crate::phases::recorder::Recorder;
use crate::rate;

/// What JAX calls the stages.
const STAGES: [(&str, Stage); 3] = [
    ("/jax/core/compile/jaxpr_trace_duration", Stage::Trace),
    (
        "/jax/core/compile/jaxpr_to_mlir_module_duration",
        Stage::Lower,
    ),
    ("/jax/core/compile/backend_compile_duration", Stage::Compile),
];
/// Told inside the last stage, where an earlier run has compiled the same.
const CACHED: &str = "/jax/compilation_cache/cache_retrieval_time_sec";

const UNAVAILABLE: &str = "compile.unavailable";
const CLEARED: &str =
    "compilations are missing from here on: the program cleared the listeners of jax.monitoring";
const SILENT: &str =
    "compilations are missing: JAX announces their start from its version 0.6.1 on";

/// Whether the start of anything was announced in this process.
static HAS_BEGUN: AtomicBool = AtomicBool::new(false);

thread_local! {
    static HERE: RefCell<Option<Compilation>> = const { RefCell::new(None) };
}

/// Runs with the compilations of this thread.
fn here<R>(body: impl FnOnce(&mut Compilation) -> R) -> Option<R> {
    HERE.try_with(|here| {
        let mut here = here.try_borrow_mut().ok()?;
        let new = || Compilation::new(Box::new(Recorder::new()));
        Some(body(here.get_or_insert_with(new)))
    })
    .ok()
    .flatten()
}

fn stage(event: &str) -> Option<Stage> {
    let known = STAGES.iter().find(|(name, _)| *name == event);
    known.map(|(_, stage)| *stage)
}

/// The function that is compiled, as JAX calls it.
fn function(said: Option<&Bound<'_, PyDict>>) -> PyResult<String> {
    let name = match said {
        Some(said) => said.get_item(intern!(said.py(), "fun_name"))?,
        None => None,
    };
    name.map_or_else(|| Ok(String::new()), |name| name.extract())
}

/// What is compiled in this process.
#[pyclass(frozen, module = "laptime._core")]
pub struct Compilations {
    /// Whether ends are still told.
    hears: Py<PyAny>,
}

#[guarded]
#[pymethods]
impl Compilations {
    #[new]
    fn new(hears: Py<PyAny>) -> Self {
        Self { hears }
    }

    /// A listener for scalars: a stage begins at the value, a time.
    #[pyo3(signature = (event, value, /, **said))]
    fn began(
        &self,
        event: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
        said: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let _ = value;
        let python = event.py();
        measuring(|| Ok(()), || of_program(python, self.begin(event, said)))
    }

    /// A listener for durations: a stage is over.
    #[pyo3(signature = (event, seconds, /, **said))]
    #[staticmethod]
    fn ended(
        event: &Bound<'_, PyAny>,
        seconds: &Bound<'_, PyAny>,
        said: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let python = event.py();
        measuring(|| Ok(()), || of_program(python, end(event, seconds, said)))
    }
}

impl Compilations {
    fn begin(&self, event: &Bound<'_, PyAny>, said: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let Some(stage) = stage(event.extract()?) else {
            return Ok(());
        };
        let function = function(said)?;
        HAS_BEGUN.store(true, Relaxed);
        if self.hears(event.py())? {
            here(|compilation| compilation.begin(stage, &function));
        } else {
            here(Compilation::abandon);
            note(CLEARED);
        }
        Ok(())
    }

    /// `clear_event_listeners` of some versions leaves those that are told of starts.
    fn hears(&self, python: Python<'_>) -> PyResult<bool> {
        let _hidden = Hidden::new(python);
        self.hears.call0(python)?.is_truthy(python)
    }
}

/// What of an outcome is the program's: an error that a handler of its raised, and no other.
fn of_program(python: Python<'_>, outcome: PyResult<()>) -> PyResult<()> {
    match outcome {
        Err(error) if handler::raised(python, &error) => Err(error),
        _ => Ok(()),
    }
}

fn end(
    event: &Bound<'_, PyAny>,
    seconds: &Bound<'_, PyAny>,
    said: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    let event: &str = event.extract()?;
    if event == CACHED {
        let ns = seconds.extract::<f64>()?.max(0.0) * 1e9;
        let ticks = ns / rate::ns_per_tick(clock::now());
        here(|compilation| compilation.was_cached(ticks as u64));
    } else if let Some(stage) = stage(event) {
        let function = function(said)?;
        here(|compilation| compilation.end(stage, &function));
        if !HAS_BEGUN.load(Relaxed) {
            note(SILENT);
        }
    }
    Ok(())
}

fn note(reason: &str) {
    span::at(|| recorder::note(UNAVAILABLE, reason));
}
