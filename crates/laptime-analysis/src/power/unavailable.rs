//! Reasons why a run has no devices, and why its laps have no energy.

use std::collections::BTreeMap;

use laptime_core::Unavailable;

use crate::reading::process::Process;
use crate::summary::fields::Group;

/// Code of the note that says why no device was sampled.
pub const UNAVAILABLE: &str = "telemetry.unavailable";
/// Why laps of a program that reports on itself have no energy: devices are sampled for recordings.
const LIVE: &str = "a recording's report tells it, and this is a report of the running program: open the recording";
/// Name of the summary's field that has the devices.
const FIELD: &str = "devices";

/// Adds why there are no devices, if a process said so, and why no lap has energy.
pub fn with_reason(
    mut unavailable: BTreeMap<String, Unavailable>,
    processes: &[Process],
) -> BTreeMap<String, Unavailable> {
    let mut notes = processes
        .iter()
        .flat_map(|process| &process.features.notes.0);
    if let Some((_, why)) = notes.find(|(code, _)| code == UNAVAILABLE) {
        unavailable.insert(FIELD.to_owned(), Unavailable(why.clone()));
    }
    if let Some(why) = no_energy(processes) {
        for name in Group::Energy.names() {
            unavailable.insert(name.to_owned(), Unavailable(why.to_owned()));
        }
    }
    unavailable
}

fn no_energy(processes: &[Process]) -> Option<&str> {
    let is_of_itself =
        |process: &Process| process.facts.is_live && process.facts.file_bytes.is_none();
    if processes.iter().any(is_of_itself) {
        return Some(LIVE);
    }
    let lack = processes
        .iter()
        .find_map(|one| one.features.devices.no_energy());
    let mut notes = processes
        .iter()
        .flat_map(|process| &process.features.notes.0);
    lack.or_else(|| {
        let (_, why) = notes.find(|(code, _)| code == UNAVAILABLE)?;
        Some(why)
    })
}
