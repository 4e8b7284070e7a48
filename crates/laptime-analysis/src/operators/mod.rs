//! Operators and kernels that a profiler saw, by the lap that they ran in.
//!
//! [`nest`] finds what each operator took by itself and [`clock`] when it began, before it is recorded. Of a recording, the first
//! pass keeps them ([`kept`]), a further one finds the innermost lap that each began in ([`join`]), and
//! [`sums`] adds them up by lap and name. [`device`] tells what a device did meanwhile.

mod clock;
mod device;
mod join;
mod kept;
mod nest;
mod sums;
mod told;

pub use clock::{Alignment, Bracket};
pub use join::OperatorPass;
pub use kept::Kept;
pub use nest::{Nested, Ran, nest};
pub use sums::{WITHIN, doubts, operators};
pub use told::{DeviceUse, KernelTime, LapOperators, OperatorTime, Operators};

#[cfg(test)]
mod tests;
