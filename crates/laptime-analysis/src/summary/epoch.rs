//! Epochs of a run.

use std::collections::BTreeMap;

use serde::Serialize;

/// A pass over the training data, with everything until the next one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Epoch {
    /// Start of the epoch, since the start of the run.
    pub at_ns: u64,
    /// Time until the next epoch began; of the last one, until its lap, or its last step or evaluation, ended.
    pub duration_ns: u64,
    /// Number of steps that began in it.
    pub step_count: u64,
    /// Time of the evaluations in it, where there were any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluation_ns: Option<u64>,
    /// Last value of each metric in the epoch, by path: of metrics that had so few values that all are known.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: BTreeMap<String, f64>,
}
