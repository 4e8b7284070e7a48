//! Whether spans are recorded, decided at the first one: by the parent's recording or the environment.

use crate::attached_tool::{enable, tell_attached_tool};
use crate::environment::{Asked, Switch};
use crate::keeper;
use crate::memory;
use crate::messages::warn;
use crate::recording::{RecordOptions, join, record};
use crate::registry;
use crate::stacks;
use crate::state;

/// Whether spans are recorded. Decides at the first span of the process, by the environment.
#[inline]
pub fn is_on_or_decide() -> bool {
    state::is_on() || (!state::is_off() && decide())
}

/// In a forked child: joins the parent's recording now, where stacks are asked for, and not at the
/// first span. What the child does may have none.
pub fn begin_in_child() {
    if stacks::asked().is_some() {
        is_on_or_decide();
    }
}

#[cold]
#[inline(never)]
fn decide() -> bool {
    // First, so that a span opened while joining does not come back here.
    state::disable();
    if join_after_fork() || start_from_environment() {
        enable();
    }
    state::is_on()
}

/// Joins the recording of the process that forked this one; whether there was one.
fn join_after_fork() -> bool {
    let Some(folder) = registry::with(|registry| registry.pending.take()) else {
        return false;
    };
    // A daemon's children may come long after the run's end.
    if keeper::is_open(&folder)
        && let Err(error) = join(&folder, &RecordOptions::default())
    {
        let process = std::process::id();
        warn(&format_args!(
            "{error}; process {process} is recorded in memory only"
        ));
    }
    true
}

/// Joins or starts what the environment asks for; whether spans are to be recorded.
fn start_from_environment() -> bool {
    let options = RecordOptions::default();
    let asked = Asked::here();
    for warning in &asked.warnings {
        warn(warning);
    }
    if asked.memory.is_some() {
        // The reason why not, if so, goes into the recording that starts next.
        let _ = memory::start();
    }
    if asked.automatic.is_some_and(|automatic| automatic.nvtx)
        && let Err(reason) = tell_attached_tool()
    {
        warn(&format_args!("NVTX: {reason}"));
    }
    let started = match (asked.run, asked.switch) {
        (Some(folder), _) => join(&folder, &options),
        (None, Switch::On) => Ok(()),
        // Finished by the exit handler; the run's end is then the process's own.
        (None, Switch::Record(path)) => record(&path, &options).map(|recording| {
            if let Some(told) = recording.taken_path(&path) {
                warn(&format_args!("{told}"));
            }
            std::mem::forget(recording);
        }),
        (None, Switch::Unset | Switch::Off) => return false,
    };
    if let Err(error) = started {
        warn(&format_args!("{error}; the program goes on unrecorded"));
        return false;
    }
    true
}
