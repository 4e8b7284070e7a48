//! Names of the numbers beside the times of a comparison: `CPU time per step`, `time to loss <= 0.3`.

use laptime_analysis::compare::NumberKind;

use crate::quantity::significant;

/// Names a number; `noun` is the name for one step.
pub fn name(kind: &NumberKind, noun: &str) -> String {
    match kind {
        NumberKind::PeakResidentMemory => "peak resident memory".to_owned(),
        NumberKind::PeakHostMemory => "peak host memory".to_owned(),
        NumberKind::StepCpuTime => format!("CPU time per {noun}"),
        NumberKind::StepHostMemoryKept => format!("host memory kept per {noun}"),
        NumberKind::StepDeviceTime => format!("device time per {noun}"),
        NumberKind::StepFlop => format!("FLOP per {noun}"),
        NumberKind::StepPeakHostMemory => format!("peak host memory in a {noun}"),
        NumberKind::StepPeakDeviceMemory => format!("peak device memory in a {noun}"),
        NumberKind::FlopPerS => "FLOP/s".to_owned(),
        NumberKind::LastValue { metric } => format!("{metric}, last"),
        NumberKind::TimeToValue {
            metric,
            relation,
            value,
        } => format!(
            "time to {metric} {} {}",
            relation.name(),
            significant(*value)
        ),
    }
}
