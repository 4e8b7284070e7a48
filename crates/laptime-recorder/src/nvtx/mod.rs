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

use crate::site::Site;

pub(crate) use ranges::Ranges;
pub use started::Started;
pub use tool::DOMAIN;
pub(crate) use tool::{attach, tool};

/// Whether the environment was looked at.
static LOOKED: AtomicBool = AtomicBool::new(false);

/// Whether a tool takes ranges.
#[inline]
pub fn is_on() -> bool {
    tool().is_some()
}

/// Attaches the tool that the environment names, once: what a program started by `nsys profile` finds
/// there. Says nothing where it can't: nobody asked.
pub(crate) fn follow_environment() -> bool {
    !LOOKED.swap(true, Ordering::SeqCst) && loader::is_named() && attach().is_ok()
}

/// Tells of a named instant.
pub(crate) fn mark(site: &Site, id: u64) {
    if let Some(tool) = tool() {
        tool.mark(tool.name(site), id);
    }
}
