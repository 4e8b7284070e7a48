//! What a summary tells of a run's operations, beside its rows.

use laptime_core::Unavailable;
use serde::Serialize;

use crate::summary::span_row::is_zero;

/// What rates are compared with.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Peak {
    /// The most a second.
    pub per_s: f64,
    /// What it is: `measured float32 matmul peak of cpu`.
    pub label: String,
    /// On how many threads it was measured, where it is one of a processor.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub threads: Option<u64>,
}

/// Units that ran while their operations were counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CountedUnits {
    /// Their row.
    pub path: String,
    /// How many, those in part included.
    pub count: u64,
    /// How many of them are only in part: counted from their middle on, or cut off.
    #[serde(skip_serializing_if = "is_zero")]
    pub part_count: u64,
    /// How long they took, in nanoseconds.
    pub total_ns: u64,
}

/// Shapes whose operations follow from those of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToldShapes {
    /// How many.
    pub count: u64,
    /// How many were counted, which the formulas were found by and hold for.
    pub held_for: u64,
}

/// How a run's operations were joined with its time.
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
    /// The highest ceilings of arithmetic that are known for those: the roofline's roofs.
    pub roofs: Vec<Peak>,
    /// Peaks of memory.
    pub bytes_peaks: Vec<Peak>,
    /// Peaks that were measured while something else ran: they may be too low.
    pub disturbed: Vec<String>,
    /// Why there is no peak, where there is none.
    pub absent: Vec<Unavailable>,
}
