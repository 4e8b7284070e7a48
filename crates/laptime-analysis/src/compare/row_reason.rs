//! Why a row of a comparison has the verdict that it has.

use super::difference::Difference;
use crate::benchmark::verdict::Reason;

/// The reason why a row has its verdict, or none.
#[derive(Debug, Clone, PartialEq)]
pub enum RowReason {
    /// Only the base has the path.
    OnlyBase,
    /// Only the new side has the path.
    OnlyNew,
    /// The durations of both sides tell it.
    Durations(Reason),
    /// With one run on a side, most of the difference is time in which the thread was ready and had no CPU.
    CpuDelay,
    /// With one run a side, the change isn't clearly another than that of all other laps.
    OtherLapsAlike {
        /// The ratio that all others have in common; 1 where they have none.
        ratio: f64,
    },
    /// With one run on a side, the machine was busy, which changes some laps more than others.
    BusyMachine,
    /// With one run a side, nothing tells how much two runs differ.
    OneRunASide,
    /// With one run a side, functions that surely changed make most of the difference.
    ChangedFunctions,
    /// The sides differ in a fact that times depend on.
    Different(Difference),
    /// The sides are of two programs and have no lap in common.
    OtherProgram {
        /// Names of the base's programs.
        base: Vec<String>,
        /// Names of the other side's programs.
        new: Vec<String>,
    },
    /// The sides have no lap in common.
    NoCommonLap,
    /// The files have no benchmark in common.
    NoCommonBenchmark {
        /// Names of the base's benchmarks.
        base: Vec<String>,
        /// Names of the other side's benchmarks.
        new: Vec<String>,
    },
}
