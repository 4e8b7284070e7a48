//! Operators and kernels that a profiler saw, by the lap that they ran in.
//!
//! [`nest_operators`] finds what each operator took by itself and [`clock`] when it began, before it is
//! recorded. Of a recording, the first pass keeps them ([`records`]), a further one finds the innermost lap
//! that each began in ([`lap_join`]), and [`sum_by_lap`] adds them up by lap and name. [`device`] tells what
//! a device did meanwhile.

mod clock;
mod device;
mod lap_join;
mod lap_operators;
mod nest_operators;
mod records;
mod sum_by_lap;

pub use clock::{Alignment, Bracket};
pub use lap_join::OperatorPass;
pub use lap_operators::{DeviceUse, KernelTime, LapOperators, OperatorTime, Operators};
pub use nest_operators::{OperatorRun, OperatorRunTime, nest_operators};
pub use records::ProfilerRecords;
pub use sum_by_lap::{WITHIN, doubts, operators};

#[cfg(test)]
#[path = "tests/profiler.rs"]
mod tests;
