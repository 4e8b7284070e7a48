//! What the environment asks for: `LAPTIME`, `LAPTIME_RUN`, `LAPTIME_MEMORY`, `LAPTIME_AUTO`, `LAPTIME_STACKS`, and of devices
//! `LAPTIME_DEVICE`, `LAPTIME_STREAMS` and `LAPTIME_DEVICE_MEMORY`.
//!
//! The one place that knows which values mean what. Rust programs ask it at their first span, the
//! Python package when it is imported, the command before it starts a program.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

mod on_devices;

pub use laptime_core::run::{
    AUTO_VARIABLE, DEVICE_MEMORY_VARIABLE, DEVICE_VARIABLE, MEMORY_VARIABLE, RUN_VARIABLE,
    STACKS_VARIABLE, STREAMS_VARIABLE, SWITCH_VARIABLE,
};
pub use on_devices::{DeviceMemory, DeviceTime, Streams};

use crate::keeper;

/// Environment variable with the interpreter that the command is installed in, set by its Python package.
pub const PYTHON_VARIABLE: &str = "LAPTIME_PYTHON";

/// What turns something on and off, in any case.
const ON: [&str; 4] = ["1", "true", "yes", "on"];
const OFF: [&str; 4] = ["0", "false", "no", "off"];
const SWITCHES: &str = "1/true/yes/on, 0/false/no/off";

/// What `LAPTIME` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Switch {
    /// Nothing: Python aggregates in memory, Rust does nothing.
    Unset,
    /// Aggregate in memory.
    On,
    /// Nothing at all, whatever else is set.
    Off,
    /// Record there.
    Record(PathBuf),
}

/// Which memory is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// What is allocated.
    Allocations,
    /// Small Python objects one by one too.
    Objects,
}

/// Some steps of a training, counted from 0: `10:13` are three of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Steps {
    /// The first one.
    pub from: u32,
    /// The one after the last.
    pub to: u32,
}

impl FromStr for Steps {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
        let ends: Vec<&str> = typed.split(':').map(str::trim).collect();
        match ends[..] {
            [from, to] => match (from.parse(), to.parse()) {
                (Ok(from), Ok(to)) if from < to => return Ok(Self { from, to }),
                (Ok(from), Ok(to)) => return Err(none_between(from, to)),
                (Ok(from), _) if to.is_empty() => {
                    let end = u32::saturating_add(from, 3);
                    return Err(format!("the end is missing: {from}:{end} are three steps"));
                }
                (_, Ok(to)) if from.is_empty() => {
                    let to: u32 = to;
                    return Err(format!("the first step is missing: 0:{to} begins at once"));
                }
                _ => {}
            },
            [from, to, _] => {
                return Err(format!(
                    "every step from the first to the end is profiled, so there is no third number: {from}:{to}"
                ));
            }
            _ => {}
        }
        Err(
            "steps are written FIRST:END, counted from 0 and without the last, such as 10:13"
                .to_owned(),
        )
    }
}

fn none_between(from: u32, to: u32) -> String {
    let end = from.saturating_add(1);
    format!(
        "{from}:{to} holds no step, as the end isn't profiled: it must be larger than the first, such as {from}:{end}"
    )
}

impl fmt::Display for Steps {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.from, self.to)
    }
}

/// What is timed and counted without a lap in the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a word of the variable"
)]
pub struct Automatic {
    /// The phases of a training.
    pub phases: bool,
    /// The modules of its network.
    pub modules: bool,
    /// The operations of its steps.
    pub ops: bool,
    /// The functions that its threads are in, sampled.
    pub stacks: bool,
    /// Every call of a function.
    pub calls: bool,
    /// Laps as ranges, for the tool that is attached.
    pub nvtx: bool,
    /// The operators and kernels of some steps.
    pub kernels: Option<Steps>,
}

impl Automatic {
    /// What is wanted, by the names that `LAPTIME_AUTO` takes.
    pub fn names(self) -> Vec<String> {
        let named = [
            (self.phases, "phases"),
            (self.modules, "modules"),
            (self.ops, "ops"),
            (self.stacks, "stacks"),
            (self.calls, "calls"),
            (self.nvtx, "nvtx"),
        ];
        let wanted = named.into_iter().filter(|(wanted, _)| *wanted);
        let kernels = self.kernels.map(|steps| format!("kernels={steps}"));
        wanted
            .map(|(_, name)| name.to_owned())
            .chain(kernels)
            .collect()
    }
}

