//! What was chosen, and where: flags beat the environment, which beats `laptime.toml`,
//! which beats `[tool.laptime]` in pyproject.toml.
//!
//! The files are looked for in the current folder and those above it; the nearest of each
//! kind counts. `laptime doctor --config` prints what came out.

mod files;

use std::env;
use std::fmt;
use std::path::PathBuf;

use laptime_recorder::environment::{
    AUTO_VARIABLE, Asked, Automatic, DEVICE_VARIABLE, DeviceTime, STREAMS_VARIABLE, Streams,
};
use laptime_report::{Format, Sort};

use files::Files;
pub use files::SettingsError;

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nobody chose.
    Default,
    /// A file.
    File(PathBuf),
    /// An environment variable.
    Environment(&'static str),
    /// A flag.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => formatter.write_str("default"),
            Self::File(path) => write!(formatter, "{}", path.display()),
            Self::Environment(variable) => write!(formatter, "environment, {variable}"),
            Self::Flag(flag) => write!(formatter, "flag, {flag}"),
        }
    }
}

/// A value and its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<T> {
    /// What was chosen.
    pub value: T,
    /// By whom.
    pub origin: Origin,
}

impl<T> Setting<T> {
    /// What a flag says wins.
    #[must_use]
    pub fn or_flag(self, flag: Option<T>, name: &'static str) -> Self {
        self.or(flag, Origin::Flag(name))
    }

    /// What the environment says beats files.
    #[must_use]
    fn or_environment(self, said: Option<T>, variable: &'static str) -> Self {
        self.or(said, Origin::Environment(variable))
    }

    fn or(self, said: Option<T>, origin: Origin) -> Self {
        match said {
            Some(value) => Self { value, origin },
            None => self,
        }
    }
}

/// Everything that can be chosen outside of flags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// `run.phases`: whether training is split into phases.
    pub phases: Setting<bool>,
    /// `run.modules`: whether modules are timed too.
    pub modules: Setting<bool>,
    /// `run.device`: how laps are timed on devices.
    pub device: Setting<DeviceTime>,
    /// `run.streams`: at which streams they end there.
    pub streams: Setting<Streams>,
    /// `report.format`.
    pub format: Setting<Format>,
    /// `report.sort`.
    pub sort: Setting<Sort>,
}

impl Settings {
    /// Reads the environment and the files that apply in the current folder.
    ///
    /// **Errors** when a file cannot be read, is not TOML, or holds an unknown key or value.
    pub fn load() -> Result<Self, SettingsError> {
        let files = Files::nearest(&env::current_dir().unwrap_or_default())?;
        let asked = Asked::here();
        Self::from(&files, asked.automatic, (asked.device_time, asked.streams))
    }

    fn from(
        files: &Files,
        auto: Option<Automatic>,
        (device, streams): (Option<DeviceTime>, Option<Streams>),
    ) -> Result<Self, SettingsError> {
        let automatic = |value: fn(Automatic) -> bool, fallback: Setting<bool>| match auto {
            Some(auto) => Setting {
                value: value(auto),
                origin: Origin::Environment(AUTO_VARIABLE),
            },
            None => fallback,
        };
        Ok(Self {
            phases: automatic(|auto| auto.phases, files.flag("run.phases", true)?),
            modules: automatic(|auto| auto.modules, files.flag("run.modules", false)?),
            device: files
                .choice("run.device", &DeviceTime::NAMES)?
                .or_environment(device, DEVICE_VARIABLE),
            streams: files
                .choice("run.streams", &Streams::NAMES)?
                .or_environment(streams, STREAMS_VARIABLE),
            format: files.choice("report.format", &Format::NAMES)?,
            sort: files.choice("report.sort", &Sort::NAMES)?,
        })
    }

    /// Every setting as key, value and origin, for `doctor --config`.
    pub fn rows(&self) -> Vec<(&'static str, String, String)> {
        let row = |key, value: &dyn fmt::Display, origin: &Origin| {
            (key, value.to_string(), origin.to_string())
        };
        vec![
            row("run.phases", &self.phases.value, &self.phases.origin),
            row("run.modules", &self.modules.value, &self.modules.origin),
            row(
                "run.device",
                &name(&DeviceTime::NAMES, self.device.value),
                &self.device.origin,
            ),
            row(
                "run.streams",
                &name(&Streams::NAMES, self.streams.value),
                &self.streams.origin,
            ),
            row(
                "report.format",
                &name(&Format::NAMES, self.format.value),
                &self.format.origin,
            ),
            row(
                "report.sort",
                &name(&Sort::NAMES, self.sort.value),
                &self.sort.origin,
            ),
        ]
    }
}

/// The name users type for a value.
pub fn name<T: Copy + PartialEq>(names: &[(&'static str, T)], value: T) -> &'static str {
    names
        .iter()
        .find(|(_, named)| *named == value)
        .map_or("", |(name, _)| name)
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
