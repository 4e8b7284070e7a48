//! Times on devices in rows: the times that rates divide by, and reasons to doubt them.

use std::collections::BTreeMap;

use laptime_core::{DeviceTally, Unavailable, path};

use crate::reading::process::Process;
use crate::summarize::tree::Tree;
use crate::summary::Summary;
use crate::summary::doubt::{DeviceDoubt, Doubt, UntimedSpans};
use crate::summary::fields::Group;
use crate::summary::span_row::SpanRow;

/// Code of the note that says why no span was timed on the device that the program used.
pub const UNAVAILABLE: &str = "device.unavailable";
/// Code of the note that says why a program that could have used a device used none.
pub const NOT_USED: &str = "device.unused";
/// Code of the note that says that somebody asked for host times alone.
pub const OFF: &str = "device.off";
/// Code of the note that says that laps waited for their device.
pub const SYNCHRONIZED: &str = "device.synchronized";
/// Message of the note that somebody asked for host times alone.
const SWITCHED_OFF: &str = "LAPTIME_DEVICE=off";

/// Why a rate has no time to divide by.
pub const PARTLY: &str =
    "only some of its spans have device time, and host time is not how long their work took";

/// Tells whether spans were to be timed on a device.
pub fn is_told(told: &DeviceTally) -> bool {
    told.count > 0 || told.without().is_some()
}

/// Returns how long the work of `spans` spans took, which ran `host_ns` on the host: the device's time where it
/// did the work.
pub fn work_ns(told: &DeviceTally, spans: u64, host_ns: u64) -> Result<u64, &'static str> {
    if !is_told(told) {
        Ok(host_ns)
    } else if told.count == spans {
        Ok(told.total_ns)
    } else {
        Err(PARTLY)
    }
}

/// Fills in a device's time of a row's spans, or why there is none.
pub fn fill(row: &mut SpanRow, told: &DeviceTally) {
    if told.count > 0 {
        row.device.device_ns = Some(told.total_ns);
        row.device.device_count = Some(told.count);
        row.device.launch_bound_count = Some(told.launch_bound);
    } else if let Some((why, _)) = told.without() {
        Group::DeviceTime.explain(row, why.reason());
    }
}

/// Adds why no row has device time: the words of a process that used a device, or why none was used.
pub fn with_reason(
    mut unavailable: BTreeMap<String, Unavailable>,
    tree: &Tree,
    processes: &[Process],
) -> BTreeMap<String, Unavailable> {
    let noted = |wanted: &str| {
        let mut notes = processes
            .iter()
            .flat_map(|process| &process.features.notes.0);
        notes.find(|(code, _)| code == wanted)
    };
    // Beside a process that used a device, one that used none says nothing of the rows.
    let is_used = |index| is_told(&tree.node(index).on_device);
    let not_used = || (!tree.in_order().into_iter().any(is_used)).then(|| noted(NOT_USED));
    let told = noted(UNAVAILABLE).or_else(|| noted(OFF));
    if let Some((_, reason)) = told.or_else(|| not_used()?) {
        for name in Group::DeviceTime.names() {
            unavailable.insert(name.to_owned(), Unavailable(reason.clone()));
        }
    }
    unavailable
}

impl Summary {
    /// Adds why no row has device time, where neither a row nor the process says so.
    pub fn explain_device(&mut self, why: &str) {
        if self
            .rows
            .iter()
            .any(|row| row.device.device_count.is_some())
        {
            return;
        }
        for name in Group::DeviceTime.names() {
            let told = self.unavailable.get(name).map(|told| told.0.as_str());
            if told.is_none() || told == Group::DeviceTime.absent() {
                let why = Unavailable(why.to_owned());
                self.unavailable.insert(name.to_owned(), why);
            }
        }
    }
}

/// Returns the device that a program computed on: "none" where it said why it used none, `None` where it said
/// nothing.
pub fn used(summary: &Summary) -> Option<String> {
    let name = summary.environment.get("device").cloned();
    let failed = || summary.warnings.iter().any(|one| one.code() == UNAVAILABLE);
    let why = Group::DeviceTime
        .names()
        .find_map(|name| summary.unavailable.get(name))
        .filter(|why| why.0 != SWITCHED_OFF);
    let says_why = || why.is_some_and(|why| Some(why.0.as_str()) != Group::DeviceTime.absent());
    name.or_else(|| (says_why() && !failed()).then(|| "none".to_owned()))
}

/// Finds paths of which some spans were to be timed on a device and were not.
pub fn doubt(tree: &Tree) -> Option<Doubt> {
    let partly = tree.in_order().into_iter().filter_map(|index| {
        let told = &tree.node(index).on_device;
        let (why, count) = told.without().filter(|_| told.count > 0)?;
        let names = tree.names(index);
        Some(UntimedSpans {
            path: path::join(names.iter().map(String::as_str)),
            count,
            span_count: told.count + count,
            reason: why.reason(),
        })
    });
    let paths: Vec<UntimedSpans> = partly.collect();
    (!paths.is_empty()).then_some(Doubt::Device(DeviceDoubt::Untimed { paths }))
}

#[cfg(test)]
#[path = "tests/device_time.rs"]
mod tests;
