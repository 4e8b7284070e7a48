//! Marks and metrics of a run.

use std::collections::BTreeMap;

use laptime_core::Unavailable;
use serde::Serialize;

use crate::summary::span_row::is_zero;

/// A named instant.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Mark {
    /// Path under the span that was open.
    pub path: String,
    /// The mark's own name.
    pub name: String,
    /// Number of times that it was set.
    pub count: u64,
    /// Moments of the mark, in ns since the start of the run; thinned out evenly when there are many.
    pub at_ns: Vec<u64>,
}

/// A named number at instants.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Metric {
    /// Path under the span that was open.
    pub path: String,
    /// The metric's own name.
    pub name: String,
    /// Number of values.
    pub count: u64,
    /// Number of values that are not numbers (NaN).
    #[serde(skip_serializing_if = "is_zero")]
    pub nan_count: u64,
    /// The latest value; `None` when it is not a finite number.
    pub last: Option<f64>,
    /// The smallest number; `None` when it is infinite or there is none.
    pub min: Option<f64>,
    /// The largest number; `None` when it is infinite or there is none.
    pub max: Option<f64>,
    /// Reasons why `last`, `min` or `max` is absent, by field name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub why: BTreeMap<String, Unavailable>,
    /// Values in time order, thinned out evenly when there are many.
    pub series: Vec<MetricPoint>,
}

/// One value of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MetricPoint {
    /// Moment of the value, in ns since the start of the run.
    pub at_ns: u64,
    /// The value; `None` when it is not a finite number.
    pub value: Option<f64>,
}
