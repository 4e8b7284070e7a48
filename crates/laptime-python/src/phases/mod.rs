//! The automatic phases: from calls of torch's functions to spans.
//!
//! [`watched`] is what stands in place of those functions; it tells the [`machine`] of its
//! thread ([`here`]) what begins and ends. The machine is policy alone: it answers with
//! operations on [`laps`], which the [`recorder`] carries out, or a test's object
//! ([`scripted`]). What it must know about the program it asks through [`process`], which Python
//! answers. Patching torch is Python's business: `laptime.integrations`.

mod asked;
mod backward;
mod fetch;
mod forward;
mod here;
mod laps;
mod loader;
mod machine;
mod optimizer;
mod pass;
mod process;
mod recorder;
mod scripted;
mod tested;
mod unit;
mod units;
mod watched;

use pyo3::prelude::*;

/// Whether `torch.compile` is tracing the caller: told by the stand-in that it knows for this.
#[pyfunction]
fn is_traced() -> bool {
    false
}

/// Whether a call is passed through: inside a phase whose inside is not looked at, and, by the
/// same kind of stand-in, while `torch.compile` is tracing.
#[pyfunction]
fn passes() -> bool {
    here::is_busy()
}

/// Adds the phases to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<watched::Watched>()?;
    module.add_class::<pass::LoaderMemory>()?;
    module.add_class::<pass::Pass>()?;
    module.add_class::<process::Phases>()?;
    module.add_class::<tested::PhaseMachine>()?;
    module.add_function(wrap_pyfunction!(is_traced, module)?)?;
    module.add_function(wrap_pyfunction!(passes, module)?)
}
