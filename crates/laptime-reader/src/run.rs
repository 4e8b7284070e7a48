//! `run.json`: read, and held against what the processes themselves say.

use std::io::Read;
use std::path::Path;

use laptime_core::run::FORMAT_VERSION;
use laptime_core::{FormatError, RunInfo};

use crate::files::cannot_read;
use crate::{Damage, ProcessFile, ReadError, RecordedProcess};

/// Longest `run.json` that is read; real ones are below 1 kB.
const MAX_RUN_LEN: u64 = 1 << 20;
/// The kernel tells the start of a process to a tick of this length.
const RESOLUTION_NS: u64 = 10_000_000;
/// A launcher starts its program at once; so much later, and one of the two times is wrong.
const LONGEST_START_NS: u64 = 3_600_000_000_000;
/// No machine has been up for so long: thirty years.
const LONGEST_UP_NS: u64 = 1_000_000_000_000_000_000;

/// Reads `run.json` out of a packed recording; where the archive is being listed stays as it is.
pub(crate) fn within(file: &ProcessFile) -> Result<RunInfo, ReadError> {
    let mut bytes = vec![0; file.length.min(MAX_RUN_LEN) as usize];
    let length = file.open()?.read(0, &mut bytes)?;
    read(file.path(), &bytes[..length])
}

/// Reads `run.json` as far as a real one goes.
pub(crate) fn read(path: &Path, from: impl Read) -> Result<RunInfo, ReadError> {
    let mut bytes = Vec::new();
    from.take(MAX_RUN_LEN)
        .read_to_end(&mut bytes)
        .map_err(|source| cannot_read(path, 0, source))?;
    let run = RunInfo::from_json(&bytes).map_err(|source| ReadError::Run {
        path: path.to_owned(),
        source,
    })?;
    if run.format > FORMAT_VERSION {
        return Err(ReadError::Damaged {
            path: path.to_owned(),
            source: Damage::Format(FormatError::Newer {
                found: run.format,
                supported: FORMAT_VERSION,
            }),
        });
    }
    Ok(run)
}

/// Replaces times that cannot be by those of the program's own process, and says what was wrong.
///
/// Nothing but the program's process can contradict a run, so without it the run is believed.
pub(crate) fn correct(run: &mut RunInfo, processes: &[RecordedProcess]) -> Option<&'static str> {
    let of_main = |process: &&RecordedProcess| Some(process.reader.header().pid) == run.pid;
    let facts = processes.iter().find(of_main)?.reader.facts();
    let (started_ns, began) = (facts.started_ns(), facts.header.anchor);
    let ended_ns = run.end.as_ref().map(|end| end.monotonic_ns);
    let boot_id = u128::from_be_bytes(facts.header.boot_id);
    let wrong = if boot_id != 0 && u128::from_str_radix(&run.boot_id, 16).ok() != Some(boot_id) {
        "it is of another start of the machine"
    } else if run.started_monotonic_ns > began.monotonic_ns.saturating_add(RESOLUTION_NS) {
        "it starts after its program was recorded"
    } else if started_ns.saturating_sub(run.started_monotonic_ns) > LONGEST_START_NS {
        "it starts more than an hour before its program"
    } else if ended_ns.is_some_and(|ended_ns| ended_ns < began.monotonic_ns) {
        "it ends before its program was recorded"
    } else if ended_ns.is_some_and(|ended_ns| ended_ns > LONGEST_UP_NS) {
        "it ends more than thirty years after the machine started"
    } else {
        return None;
    };
    run.started_monotonic_ns = started_ns;
    if let Some(end) = &mut run.end {
        let last = facts.header.closed.unwrap_or(facts.anchors.last());
        end.monotonic_ns = last.monotonic_ns;
    }
    Some(wrong)
}
