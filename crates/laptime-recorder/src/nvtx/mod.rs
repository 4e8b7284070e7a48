//! Laps as NVTX ranges, for a tool of NVIDIA's that is attached to the process.
//!
//! A tool is a shared library that a loader of NVTX finds by `NVTX_INJECTION64_PATH` ([`loader`]). It is
//! handed the addresses of our function pointers ([`tables`]) and writes its own functions there;
//! [`tool`] calls them. What is open on a stack is kept in its [`ranges`]. No library of NVIDIA's is
//! linked: the protocol is that of version 3 of its headers.
//!
//! Nothing of this runs while no tool is attached. With one, spans take the general way, as they do
//! while memory is measured ([`crate::state`]).

mod attributes;
mod loader;
mod ranges;
mod started;
mod tables;
mod tool;

use std::sync::atomic::{AtomicBool, Ordering};

use laptime_core::Unavailable;

use crate::notes;
use crate::site::Site;
use crate::state;

pub(crate) use ranges::Ranges;
pub use started::Started;
pub(crate) use tool::tool;

/// Name of the domain that the ranges are in: what `ncu --nvtx-include "laptime@step/"` begins with.
pub const DOMAIN: &str = "laptime";

/// Code of the note that says why a tool that was asked for gets nothing.
const NOT_TOLD: &str = "nvtx.unavailable";

/// Whether the environment was looked at.
static LOOKED: AtomicBool = AtomicBool::new(false);

/// Whether a tool takes ranges.
#[inline]
pub fn is_on() -> bool {
    tool().is_some()
}

/// Hands spans to the tool that is attached, from now on until the process ends.
///
/// **Errors** with the reason where there is no tool, or it takes no ranges; the recording says it too.
pub fn start() -> Result<(), Unavailable> {
    tool::attach().inspect_err(|reason| notes::note(NOT_TOLD, &reason.0))?;
    if state::is_on() {
        state::enable();
    }
    Ok(())
}

/// Attaches the tool that the environment names, once: what a program started by `nsys profile` finds
/// there. Says nothing where it can't: nobody asked.
pub(crate) fn follow_environment() {
    if !LOOKED.swap(true, Ordering::SeqCst) && loader::is_named() {
        let _ = tool::attach();
    }
}

/// Tells of a named instant.
pub(crate) fn mark(site: &Site, id: u64) {
    if let Some(tool) = tool() {
        tool.mark(tool.name(site), id);
    }
}
