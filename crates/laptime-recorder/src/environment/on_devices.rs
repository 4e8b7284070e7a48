//! What the environment asks for on devices: how laps are timed there, at which streams they end, and how
//! their memory is read.

use std::ffi::OsStr;

use super::on_or_off;

/// How laps are timed on devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeviceTime {
    /// They aren't.
    Off,
    /// By events: nothing waits.
    #[default]
    Events,
    /// By events, and laps wait for their device where they begin and end.
    Sync,
}

impl DeviceTime {
    /// The words that the variable takes.
    pub const NAMES: [(&str, Self); 3] = [
        ("events", Self::Events),
        ("sync", Self::Sync),
        ("off", Self::Off),
    ];
}

/// At which streams a lap ends on its device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Streams {
    /// At the one that was current when it opened.
    #[default]
    Current,
    /// At the last of all that the program used.
    All,
}

impl Streams {
    /// The words that the variable takes.
    pub const NAMES: [(&str, Self); 2] = [("current", Self::Current), ("all", Self::All)];
}

/// How the memory of laps on devices is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceMemory {
    /// It isn't.
    Off,
    /// With peaks within bounds: nothing of the allocator changes.
    Bounds,
    /// With exact peaks: the allocator's own begins anew at each lap.
    Fold,
}

impl DeviceMemory {
    /// The word that the variable takes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Bounds => "bounds",
            Self::Fold => "fold",
        }
    }
}

pub(super) fn time(typed: &OsStr) -> Option<DeviceTime> {
    match on_or_off(typed) {
        Some(true) => Some(DeviceTime::Events),
        Some(false) => Some(DeviceTime::Off),
        None => named(&DeviceTime::NAMES, typed),
    }
}

pub(super) fn streams(typed: &OsStr) -> Option<Streams> {
    match on_or_off(typed) {
        Some(true) => Some(Streams::All),
        Some(false) => Some(Streams::Current),
        None => named(&Streams::NAMES, typed),
    }
}

pub(super) fn memory(typed: &OsStr) -> Option<DeviceMemory> {
    let modes = [DeviceMemory::Bounds, DeviceMemory::Fold];
    match on_or_off(typed) {
        Some(true) => Some(DeviceMemory::Fold),
        Some(false) => Some(DeviceMemory::Off),
        None => modes.into_iter().find(|mode| typed == mode.name()),
    }
}

fn named<T: Copy>(names: &[(&str, T)], typed: &OsStr) -> Option<T> {
    let known = names.iter().find(|(name, _)| typed == *name);
    known.map(|(_, named)| *named)
}
