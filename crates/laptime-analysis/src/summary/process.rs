//! The processes of a run, each by itself.

use laptime_core::Unavailable;
use serde::Serialize;

use crate::summary::Steady;
use crate::summary::rank_difference::RankName;
use crate::summary::span_row::SpanRow;

/// One process of the run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProcessSummary {
    /// Name of its file, or empty for a running process.
    pub file: String,
    /// Process id.
    pub pid: u32,
    /// Parent process id.
    pub parent_pid: u32,
    /// Last component of the program's or script's name.
    pub program: String,
    /// Whether it is the first of those that are measured.
    pub is_main: bool,
    /// Whether its time is shared out among the rows: shares, leftovers and steady state are of it.
    pub is_measured: bool,
    /// End of the process's recording.
    pub state: ProcessState,
    /// Start of the process or, if that is unknown, of its recording: `CLOCK_MONOTONIC` ns.
    pub started_monotonic_ns: u64,
    /// The process's last sign of life, `CLOCK_MONOTONIC` ns.
    pub ended_monotonic_ns: u64,
    /// Number of finished spans that were read.
    pub span_count: u64,
    /// Number of spans that were lost.
    pub lost_count: u64,
    /// Number of durations below zero, set to zero.
    pub clamped_count: u64,
    /// Number of windows that were being written when the process ended.
    pub unsealed_windows: u64,
    /// Largest resident memory seen, in bytes.
    pub resident_peak_bytes: Option<u64>,
    /// Host memory allocated and not freed at the end, since counting began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_memory_net_bytes: Option<i64>,
    /// Largest host memory allocated and not freed at any time, since counting began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_memory_peak_bytes: Option<u64>,
    /// Spans that were open at the end, outermost first per track.
    pub open: Vec<OpenSpanSummary>,
}

/// The parts of a process's step: of the steady state, where there is one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rank {
    /// Process id.
    pub pid: u32,
    /// The process's rank in the group that trains together, where it told one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<String>,
    /// Number of finished steps.
    pub step_count: u64,
    /// Mean duration of a step, in nanoseconds.
    pub step_ns: u64,
    /// Parts directly inside of steps, by first appearance.
    pub parts: Vec<Part>,
    /// The rest of a step.
    pub rest_ns: u64,
}

impl From<&Rank> for RankName {
    fn from(rank: &Rank) -> Self {
        Self {
            pid: rank.pid,
            rank: rank.rank.clone(),
        }
    }
}

/// A part directly inside of steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Part {
    /// The part's name, such as `forward`.
    pub name: String,
    /// Time of the part over the number of steps, in nanoseconds.
    pub per_step_ns: u64,
}

/// The epochs of one process of several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProcessEpochs {
    /// Process id.
    pub pid: u32,
    /// The process's rank in the group that trains together, where it told one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<String>,
    /// Number of epochs.
    pub count: u64,
    /// Time from the beginning of the first to the end of the last, in nanoseconds.
    pub duration_ns: u64,
}

/// The end of a process's recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ProcessState {
    /// The process closed its recording in order.
    Closed,
    /// The process ended without closing: killed, `os._exit`, another program that isn't recorded, or still
    /// running.
    Killed,
    /// The process became another program (`exec`), which is recorded too.
    Replaced,
    /// The process reports on itself, from a snapshot.
    Running,
}

/// A span that was open at the end.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OpenSpanSummary {
    /// The span's path.
    pub path: String,
    /// Track of the span: a thread or task.
    pub track: u32,
    /// Time since the span was opened, in nanoseconds.
    pub age_ns: u64,
    /// Whether nothing was open inside it.
    pub is_innermost: bool,
}

/// One measured process, by itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProcessRows {
    /// Process id.
    pub pid: u32,
    /// The process's rank in the group that trains together, where it told one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<String>,
    /// Time that shares are of: from its start to its end or, of a single one, the run's wall time.
    pub wall_ns: u64,
    /// Paths of the process, then its leftovers, as in the rows of the whole run.
    pub rows: Vec<SpanRow>,
    /// The process's rows without warm-up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steady: Option<Steady>,
    /// Reason why the process has no steady state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steady_why: Option<Unavailable>,
}
