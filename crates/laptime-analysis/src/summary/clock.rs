//! The clock of a run, and the source of its wall time.

use laptime_core::ClockKind;
use serde::Serialize;

/// Source of a run's wall time: the moments between which it was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum WallSource {
    /// The launcher started the program and saw its end.
    Launcher,
    /// The main process's start, known to 10 ms, until its last sign of life.
    Process,
    /// The start of the recording until the last sign of life.
    Recording,
    /// No moments: the sum of a timer's segments, in host time.
    Segments,
    /// The sum of a timer's segments, in CPU time of the process.
    ProcessTimeSegments,
    /// The sum of a timer's segments, in CPU time of the thread.
    ThreadTimeSegments,
    /// The sum of a timer's segments, in device time by event pairs.
    DeviceTimeSegments,
}

/// The clock that timed the spans.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClockSummary {
    /// Source of the ticks.
    pub kind: ClockKind,
    /// Mean length of a tick.
    #[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0)))]
    pub ns_per_tick: f64,
    /// Whether the length of a tick was measured against the system's clock rather than stated by the CPU.
    pub is_measured: bool,
}
