//! Who keeps a recording open: its launcher, or the process that records itself.
//!
//! A process joins a recording only while its keeper lives: `LAPTIME_RUN` stays in the environment
//! of daemons and shells long after. A process id alone doesn't tell, since ids are used again.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use laptime_core::RunInfo;
use laptime_core::format::process::ProcessHeader;
use laptime_core::run::Keeper;

use crate::found_file;
use crate::platform;

/// This process, as a keeper.
pub fn this_process() -> Keeper {
    let pid = std::process::id();
    Keeper {
        pid,
        started_ticks: platform::started_ticks(pid).ok(),
        namespace: namespace(),
    }
}

/// Whether a folder is a recording in progress. **Errors** where it can't be read.
pub fn goes_on(folder: &Path) -> io::Result<bool> {
    let bytes = found_file::read(&folder.join(RunInfo::FILE_NAME))?;
    Ok(RunInfo::from_json(&bytes).is_ok_and(|run| is_in_progress(&run)))
}

/// What this process sees as the root of all folders: another one after a `chroot`.
pub fn root() -> Option<(u64, u64)> {
    let root = fs::metadata("/").ok()?;
    Some((root.dev(), root.ino()))
}

/// Whether a run goes on, as far as can be seen from here.
pub fn is_in_progress(run: &RunInfo) -> bool {
    let is_of_this_boot = run.boot_id == boot_id();
    let is_kept = match &run.keeper {
        Some(keeper) => is_alive(keeper),
        // Written by a Laptime that didn't say; without a program it is only just being started.
        None => run
            .pid
            .is_none_or(|pid| platform::started_ticks(pid).is_ok()),
    };
    run.end.is_none() && is_of_this_boot && is_kept
}

/// Whether the process that a header describes goes on, as far as can be seen from here.
pub fn is_running(header: &ProcessHeader) -> bool {
    let began_ns = platform::started_boottime_ns(header.pid);
    header.closed.is_none()
        && header.boot_id == platform::boot_id()
        && began_ns.is_some()
        && began_ns == header.process_started_boottime_ns
}

fn is_alive(keeper: &Keeper) -> bool {
    if keeper.namespace != namespace() {
        // Inside a container of its own, the keeper's id names nobody, or somebody else.
        return true;
    }
    match (platform::started_ticks(keeper.pid), keeper.started_ticks) {
        (Ok(found), Some(known)) => found == known,
        (Ok(_), None) => true,
        (Err(_), _) => platform::started_ticks(std::process::id()).is_err(),
    }
}

/// The numbering that this process's id belongs to.
fn namespace() -> Option<u64> {
    Some(fs::metadata("/proc/self/ns/pid").ok()?.ino())
}

/// The boot that monotonic times count from, as 32 hexadecimal digits; empty where the system doesn't
/// tell.
pub fn boot_id() -> String {
    match u128::from_be_bytes(platform::boot_id()) {
        0 => String::new(),
        id => format!("{id:032x}"),
    }
}

#[cfg(test)]
mod tests {
    use laptime_core::ProgramEnd;

    use super::*;

    fn run(keeper: Option<Keeper>) -> RunInfo {
        RunInfo {
            format: 1,
            laptime: String::new(),
            program: String::new(),
            started_monotonic_ns: 0,
            started_realtime_ns: 0,
            boot_id: boot_id(),
            pid: None,
            keeper,
            end: None,
            unrecorded: Vec::new(),
            processes: None,
        }
    }

    #[test]
    fn a_run_goes_on_while_its_keeper_lives_and_no_end_is_noted() {
        let mut open = run(Some(this_process()));
        assert!(is_in_progress(&open));
        open.end = Some(ProgramEnd {
            monotonic_ns: 1,
            code: Some(0),
            signal: None,
        });
        assert!(!is_in_progress(&open));
    }

    #[test]
    fn an_id_that_was_given_again_is_not_the_keeper() {
        let mut keeper = this_process();
        keeper.started_ticks = keeper.started_ticks.map(|ticks| ticks + 1);
        assert!(!is_in_progress(&run(Some(keeper))));
    }

    #[test]
    fn a_keeper_of_an_earlier_boot_or_one_that_ended_keeps_nothing() {
        let mut earlier = run(Some(this_process()));
        earlier.boot_id = "0".repeat(32);
        assert!(!is_in_progress(&earlier));
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let ended = Keeper {
            pid: child.id(),
            ..this_process()
        };
        // Ended and not waited for, or gone: both are no keeper.
        assert!(!is_in_progress(&run(Some(ended.clone()))));
        child.wait().unwrap();
        assert!(!is_in_progress(&run(Some(ended))));
    }

    #[test]
    fn a_keeper_outside_of_this_namespace_is_taken_at_its_word() {
        let outside = Keeper {
            pid: u32::MAX,
            namespace: Some(1),
            ..this_process()
        };
        assert!(is_in_progress(&run(Some(outside))));
    }
}
