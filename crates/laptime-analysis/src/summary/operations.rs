//! The operations of a run, beside the rows of its summary.

use laptime_core::Unavailable;
use serde::Serialize;

use crate::summary::span_row::is_zero;

/// A peak that rates are compared with.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Peak {
    /// The most per second.
    pub per_s: f64,
    /// Words for the peak: `measured float32 matmul peak of cpu`.
    pub label: String,
    /// Number of threads on which it was measured, where it is a processor's peak.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub threads: Option<u64>,
}

/// Units that ran while their operations were counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CountedUnits {
    /// Path of their row.
    pub path: String,
    /// Number of units, those in part included.
    pub count: u64,
    /// Number of units that are only in part: counted from their middle on, or cut off.
    #[serde(skip_serializing_if = "is_zero")]
    pub part_count: u64,
    /// Time of the units, in nanoseconds.
    pub total_ns: u64,
}

/// Shapes whose operations follow from those of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToldShapes {
    /// Number of these shapes.
    pub count: u64,
    /// Number of shapes that were counted, which the formulas were found by and hold for.
    pub held_for: u64,
}

/// Operations of a run, joined with its time.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OperationsSummary {
    /// Units of rows of their own.
    pub counted: Vec<CountedUnits>,
    /// Shapes that were not counted, since a formula told what they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub told: Option<ToldShapes>,
    /// Peaks of arithmetic, by type and device, that rows are compared with.
    pub flop_peaks: Vec<Peak>,
    /// The highest known ceilings of arithmetic for the same types and devices: the roofline's roofs.
    pub roofs: Vec<Peak>,
    /// Peaks of memory.
    pub bytes_peaks: Vec<Peak>,
    /// Peaks that were measured while something else ran: they may be too low.
    pub disturbed: Vec<String>,
    /// Reasons why there is no peak, where there is none.
    pub absent: Vec<Unavailable>,
}
