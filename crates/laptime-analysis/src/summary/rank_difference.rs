//! How processes that train side by side differ, as a value.

use serde::Serialize;

/// A process that trains beside others, as messages call it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RankName {
    /// Process id.
    pub pid: u32,
    /// The process's rank, where it told one.
    pub rank: Option<String>,
}

/// A wait of the other processes for a slow one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WaitForRank {
    /// The part of a step that they wait in.
    pub part: String,
    /// For how long in each step.
    pub per_step_ns: u64,
}

/// The difference between a slow process and a fast one.
///
/// **Units** nanoseconds per step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum RankDifference {
    /// The slow one takes longer for a part of its own work.
    Work {
        /// The slowest process.
        slow: RankName,
        /// The fastest process.
        fast: RankName,
        /// The part that differs most; `None` for code outside of phases.
        part: Option<String>,
        /// The slow one's time for that.
        slow_ns: u64,
        /// The fast one's time for that.
        fast_ns: u64,
        /// The others' wait for it, where they have one.
        wait: Option<WaitForRank>,
    },
    /// The slow one's steps take longer.
    Step {
        /// The process with the longest steps.
        slow: RankName,
        /// The process with the shortest steps.
        fast: RankName,
        /// The slow one's time for a step.
        slow_ns: u64,
        /// The fast one's time for a step.
        fast_ns: u64,
    },
}
