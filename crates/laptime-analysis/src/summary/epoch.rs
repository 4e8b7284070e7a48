//! Epochs of a run.

use std::collections::BTreeMap;

use serde::Serialize;

/// A pass over the training data, with what followed it until the next one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Epoch {
    /// When it began, since the start of the run.
    pub at_ns: u64,
    /// Until the next one began; of the last one, until its lap, or its last step or evaluation, ended.
    pub duration_ns: u64,
    /// Steps begun in it.
    pub step_count: u64,
    /// How long evaluations in it ran, where there were any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluation_ns: Option<u64>,
    /// The last value of each metric in it, by path: of those that had so few that all are known.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: BTreeMap<String, f64>,
}
