//! Switching on, and with it what a tool of NVIDIA's is told: laps as ranges.

use laptime_core::Unavailable;

use crate::nvtx;
use crate::registration;
use crate::state::{self, More};

/// Code of the note that says why a tool that was asked for gets nothing.
const NOT_TOLD: &str = "nvtx.unavailable";

/// Hands spans to the tool that is attached, from now on until the process ends.
///
/// **Errors** with the reason where there is no tool, or it takes no ranges; the recording says it too.
pub fn tell_attached_tool() -> Result<(), Unavailable> {
    nvtx::attach().inspect_err(|reason| registration::note(NOT_TOLD, &reason.0))?;
    state::set(More::Ranges, true);
    Ok(())
}

/// Records from now on, in memory; on disk too while a recording is on. The tool that the environment names
/// is told, as a program that `nsys profile` starts expects.
pub fn enable() {
    if nvtx::follow_environment() {
        state::set(More::Ranges, true);
    }
    state::enable();
}
