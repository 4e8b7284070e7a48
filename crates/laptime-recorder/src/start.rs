//! Whether spans are recorded, decided at the first one: by the parent's recording or the environment.

use std::io;

use crate::attached_tool::{enable, tell_attached_tool};
use crate::environment::{Asked, Switch};
use crate::keeper;
use crate::memory;
use crate::messages::warn;
use crate::recording::{RecordOptions, join, record};
use crate::registry;
use crate::stacks;
use crate::state;
use crate::wiped;

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
    if wiped::is_unknown_child() {
        state::switch_off_for_good();
        return false;
    }
    // First, so that a span opened while joining does not come back here.
    state::disable();
    if join_after_fork() || start_from_environment() {
        enable();
    }
    state::is_on()
}

/// Joins the recording of the process that forked this one; whether there was one.
fn join_after_fork() -> bool {
    let (folder, root) = registry::with(|registry| (registry.pending.take(), registry.root));
    let Some(folder) = folder else {
        return false;
    };
    let process = std::process::id();
    match keeper::goes_on(&folder) {
        Ok(true) => {
            if let Err(error) = join(&folder, &RecordOptions::default()) {
                warn(&format_args!(
                    "{error}; process {process} is recorded in memory only"
                ));
            }
        }
        // A daemon's children may come long after the run's end, or when it was deleted.
        Ok(false) => {}
        Err(error) => {
            if let Some(cause) = cause(&error, root) {
                let folder = folder.display();
                warn(&format_args!(
                    "process {process} can't reach {folder} ({error}), since {cause}: it is recorded in memory only"
                ));
            }
        }
    }
    true
}

/// Why a child can't reach a recording that its parent has.
fn cause(error: &io::Error, root: Option<(u64, u64)>) -> Option<&'static str> {
    if keeper::root() != root {
        return Some("its root folder is another one");
    }
    (error.kind() == io::ErrorKind::PermissionDenied).then_some("it or its parent changed the user")
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
