//! What the environment asks for, for the package's start.

use std::ffi::OsString;

use laptime_python_macros::guarded;
use laptime_recorder::environment::{
    Asked as Found, Counting, DeviceMemory, DeviceTime, Streams, Switch,
};
use pyo3::prelude::*;

/// What the environment asks for.
#[pyclass(frozen, module = "laptime._core")]
pub struct Asked {
    /// Whether nothing is to be recorded.
    is_off: bool,
    /// The recording in progress that this process belongs to.
    run: Option<OsString>,
    /// Where the process is to record itself.
    record: Option<OsString>,
    /// `allocations` or `objects` where memory is to be counted.
    memory: Option<&'static str>,
    /// How memory on devices is read: `off`, `bounds` or `fold`, where somebody said.
    device_memory: Option<&'static str>,
    /// What is recorded by itself: some of `phases`, `modules`, `ops`, `stacks`, `calls`, `nvtx` and
    /// `kernels=10:13`.
    automatic: Vec<String>,
    /// How laps are timed on devices: `events`, `sync` or `off`, where somebody said.
    device: Option<&'static str>,
    /// At which streams they end there: `current` or `all`, where somebody said.
    streams: Option<&'static str>,
    /// Variables whose values say nothing, with what would.
    warnings: Vec<(&'static str, String)>,
}

#[guarded(
    is_off,
    run,
    record,
    memory,
    device_memory,
    automatic,
    device,
    streams,
    warnings
)]
#[pymethods]
impl Asked {}

/// Reads the environment.
#[guarded]
#[pyfunction]
pub fn asked() -> Asked {
    let found = Found::here();
    let mut automatic = found.automatic.unwrap_or_default();
    automatic.stacks = found.stacks.unwrap_or(automatic.stacks);
    Asked {
        is_off: found.switch == Switch::Off,
        run: found.run.map(OsString::from),
        record: match found.switch {
            Switch::Record(path) => Some(path.into()),
            _ => None,
        },
        memory: found.memory.map(|counting| match counting {
            Counting::Allocations => "allocations",
            Counting::Objects => "objects",
        }),
        device_memory: found.device_memory.map(DeviceMemory::name),
        automatic: automatic.names(),
        device: named(&DeviceTime::NAMES, found.device_time),
        streams: named(&Streams::NAMES, found.streams),
        warnings: found
            .warnings
            .iter()
            .map(|warning| (warning.variable, warning.to_string()))
            .collect(),
    }
}

fn named<T: Copy + PartialEq>(
    names: &[(&'static str, T)],
    said: Option<T>,
) -> Option<&'static str> {
    let known = names.iter().find(|(_, named)| Some(*named) == said);
    known.map(|(name, _)| *name)
}
