//! What devices said of themselves: how busy they were, what they drew, and what slowed them.
//!
//! The first pass keeps their samples ([`kept`]), a pass over laps finds the energy of those that are long
//! enough ([`laps`] and [`of_laps`], by the counter's series in [`energy`]), and [`sums`] makes summaries of them ([`told`]),
//! of the whole time in which a device was sampled and of the steady state.

mod energy;
mod kept;
mod laps;
mod of_laps;
mod sums;
mod told;

pub use kept::Kept;
pub use laps::{EnergyPass, fill};
pub use of_laps::OfLaps;
pub use sums::{SteadyTicks, UNAVAILABLE, devices, with_reason};
pub use told::{DeviceStretch, DeviceSummary, ThrottleShare};

#[cfg(test)]
mod tests;
