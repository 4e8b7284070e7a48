//! A number of both sides beside their times: memory, operations, CPU time, or a metric.

use serde::Serialize;

use crate::statistics::quantiles::median_of;
use crate::time_to_target::relation::Relation;

/// A number of both sides beside their times; of several runs the median.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherNumber {
    /// The number's meaning.
    pub kind: NumberKind,
    /// The base's number; `None` where a run of it has none.
    pub base: Option<f64>,
    /// The other side's number.
    pub new: Option<f64>,
}

impl OtherNumber {
    /// Returns the number where a side has it, at least.
    pub fn of_sides(kind: NumberKind, base: Option<f64>, new: Option<f64>) -> Option<Self> {
        (base.is_some() || new.is_some()).then_some(Self { kind, base, new })
    }
}

/// The meaning of a number beside the times.
#[derive(Debug, Clone, PartialEq)]
pub enum NumberKind {
    /// The most resident memory of any process of the run.
    PeakResidentMemory,
    /// The most counted host memory of any process of the run.
    PeakHostMemory,
    /// CPU time per step.
    StepCpuTime,
    /// Host memory that a step leaves allocated, on average.
    StepHostMemoryKept,
    /// Time on a device per step.
    StepDeviceTime,
    /// Floating-point operations per step.
    StepFlop,
    /// The most host memory that a step held.
    StepPeakHostMemory,
    /// The most device memory that a step held.
    StepPeakDeviceMemory,
    /// Floating-point operations per second in steps.
    FlopPerS,
    /// The last value of a metric.
    LastValue {
        /// The metric's path.
        metric: String,
    },
    /// The time until a metric reached a value that every run reached.
    TimeToValue {
        /// The metric's path.
        metric: String,
        /// The side of the value that is the good one.
        relation: Relation,
        /// The value.
        value: f64,
    },
}

/// The unit of a number beside the times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Nanoseconds.
    Ns,
    /// Bytes.
    Bytes,
    /// Floating-point operations.
    Flop,
    /// Floating-point operations per second.
    FlopPerS,
    /// A metric's own unit.
    Metric,
}

impl NumberKind {
    /// Returns the unit of such numbers.
    pub fn unit(&self) -> Unit {
        match self {
            Self::StepCpuTime | Self::StepDeviceTime | Self::TimeToValue { .. } => Unit::Ns,
            Self::PeakResidentMemory
            | Self::PeakHostMemory
            | Self::StepHostMemoryKept
            | Self::StepPeakHostMemory
            | Self::StepPeakDeviceMemory => Unit::Bytes,
            Self::StepFlop => Unit::Flop,
            Self::FlopPerS => Unit::FlopPerS,
            Self::LastValue { .. } => Unit::Metric,
        }
    }
}

/// Returns the median of the runs; `None` where a run has no number.
pub fn median_of_runs(each: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let all: Vec<f64> = each.collect::<Option<_>>()?;
    (!all.is_empty()).then(|| median_of(all.into_iter(), &mut Vec::new()))
}