/// Everything that is asked for. Nothing but `switch` is set when that is off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// What the user says.
    pub switch: Switch,
    /// The recording in progress that this process belongs to.
    pub run: Option<PathBuf>,
    /// Which memory is counted.
    pub memory: Option<Counting>,
    /// How memory on devices is read where memory is counted; nothing where nobody said.
    pub device_memory: Option<DeviceMemory>,
    /// What is timed by itself; nothing where nobody said.
    pub automatic: Option<Automatic>,
    /// Whether functions are sampled, whatever `automatic` says; nothing where nobody said.
    pub stacks: Option<bool>,
    /// How spans are timed on devices; nothing where nobody said.
    pub device_time: Option<DeviceTime>,
    /// At which streams they end there; nothing where nobody said.
    pub streams: Option<Streams>,
    /// Values that say nothing.
    pub warnings: Vec<Meaningless>,
}

/// A value that says nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meaningless {
    /// The variable whose value it is.
    pub variable: &'static str,
    /// The value, as it was typed.
    pub typed: String,
    /// What happens instead.
    pub so: &'static str,
    /// Values that would say something.
    pub possible: String,
}

/// What happens to most values that say nothing.
const IGNORED: &str = " and is ignored";

impl Meaningless {
    /// The same, where the value is ignored whatever it would have led to otherwise.
    #[must_use]
    pub fn ignored(mut self) -> Self {
        self.so = IGNORED;
        self
    }
}

impl fmt::Display for Meaningless {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            variable,
            typed,
            so,
            possible,
        } = self;
        write!(
            formatter,
            "{variable}={typed:?} is not understood{so}; possible: {possible}"
        )
    }
}

impl Asked {
    /// What the environment of this process asks for.
    pub fn here() -> Self {
        Self::of(
            |name| std::env::var_os(name),
            |folder| keeper::goes_on(folder).unwrap_or(false),
        )
    }

    fn of(typed: impl Fn(&str) -> Option<OsString>, is_open: impl Fn(&Path) -> bool) -> Self {
        let value = |name| typed(name).filter(|value| !value.is_empty());
        let mut asked = Self {
            switch: Switch::Unset,
            run: None,
            memory: None,
            device_memory: None,
            automatic: None,
            stacks: None,
            device_time: None,
            streams: None,
            warnings: Vec::new(),
        };
        let said = value(SWITCH_VARIABLE);
        let read = said.as_deref().map(switch);
        if read == Some(Some(Switch::Off)) {
            asked.switch = Switch::Off;
            return asked;
        }
        // A daemon or a shell keeps the variable after the run is over.
        asked.run = value(RUN_VARIABLE)
            .map(PathBuf::from)
            .filter(|folder| is_open(folder));
        match (said, read) {
            (_, Some(Some(switch))) => asked.switch = switch,
            (Some(said), Some(None)) => {
                asked.warn(SWITCH_VARIABLE, &said, "a path that ends in .lap", IGNORED);
            }
            _ => {}
        }
        if let Some(typed) = value(MEMORY_VARIABLE) {
            if let Ok(memory) = memory(&typed) {
                asked.memory = memory;
            } else {
                let so = ", so memory is not counted";
                asked.warn(MEMORY_VARIABLE, &typed, "objects", so);
            }
        }
        let said = value(DEVICE_VARIABLE);
        asked.device_time = asked.word(DEVICE_VARIABLE, said, "events, sync", on_devices::time);
        let said = value(STREAMS_VARIABLE);
        asked.streams = asked.word(STREAMS_VARIABLE, said, "current, all", on_devices::streams);
        let said = value(DEVICE_MEMORY_VARIABLE);
        asked.device_memory = asked.word(
            DEVICE_MEMORY_VARIABLE,
            said,
            "bounds, fold",
            on_devices::memory,
        );
        let said = value(STACKS_VARIABLE);
        asked.stacks = said.as_deref().and_then(on_or_off);
        if let Some(typed) = said.filter(|_| asked.stacks.is_none()) {
            asked.warnings.push(Meaningless {
                variable: STACKS_VARIABLE,
                typed: typed.to_string_lossy().into_owned(),
                so: IGNORED,
                possible: SWITCHES.to_owned(),
            });
        }
        // Empty, it says "nothing".
        if let Some(typed) = typed(AUTO_VARIABLE) {
            asked.automatic = automatic(&typed);
            if asked.automatic.is_none() {
                let valid = "some of phases,modules,ops,stacks,calls,nvtx,kernels=10:13";
                asked.warn(AUTO_VARIABLE, &typed, valid, IGNORED);
            }
        }
        asked
    }

