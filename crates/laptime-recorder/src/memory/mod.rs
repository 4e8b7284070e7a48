//! Host memory: what the laps allocate and free.
//!
//! Allocations are counted where they are made, thread by thread ([`counters`]); open laps
//! remember where the count stood ([`frames`]). What calls the counters is either the
//! program's own global allocator ([`Tally`], for Rust) or replacements for `malloc` and its
//! kin that are written into the relocation tables of the loaded objects ([`patch`], for
//! Python). Nothing of this runs, and spans cost nothing more, until [`start`].

mod alloc;
mod counters;
mod frames;
mod interval;
mod level_notes;
#[cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod patch;
#[cfg(not(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
#[path = "no_patch.rs"]
mod patch;
pub(crate) mod switch;

use laptime_core::Unavailable;
use laptime_core::format::record::Record;

pub use alloc::Tally;
pub use counters::{Quiet, count};
pub(crate) use frames::Frames;
pub use interval::Interval;
pub(crate) use level_notes::{at_exit, write_around_laps};
pub use patch::check_machine as check;
pub(crate) use patch::look_for_new_objects;
pub use switch::{process, refuse, stop};

use crate::registration;
use crate::registry;
use crate::state;

/// Code of the note that says why memory is not counted.
const NOT_COUNTED: &str = "memory.unavailable";

/// Counts the memory of laps from now on. Whether this call began it: a second one does nothing.
///
/// **Errors** with the reason where allocations cannot be counted; resident memory is all there is
/// then, and the recording says why.
pub fn start() -> Result<bool, Unavailable> {
    switch::turn_on().inspect_err(|reason| {
        let is_new = registry::with(|registry| registry.note(NOT_COUNTED, &reason.0));
        // While it is being decided whether to record, a recording that starts writes it.
        if is_new && state::is_on() {
            registration::with(|thread| {
                thread.writer.record(&Record::Note {
                    code: NOT_COUNTED,
                    message: &reason.0,
                });
            });
        }
    })
}
