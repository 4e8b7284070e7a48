//! Operators and kernels that a profiler saw, by the lap that they ran in.
//!
//! [`nest_operators`] finds what each operator took by itself and [`clock_alignment`] when it began, before it is
//! recorded. Of a recording, the first pass keeps them ([`records`]), a further one finds the innermost lap
//! that each began in ([`operator_pass`]), and [`operator_sums`] adds them up by lap and name. [`device`] tells what
//! a device did meanwhile.

mod clock_alignment;
mod device;
mod nest_operators;
mod operator_pass;
mod operator_sums;
mod operator_values;
mod records;

pub use clock_alignment::{Alignment, Bracket};
pub use nest_operators::{OperatorRun, OperatorRunTime, nest_operators};
pub use operator_pass::OperatorPass;
pub use operator_sums::{WITHIN, doubts, operators};
pub use operator_values::{DeviceUse, KernelTime, LapOperators, OperatorTime, Operators};
pub use records::ProfilerRecords;

#[cfg(test)]
#[path = "tests/profiler.rs"]
mod tests;