    /// What a variable says, or a warning that it is ignored.
    fn word<T>(
        &mut self,
        variable: &'static str,
        said: Option<OsString>,
        valid: &str,
        read: fn(&OsStr) -> Option<T>,
    ) -> Option<T> {
        let said = said?;
        let read = read(&said);
        if read.is_none() {
            self.warn(variable, &said, valid, IGNORED);
        }
        read
    }

    fn warn(&mut self, variable: &'static str, typed: &OsStr, valid: &str, so: &'static str) {
        self.warnings.push(Meaningless {
            variable,
            typed: typed.to_string_lossy().into_owned(),
            so,
            possible: format!("{SWITCHES}, or {valid}"),
        });
    }
}

fn switch(typed: &OsStr) -> Option<Switch> {
    match on_or_off(typed) {
        Some(true) => Some(Switch::On),
        Some(false) => Some(Switch::Off),
        None => {
            let path = Path::new(typed);
            let is_recording = path.extension().is_some_and(|is| is == "lap");
            is_recording.then(|| Switch::Record(path.to_owned()))
        }
    }
}

fn memory(typed: &OsStr) -> Result<Option<Counting>, ()> {
    match on_or_off(typed) {
        Some(true) => Ok(Some(Counting::Allocations)),
        Some(false) => Ok(None),
        None if typed == "objects" => Ok(Some(Counting::Objects)),
        None => Err(()),
    }
}

/// How the environment has spans timed on devices; sampling of devices is off where that is.
pub fn device_time() -> DeviceTime {
    let said = |name| std::env::var_os(name).filter(|value: &OsString| !value.is_empty());
    if said(SWITCH_VARIABLE).is_some_and(|typed| switch(&typed) == Some(Switch::Off)) {
        return DeviceTime::Off;
    }
    let wanted = said(DEVICE_VARIABLE).and_then(|typed| on_devices::time(&typed));
    wanted.unwrap_or_default()
}

/// At which streams the environment has them end there.
pub fn streams() -> Streams {
    let said = std::env::var_os(STREAMS_VARIABLE);
    let wanted = said.and_then(|typed| on_devices::streams(&typed));
    wanted.unwrap_or_default()
}

fn automatic(typed: &OsStr) -> Option<Automatic> {
    let mut found = Automatic::default();
    match on_or_off(typed) {
        Some(on) => found.phases = on,
        None => {
            for part in typed.to_str()?.split(',') {
                match part.trim() {
                    "" => continue,
                    "phases" => {}
                    "modules" => found.modules = true,
                    "ops" => found.ops = true,
                    "stacks" => {
                        found.stacks = true;
                        continue;
                    }
                    "calls" => {
                        found.calls = true;
                        continue;
                    }
                    "nvtx" => {
                        found.nvtx = true;
                        continue;
                    }
                    other => found.kernels = Some(other.strip_prefix("kernels=")?.parse().ok()?),
                }
                // Modules, operations and kernels are of phases.
                found.phases = true;
            }
        }
    }
    Some(found)
}

fn on_or_off(typed: &OsStr) -> Option<bool> {
    let word = typed.to_str()?.trim().to_ascii_lowercase();
    let is_one_of = |words: [&str; 4]| words.contains(&word.as_str());
    is_one_of(ON)
        .then_some(true)
        .or_else(|| is_one_of(OFF).then_some(false))
}

#[cfg(test)]
#[path = "environment_tests.rs"]
mod tests;
