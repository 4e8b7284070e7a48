//! What JAX tells of itself: what it [compiles](compilation), by the listeners of `jax.monitoring`, and
//! what it is still computing when a lap ends ([`launches`]).
//!
//! Nothing of JAX's is replaced, and nothing imported. When it begins is Python's business:
//! `laptime.integrations._autojax`.

pub mod compilation;
pub mod launches;
mod question;
mod turns;

use laptime_python_macros::guarded;
use pyo3::prelude::*;

use crate::entry::measuring;
use crate::fast::lap::kinds::look_at_laps;

/// Looks from now on at what laps launch: the program has imported JAX.
#[guarded]
#[pyfunction]
pub fn look_at_launches() {
    measuring(|| (), look_at_laps);
}
