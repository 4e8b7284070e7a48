//! Samples of devices: how busy they were, what they drew, and what slowed them.
//!
//! The first pass keeps their samples ([`samples`]), a pass over laps finds the energy of those that are long
//! enough ([`lap_energy`] and [`energy_by_path`], by the counter's series in [`energy`]), and
//! [`device_summaries`] makes summaries of them ([`summary`], each part by [`sample_stretch`]), of the whole
//! time in which a device was sampled and of the steady state. [`unavailable`] has the reasons why there are none.

mod device_summaries;
mod energy;
mod energy_by_path;
mod lap_energy;
mod sample_stretch;
mod samples;
mod summary;
mod unavailable;

pub use device_summaries::{SteadyTicks, devices};
pub use energy_by_path::EnergyByPath;
pub use lap_energy::{EnergyPass, fill};
pub use samples::{DeviceSamples, SampledDevice};
pub use summary::{DeviceStretch, DeviceSummary, ThrottleShare};
pub use unavailable::{UNAVAILABLE, with_reason};

#[cfg(test)]
#[path = "tests/power.rs"]
mod tests;
