//! The automatic phases of torch: from calls of torch's functions to the machine of their thread.
//!
//! [`watched`] lies over those functions, by way of [`hooks`]; it tells the machine of its
//! thread ([`here`]) what begins and ends. The machine is `laptime_phases`'s; what it opens and
//! closes the [`recorder`] records, and what it asks about the program Python answers, through
//! [`process`]. Patching torch is Python's business: `laptime.integrations`.

mod asked;
mod counting;
mod exchanges;
mod here;
pub mod hidden;
pub mod hooks;
mod passes;
pub mod process;
pub mod recorder;
pub mod watched;

use pyo3::prelude::*;

/// Adds the phases to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<watched::Watched>()?;
    module.add_class::<process::Phases>()
}
