//! The automatic phases: from calls of torch's functions to spans.
//!
//! [`watched`] lies over those functions, by way of [`hooks`]; it tells the [`machine`] of its
//! thread ([`here`]) what begins and ends. The machine is policy alone: it answers with
//! operations on [`laps`], which the [`recorder`] carries out, or a test's object
//! ([`scripted`]). What it must know about the program it asks through [`process`], which Python
//! answers. Patching torch is Python's business: `laptime.integrations`.

mod asked;
mod backward;
mod counting;
mod fetch;
mod forward;
mod here;
pub mod hidden;
pub mod hooks;
mod laps;
mod loader;
mod machine;
mod optimizer;
mod pass;
mod passes;
pub mod process;
mod recorder;
mod scripted;
mod tested;
mod unit;
mod units;
pub mod watched;

use pyo3::prelude::*;

/// Adds the phases to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<watched::Watched>()?;
    module.add_class::<pass::LoaderMemory>()?;
    module.add_class::<pass::Pass>()?;
    module.add_class::<process::Phases>()?;
    module.add_class::<tested::PhaseMachine>()
}
